"""The limitations and known issues of the Kubernetes page on Windows networking, and of its forebears.

Which update cured a quirk that sources date by month is the first of that month or the next one.  # unverified
"""

from __future__ import annotations

from hnsfake.releases.quirks.quirk import CLIENTS_OWN, Quirk, Span, everywhere

PAGE = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
PROBLEMS = "MicrosoftDocs/Virtualization-Documentation virtualization/windowscontainers/kubernetes/common-problems.md"
KB4571748, KB4489899, KB5005619 = 1432, 379, 261
JUNE_2022_ON_2019, JUNE_2022, AUGUST_2022, JUNE_2023 = 3046, 768, 887, 1787

QUIRKS = (
    Quirk(
        "nodeport-local-access",
        "NodePort, from a process on the node itself",
        "The node doesn't reach its own NodePort, and no packet of it is on any port of the vSwitch; other nodes do.",
        (Span("ws2019", 0, KB4571748),),
        (PROBLEMS, "rancher/rancher#29411"),
        "KB4571748, and the flag LocalRoutedVIP of the port mapping.",
    ),
    Quirk(
        "hostport-local-access",
        "PortMapping with the flag LocalRoutedVip, from the node itself",
        "The node doesn't reach the mapped port on its own address, in spite of the flag; others do.",
        (Span("ws2019"), Span("ws2022", 0, JUNE_2023)),
        (
            "Azure/azure-container-networking#1863",
            "Azure/AKS#3620",
            "microsoft/Windows-Containers#360",
        ),
        "An update, on Server 2022 alone.",
    ),
    Quirk(
        "lb-backends-64",
        "A load balancer of more than 64 backends",
        "The 65th backend is refused: 0x57, invalid number of destinations. Afterwards the limit is 1024.",
        (Span("ws2019", 0, JUNE_2022_ON_2019), Span("ws2022", 0, JUNE_2022)),
        (
            "kubernetes/kubernetes#98680",
            "microsoft/Windows-Containers#93",
            "awsdocs/amazon-eks-user-guide#591",
        ),
        "Fewer backends, or an update of mid 2022.",
    ),
    Quirk(
        "overlay-ipv6",
        "Overlay, IPv6",
        "IPv6 packets of pods go nowhere.",
        (Span("ws2019"), Span("ws2022")),
        ("microsoft/Windows-Containers#82", "kubernetes/enhancements 5100"),
        "IPv4.",
        "Packets of IPv6 are balanced, translated and encapsulated on no release here yet.",
    ),
    Quirk(
        "local-policy-needs-dsr",
        "externalTrafficPolicy Local where HNS has no DSR",
        "The service is treated as one of policy Cluster: the client's address is hidden, backends elsewhere are used.",
        (Span("ws2019", 0, 1217),),
        ("kubernetes/kubernetes pkg/proxy/winkernel", "kubernetes/kubernetes#62093"),
        "HNS 9.3, or 10.2 and later.",
        CLIENTS_OWN + " What makes kube-proxy do so is shown as dsr-2019-gate.",
    ),
    Quirk(
        "icmp-not-transposed",
        "OutBoundNAT, ping beyond the network",
        "ICMP passes VFP with its own source address, so nothing beyond answers; within the network ping works.",
        everywhere(),
        (PAGE, "microsoft/SDN#440", "kubernetes/enhancements#824"),
        "TCP or UDP.",
        always="Every release has it, and nobody has seen where answers would go without it.",
    ),
    Quirk(
        "overlay-nodeport-ws2022",
        "Overlay, NodePort of a Server 2022 node, from outside or from another node",
        "The SYN arrives at the node and nothing is answered: a time-out, no refusal.",
        (Span("ws2022", 0, JUNE_2022),),
        ("kubernetes/website#31759", "microsoft/Windows-Containers#204", "rancher/windows#159"),
        "externalTrafficPolicy Local, or an update.",
    ),
    Quirk(
        "l2bridge-kb5005619",
        "L2Bridge with a DSR load balancer, pod to pod on two nodes",
        "Pods don't reach pods of other nodes; without DSR they do.",
        (Span("ws2022", KB5005619, JUNE_2022),),
        ("kubernetes/website#31759", "microsoft/Windows-Containers#204"),
        "kube-proxy without DSR, or an update.",
    ),
    Quirk(
        "flannel-vxlan-node-pod",
        "Overlay, from a node to pods of other nodes",
        "No encapsulated packet leaves the node: HostRoute is for local pods.",
        everywhere(),
        ("flannel-io/flannel#1096", PAGE),
        "",
        "There is nothing to switch: no release, and no way of ours, has it otherwise. "
        "suites/flows/test_nodes.py shows it.",
    ),
    Quirk(
        "overlay-2019-kb4489899",
        "Overlay on Server 2019 without KB4489899",
        "The network, or its services, can't be used.",
        (Span("ws2019", 0, KB4489899),),
        (PAGE,),
        "The update.",
        "Nobody says what of it fails, and how.",
    ),
    Quirk(
        "node-clusterip",
        "A service's cluster IP, from the node itself",
        "The node gets no answer; pods do.",
        (Span("ws2019", 0, KB4571748),),
        (PROBLEMS, "Azure/AgentBaker parts/windows"),
        "An update.  (Which one, no source says.)",
    ),
    Quirk(
        "cni-no-check",
        "win-bridge and win-overlay, CNI's CHECK",
        "The command fails.",
        everywhere(),
        (PAGE,),
        "",
        CLIENTS_OWN,
    ),
    Quirk(
        "flannel-vni-port",
        "flannel with a VNI below 4096, or a UDP port other than 4789",
        "flanneld refuses the configuration.",
        everywhere(),
        ("flannel-io/flannel pkg/backend/vxlan/vxlan_windows.go", PAGE),
        "VNI 4096, port 4789.",
        CLIENTS_OWN,
    ),
    Quirk(
        "no-host-networking",
        "Pods that ask for the host's network",
        "Windows containers can't share the host's compartment, but for host-process containers.",
        everywhere(),
        (PAGE,),
        "Host-process containers.",
        "It is the container runtime's to refuse.",
    ),
)
