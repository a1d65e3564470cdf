"""Windows' metrics: of interfaces, and of routes; and the size of packets on them.

A route's effective metric is the sum of both; the lowest wins.
(learn.microsoft.com, Get-NetRoute: RouteMetric is added to InterfaceMetric.)
"""

from __future__ import annotations

MEGABIT = 1
GIGABIT = 1000 * MEGABIT

_AUTOMATIC = (
    (100 * GIGABIT, 5),
    (40 * GIGABIT, 10),
    (10 * GIGABIT, 15),
    (2 * GIGABIT, 20),
    (200 * MEGABIT, 25),
    (80 * MEGABIT, 35),
    (20 * MEGABIT, 45),
    (4 * MEGABIT, 55),
    (0.5 * MEGABIT, 65),
)
_SLOWEST = 75
LINK_SPEED = 10 * GIGABIT
"""Of a Hyper-V vNIC, and of the cables that are vNICs here."""


def automatic(megabits: float) -> int:
    """Return the metric that Windows gives an interface for its link speed.

    Windows 10 and newer, "other interface types" (MicrosoftDocs/SupportArticles-docs
    support/windows-server/networking/automatic-metric-for-ipv4-routes).
    """
    return next((metric for least, metric in _AUTOMATIC if megabits >= least), _SLOWEST)


VNIC = automatic(LINK_SPEED)
"""Of the host's vNIC and of an endpoint the host has on an external switch (projectcalico/cni-plugin#987: both 15).

unverified: that a container's on such a switch has the same.
"""

INTERNAL_VNIC = 5000
"""Of vNICs on an internal switch, in a container (microsoft/Windows-Containers#386,
kubernetes-sigs/sig-windows-tools#214) and on the host (docker/for-win#2760).
"""

LOW_VNIC = min(metric for _, metric in _AUTOMATIC)
"""Of an endpoint with EnableLowMetric.  # unverified: that it is the lowest an interface gets by itself"""

ROUTE = 256
"""Of a route that was given none, on-link routes among them: New-NetRoute's default, and what a document's Metric of 0
becomes (microsoft/Windows-Containers#386; projectcalico/cni-plugin#987: "gateway metric 256").
"""

DHCP_ROUTE = 0
"""Of the default route that the node's adapter got by DHCP (projectcalico/cni-plugin#987: "gateway metric 0")."""

NARROW_MTU = 1450
"""What IP sends at most by a container's vNIC, and by the host's once there is an L2Bridge network: room for VXLAN's
headers, used or not (microsoft/SDN#517, Azure/AKS#2873). What comes in may be larger.
"""
