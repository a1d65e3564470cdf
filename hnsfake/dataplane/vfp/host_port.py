"""The VFP of the host vNIC's port: load balancing for all that is sent to the node's stack, and for the node itself.

What pods, other nodes and the outside send there gets another destination and, without DSR, another source: the
source VIP, or the node's address. The node's own processes reach what has a VIP, and node ports that say so
(LocalRoutedVip, Azure/azure-container-networking#1863): what is for the node's own address otherwise stays in its
stack. Backends of an Overlay network are reached through its segment, whatever the node's routes say.
"""

from __future__ import annotations

from ipaddress import IPv4Address

from hnsfake.dataplane.interface import FrontEnd, LoadBalancerWant
from hnsfake.dataplane.vfp.balancing import FRONT_END, LOOKUP, MAPS, Content, balanced, ipv4_addresses, joined
from hnsfake.documents.load_balancer import PortMappingFlags

TABLE = "host_port"
NAMED_TABLE = f"inet {TABLE}"
_HOST = "host_"
_PORTS = "32768-49151"
"""Ports of translated sources: the node's own, none of OutBoundNAT's blocks."""

RULESET = f"""
table {NAMED_TABLE} {{
{MAPS}
  map {_HOST}services {{ type {FRONT_END} : verdict; }}
  map {_HOST}addresses {{ type ipv4_addr : verdict; }}
  map sources {{ type mark : verdict; }}
  map segments {{ type mark : mark; }}
  chain LB_IN {{
    type nat hook prerouting priority -100; policy accept;
    {LOOKUP}
  }}
  chain LB_OUT {{
    type nat hook output priority -100; policy accept;
    {LOOKUP.replace("@", f"@{_HOST}")}
  }}
  chain SEGMENT_IN {{
    type filter hook prerouting priority -90; policy accept;
    ct status dnat meta mark set 0
    ct status dnat meta mark set ct mark map @segments
  }}
  chain SEGMENT_OUT {{
    type route hook output priority -90; policy accept;
    ct status dnat meta mark set 0
    ct status dnat meta mark set ct mark map @segments
  }}
  chain SOURCE {{
    type nat hook postrouting priority 100; policy accept;
    ct status dnat ct mark vmap @sources
  }}
}}
"""
REMOVAL = f"table {NAMED_TABLE}\ndelete table {NAMED_TABLE}\n"


class HostPort:
    """The port's content, load balancer by load balancer.

    A profile is what the flows of front ends have in common: the segment of their backends (0: none), and the source
    that these see (None: the client). Flows carry its number as their mark.
    """

    def __init__(self, management_ip: IPv4Address) -> None:
        self._management_ip = management_ip
        self._profiles: dict[tuple[int, IPv4Address | None], int] = {}

    def profile_script(self, balancer: LoadBalancerWant, segment: int) -> str:
        """Return the script that makes a load balancer's profile, whether it is there or not; it stays."""
        number, source = self._profile(balancer, segment), self._source(balancer)
        script = f"add element {NAMED_TABLE} segments {{ {number:#x} : {segment:#x} }}\n" if segment else ""
        return script + (_source_script(number, source) if source is not None else "")

    def content(self, balancer: LoadBalancerWant, segment: int) -> Content:
        """Return what a load balancer puts into the table; ``profile_script`` was before."""
        backends = ipv4_addresses(balancer.backends)
        ends = balancer.front_ends(self._management_ip)
        mark = f"ct mark set {self._profile(balancer, segment):#x}"
        for_the_host = [end for end in ends if self._is_for_the_host(end)]
        here = balanced(for_the_host, backends, mark, _HOST)
        return here if balancer.dsr else joined([here, balanced(ends, backends, mark)])

    def _profile(self, balancer: LoadBalancerWant, segment: int) -> int:
        return self._profiles.setdefault((segment, self._source(balancer)), len(self._profiles) + 1)

    def _source(self, balancer: LoadBalancerWant) -> IPv4Address | None:
        if balancer.dsr:
            return None
        return balancer.source_vip if isinstance(balancer.source_vip, IPv4Address) else self._management_ip

    def _is_for_the_host(self, end: FrontEnd) -> bool:
        return end.vip != self._management_ip or bool(end.flags & PortMappingFlags.LOCAL_ROUTED_VIP)


def _source_script(number: int, source: IPv4Address) -> str:
    chain = f"{NAMED_TABLE} SOURCE_{number}"
    return (
        f"add chain {chain}\nflush chain {chain}\n"
        f"add rule {chain} meta l4proto {{ tcp, udp }} snat ip to {source}:{_PORTS}\n"
        f"add element {NAMED_TABLE} sources {{ {number:#x} : goto SOURCE_{number} }}\n"
    )
