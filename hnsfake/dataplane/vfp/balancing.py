"""Load balancing, as maps that cost the same with ten services and with ten thousand.

A front end (VIP, protocol, port) leads to a chain for its number of backends, its way of distributing and its
profile; the chain draws a number and looks up the backend under front end and number. One chain serves all front
ends that are alike in those three. Who had a backend keeps it: what was translated is kept by the flow.

The same content stands at three ports: a pod's (DSR: nothing but the destination is translated), the host's (what
pods, other nodes and the outside sent to the node's stack; without DSR the source too is translated, so that
answers come back here) and, as a choice of MACs, the external port's (see ``steering``). microsoft/SDN
Kubernetes/windows/debug/networkhealth.ps1 lists VFP's rules at each; kubernetes/website windows-networking says who
sees whose address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import BackendWant, FrontEnd, IPAddress
from hnsfake.dataplane.map_elements import Element, ElementLink, mark, packed, port, protocol

FRONT_END = "ipv4_addr . inet_proto . inet_service"
SERVICES, ADDRESSES = "services", "addresses"
BACKENDS, ADDRESS_BACKENDS = "backends", "address_backends"

MAPS = f"""
  map {SERVICES} {{ type {FRONT_END} : verdict; }}
  map {ADDRESSES} {{ type ipv4_addr : verdict; }}
  map {BACKENDS} {{ type {FRONT_END} . mark : ipv4_addr . inet_service; }}
  map {ADDRESS_BACKENDS} {{ type ipv4_addr . mark : ipv4_addr; }}
"""
LOOKUP = f"""
    ip daddr . meta l4proto . th dport vmap @{SERVICES}
    meta l4proto {{ tcp, udp }} ip daddr vmap @{ADDRESSES}
"""

_AFFINITY = {1: "ip saddr . meta l4proto", 2: "ip saddr"}
"""What decides on a backend, by DistributionType (microsoft/hcsshim hcn/hcnloadbalancer.go); without one, chance."""


_SILENT = "LB_SILENT"


@dataclass
class Content:
    """What a load balancer puts into a table: elements, and the chains that these lead to."""

    elements: list[Element] = field(default_factory=list)
    chains: dict[str, tuple[str, ...]] = field(default_factory=dict)


def joined(contents: Iterable[Content]) -> Content:
    """Return several contents as one."""
    made = Content()
    for content in contents:
        made.elements += content.elements
        made.chains.update(content.chains)
    return made


def balanced(
    front_ends: Iterable[FrontEnd], backends: Sequence[IPAddress], profile: str = "", services: str = ""
) -> Content:
    """Return what leads front ends to backends; ``profile`` is a statement before the translation.

    ``services`` begins the names of the maps that front ends are looked up in.
    """
    content = Content()
    count = len(backends)
    if not count:
        return content
    for end in front_ends:
        affinity = _AFFINITY.get(end.distribution)
        draw = f"meta mark set {choice(affinity, count) if affinity else f'numgen random mod {count}'}"
        chain = f"LB_{count}_{end.distribution}{profile.replace(' ', '_')}"
        vip, key = packed(end.vip), front_end(end)
        if end.external_port:
            lookup = f"ip daddr . meta l4proto . th dport . meta mark map @{BACKENDS}"
            content.elements.append(Element(services + SERVICES, key, chain))
            content.elements += [
                Element(BACKENDS, key + mark(number), packed(backend) + port(end.internal_port))
                for number, backend in enumerate(backends)
            ]
        else:
            chain += "_ALL"
            lookup = f"ip daddr . meta mark map @{ADDRESS_BACKENDS}"
            content.elements.append(Element(services + ADDRESSES, vip, chain))
            content.elements += [
                Element(ADDRESS_BACKENDS, vip + mark(number), packed(backend))
                for number, backend in enumerate(backends)
            ]
        content.chains[chain] = (draw, f"{profile} dnat ip to {lookup}")
    return content


def silent(front_ends: Iterable[FrontEnd]) -> Content:
    """Return what loses all that comes for front ends."""
    ports = [end for end in front_ends if end.external_port]
    if not ports:
        return Content()
    elements = [Element(SERVICES, front_end(end), _SILENT) for end in ports]
    return Content(elements, {_SILENT: ("counter drop",)})


def front_end(end: FrontEnd) -> bytes:
    """Return the key of a front end: VIP, protocol, port."""
    return packed(end.vip) + protocol(end.protocol) + port(end.external_port)


def choice(of: str, count: int) -> str:
    """Return the expression that draws a number below ``count`` by what is in a packet.

    It has a seed: without one each chain would draw otherwise, and a client meet another backend on another node.
    """
    return f"jhash {of} mod {count} seed 0x484e53"


class BalancingTable:
    """A table that load balancers put their content into; its chains stay, for others may lead to them.

    ``run`` carries out a script in the table's namespace; ``link`` is a way to its maps.
    """

    def __init__(self, family: str, name: str, run: Callable[[str], object], link: ElementLink) -> None:
        self._family = family
        self._name = name
        self._run = run
        self._link = link
        self._chains: set[str] = set()

    def change(self, before: Content, after: Content) -> None:
        """Make ``after`` of ``before``; raise DataplaneError with nothing changed that matters."""
        missing = {name: statements for name, statements in after.chains.items() if name not in self._chains}
        if missing:
            self._run("".join(self._chain(*chain) for chain in missing.items()))
            self._chains.update(missing)
        old, new = dict.fromkeys(before.elements), dict.fromkeys(after.elements)
        removed, added = [one for one in old if one not in new], [one for one in new if one not in old]
        if removed or added:
            self._link.change(self._family, self._name, removed, added)

    def close(self) -> None:
        """Let go of the table's namespace; may be called twice."""
        self._link.close()

    def _chain(self, name: str, statements: Iterable[str]) -> str:
        chain = f"{self._family} {self._name} {name}"
        return f"add chain {chain}\n" + "".join(f"add rule {chain} {statement}\n" for statement in statements)


def ipv4_addresses(backends: Iterable[BackendWant]) -> list[IPAddress]:
    """Return the addresses of backends that have one of IPv4."""
    return [backend.address for backend in backends if isinstance(backend.address, IPv4Address)]
