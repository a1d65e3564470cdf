"""The external port's part of DSR: what comes from outside for a front end goes to the MAC of a backend of this node.

The backend's own port translates it, so the client's address stays and the answer needs no way back through here. A
flow keeps its backend while it goes on, also when backends come and go.
"""

from __future__ import annotations

from collections.abc import Sequence

from hnsfake.dataplane.interface import FrontEnd
from hnsfake.dataplane.map_elements import Element, mark
from hnsfake.dataplane.messages import mac_bytes
from hnsfake.dataplane.vfp.balancing import FRONT_END, Content, choice, front_end

TABLE = "steering"
FAMILY = "bridge"

_FLOW = "ip saddr . th sport . ip daddr . th dport"
_FLOW_TIMEOUT = "1h"  # unverified: how long VFP keeps a flow that is idle
_CHOICES = {0: "ip saddr . th sport", 1: "ip saddr . ip protocol", 2: "ip saddr"}


def ruleset(nic: str, mac: str) -> str:
    """Return the script that makes the table; it comes before the rules that lead to single endpoints."""
    return f"""
table {FAMILY} {TABLE} {{
  map services {{ type {FRONT_END} : verdict; }}
  map backends {{ type {FRONT_END} . mark : ether_addr; }}
  map flows {{ type ipv4_addr . inet_service . ipv4_addr . inet_service : ether_addr; flags timeout; }}
  chain IN {{
    type filter hook prerouting priority -201; policy accept;
    iifname "{nic}" ether daddr {mac} ip daddr . ip protocol . th dport vmap @services
  }}
}}
"""


def content(front_ends: Sequence[FrontEnd], macs: Sequence[str]) -> Content:
    """Return what leads front ends to the MACs of backends."""
    made = Content()
    for end in front_ends if macs else ():
        if end.internal or not end.external_port:
            continue
        chain = f"LB_{len(macs)}_{end.distribution}"
        made.chains[chain] = _statements(end.distribution, len(macs))
        key = front_end(end)
        made.elements.append(Element("services", key, chain))
        made.elements += [Element("backends", key + mark(number), mac_bytes(mac)) for number, mac in enumerate(macs)]
    return made


def _statements(distribution: int, count: int) -> tuple[str, ...]:
    remember = f"update @flows {{ {_FLOW} timeout {_FLOW_TIMEOUT} : ether daddr }} accept"
    return (
        f"ether daddr set {_FLOW} map @flows {remember}",
        f"meta mark set {choice(_CHOICES[distribution], count)}",
        f"ether daddr set ip daddr . ip protocol . th dport . meta mark map @backends {remember}",
    )
