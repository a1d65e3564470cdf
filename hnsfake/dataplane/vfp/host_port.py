"""The VFP of the host vNIC's port: load balancing for all that is sent to the node's stack, and for the node itself.

What pods, other nodes and the outside send there gets another destination and, without DSR, another source: the
source VIP, or the node's address. The node's own processes reach what has a VIP, and node ports that say so
(LocalRoutedVip, Azure/azure-container-networking#1863): what is for the node's own address otherwise stays in its
stack. Backends of an Overlay network are reached through its segment, whatever the node's routes say.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import Driver, FrontEnd, LoadBalancerWant
from hnsfake.dataplane.vfp.balancing import FRONT_END, LOOKUP, MAPS, Content, balanced, ipv4_addresses, joined, silent
from hnsfake.dataplane.vfp.layers import PROFILE
from hnsfake.documents.load_balancer import PortMappingFlags

TABLE = "host_port"
FAMILY = "inet"
_NAMED = f"{FAMILY} {TABLE}"
_HOST = "host_"
_PORTS = "32768-49151"
"""Ports of translated sources: the node's own, none of OutBoundNAT's blocks."""

RULESET = f"""
table {_NAMED} {{
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
    ct status dnat meta mark set ct mark & {PROFILE:#x} map @segments
  }}
  chain SEGMENT_OUT {{
    type route hook output priority -90; policy accept;
    ct status dnat meta mark set 0
    ct status dnat meta mark set ct mark & {PROFILE:#x} map @segments
  }}
  chain SOURCE {{
    type nat hook postrouting priority 100; policy accept;
    ct status dnat ct mark & {PROFILE:#x} vmap @sources
  }}
}}
"""


class HostPort:
    """The port's content, load balancer by load balancer.

    A profile is what the flows of front ends have in common: the segment of their backends (0: none), and the source
    that these see (None: the client). Flows carry its number as their mark; what is made for it stays.
    """

    def __init__(self, management_ip: IPv4Address, quirks: frozenset[str] = frozenset()) -> None:
        self._management_ip = management_ip
        self._quirks = quirks
        self._profiles: dict[tuple[int, IPv4Address | None], int] = {}

    def prepare(self, balancer: LoadBalancerWant, segment: int, run: Callable[[str], object]) -> None:
        """Have the profile of a load balancer made where it is a new one; raise DataplaneError."""
        source = self._source(balancer)
        if (segment, source) not in self._profiles:
            number = len(self._profiles) + 1
            script = f"add element {_NAMED} segments {{ {number:#x} : {segment:#x} }}\n" if segment else ""
            run(script + (_source_script(number, source) if source is not None else ""))
            self._profiles[segment, source] = number

    def content(self, balancer: LoadBalancerWant, segment: int) -> Content:
        """Return what a load balancer puts into the table; ``prepare`` was before."""
        backends = ipv4_addresses(balancer.backends)
        ends = balancer.front_ends(self._management_ip)
        mark = f"ct mark set {self._profiles[segment, self._source(balancer)]:#x}"
        for_the_host = [end for end in ends if self._is_for_the_host(end)]
        here = balanced(for_the_host, backends, mark, _HOST)
        if balancer.dsr:
            return here
        mute = [end for end in ends if self._is_mute(balancer, end)]
        return joined([here, balanced([end for end in ends if end not in mute], backends, mark), silent(mute)])

    def _source(self, balancer: LoadBalancerWant) -> IPv4Address | None:
        if balancer.dsr:
            return None
        return balancer.source_vip if isinstance(balancer.source_vip, IPv4Address) else self._management_ip

    def _is_for_the_host(self, end: FrontEnd) -> bool:
        if end.vip != self._management_ip:
            return "node-clusterip" not in self._quirks
        return bool(end.flags & PortMappingFlags.LOCAL_ROUTED_VIP) and "nodeport-local-access" not in self._quirks

    def _is_mute(self, balancer: LoadBalancerWant, end: FrontEnd) -> bool:
        """Whether what comes for a front end is lost: it is a NodePort, and the node has a quirk."""
        if end.vip != self._management_ip:
            return False
        if balancer.driver is Driver.OVERLAY and "overlay-nodeport-ws2022" in self._quirks:
            return True
        alone = all(backend.remote for backend in balancer.backends)
        return alone and "nodeport-needs-local-pod" in self._quirks


def _source_script(number: int, source: IPv4Address) -> str:
    chain = f"{_NAMED} SOURCE_{number}"
    return (
        f"add chain {chain}\n"
        f"add rule {chain} meta l4proto {{ tcp, udp }} snat ip to {source}:{_PORTS}\n"
        f"add element {_NAMED} sources {{ {number:#x} : goto SOURCE_{number} }}\n"
    )
