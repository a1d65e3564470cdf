"""Quirks of load balancing and node ports, from reports."""

from __future__ import annotations

from hnsfake.releases.quirks.quirk import Quirk, Span

MAY_2020, AUGUST_2020, OCTOBER_2020 = 1217, 1369, 1518
DATED = "The report names no update, so there is nothing to tie it to; "

QUIRKS = (
    Quirk(
        "dsr-2019-gate",
        "A DSR load balancer on Server 2019 before mid 2020",
        "HNS is older than 9.3, which clients take for a lack of DSR.",
        (Span("ws2019", 0, MAY_2020),),
        ("kubernetes/enhancements 5100", "microsoft/Windows-Containers#19"),
        "The update of May 2020.",
    ),
    Quirk(
        "nodeport-needs-local-pod",
        "NodePort on a node that has no pod of the service",
        "The node doesn't answer.",
        (Span("ws2019"),),
        (
            "MicrosoftDocs/Virtualization-Documentation virtualization/windowscontainers/kubernetes/common-problems.md",
            "rancher/rancher#20511",
        ),
        "A pod of the service on the node.",
    ),
    Quirk(
        "nodeport-equals-port",
        "A NodePort of the same number as the service's port",
        "From outside the Windows node gives no answer.",
        (Span("ws2019", 0, 592),),
        ("kubernetes/kubernetes#78574",),
        "Another number.",
        DATED + "which of the two objects loses isn't said.",
    ),
    Quirk(
        "hns-2019-lb-delete",
        "Deleting a load balancer",
        "The first call fails, the second one succeeds.",
        (Span("ws2019"),),
        ("kubernetes/kubernetes pkg/proxy/winkernel/proxier.go",),
        "A second try.",
        "The error of the first call isn't published; a fault rule makes one fail: see docs/faults.md.",
    ),
    Quirk(
        "hns-crash-purges-lb",
        "The HNS process dies and starts again",
        "Load balancers are gone, other objects are there.",
        (Span("ws2019"), Span("ws2022")),
        ("kubernetes/kubernetes#110849", "microsoft/Windows-Containers#278"),
        "Restart kube-proxy.",
    ),
    Quirk(
        "hns-restart-drops-decap",
        "The HNS service is restarted while there are load balancers",
        "Pods don't reach services any more; pod to pod goes on.",
        (Span("ws2019", AUGUST_2020, OCTOBER_2020),),
        ("microsoft/Windows-Containers#61",),
        "Remove all load balancers before the restart, or the update of October 2020.",
        "Not built: the layer that gets lost has no counterpart here yet.",
    ),
    Quirk(
        "pod-service-many-rules",
        "230 services, about 1290 VFP rules",
        "After a while pods don't reach services; pod to pod goes on.",
        (Span("ws2019", 0, 1823),),
        ("microsoft/SDN#477",),
        "",
        DATED + "what runs out, and when, isn't published.",
    ),
    Quirk(
        "lb-uneven",
        "A load balancer of several backends",
        "Connections are not spread evenly.",
        (Span("ws2019", 0, 4377), Span("ws2022", 0, 1726)),
        ("Azure/AgentBaker parts/windows: VfpEvenPodDistributionIsEnabled",),
        "The update of May 2023.",
        "How uneven isn't published.",
    ),
)
