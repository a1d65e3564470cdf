"""Quirks of endpoints' ports and their policies, from reports."""

from __future__ import annotations

from hnsfake.releases.quirks.quirk import Quirk, Span

JULY_2024, DECEMBER_2024 = 2582, 2966

QUIRKS = (
    Quirk(
        "kb5040437",
        "Pods of networks with a VFP",
        "Every packet that a pod sends is lost, and the pod can't be reached.",
        (Span("ws2022", JULY_2024, DECEMBER_2024),),
        (
            "microsoft/Windows-Containers#516",
            "projectcalico/calico#9019",
            "kubernetes-sigs/cluster-api-provider-azure#5357",
        ),
        "A registry override, or the update of December 2024.",
    ),
    Quirk(
        "acl-update-resets-flows",
        "ACLs of an endpoint are written again while connections go on",
        "A RST goes to the peer; the process in the pod sees nothing, and what it sends is lost.",
        (Span("ws2022"),),
        ("projectcalico/calico#10199",),
        "Don't write the same ACLs again.",
    ),
    Quirk(
        "outboundnat-exceptions-2019",
        "OutBoundNAT with two exceptions of one base address and different lengths",
        "One of the two survives.",
        (Span("ws2019"),),
        ("Azure/AgentBaker parts/windows: azurecnifunc.ps1",),
        "The broadest one alone.",
    ),
    Quirk(
        "outboundnat-noncanonical",
        "OutBoundNAT with an exception that is no true prefix, as 172.17.0.1/16",
        "The policy is refused: 0x803b000d.",
        (Span("ws2022"), Span("ws2025")),
        ("microsoft/hcsshim#1951",),
        "172.17.0.0/16.",
    ),
    Quirk(
        "portmapping-ipv6",
        "PortMapping of an IPv6 address",
        "IPv4 answers, IPv6 doesn't.",
        (Span("ws2022"),),
        ("Azure/azure-container-networking#2879",),
        "",
        "Port mappings of IPv6 reach no packet on any release here yet.",
    ),
    Quirk(
        "hostroute-gate",
        "The policy HostRoute on an HNS older than 9.2",
        "The policy fails; the host doesn't reach pods.",
        (),
        ("flannel-io/flannel pkg/backend/vxlan/vxlan_windows.go",),
        "Server 2019 with KB4489899, or 1903.",
        "No release here is as old as that.",
    ),
    Quirk(
        "overlay-reply-not-encapsulated",
        "Overlay, an answer to a peer of whom no remote endpoint or subnet says where it is",
        "The answer leaves bare, with the pod's address, and is lost.",
        (Span("ws2019"), Span("ws2022"), Span("ws2025")),
        ("flannel-io/flannel#1394",),
        "Add the route first.",
        "There is nothing to switch: it follows from how Overlay finds peers. suites/flows/test_nodes.py shows it.",
    ),
)
