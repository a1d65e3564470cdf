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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import BackendWant, FrontEnd, IPAddress

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


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a map."""

    map: str
    key: str
    value: str


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
        if not end.external_port:
            lookup = f"ip daddr . meta mark map @{ADDRESS_BACKENDS}"
            content.chains[f"{chain}_ALL"] = (draw, f"{profile} dnat ip to {lookup}")
            content.elements.append(Element(services + ADDRESSES, str(end.vip), f"goto {chain}_ALL"))
            content.elements += [
                Element(ADDRESS_BACKENDS, f"{end.vip} . {position}", str(backend))
                for position, backend in enumerate(backends)
            ]
            continue
        lookup = f"ip daddr . meta l4proto . th dport . meta mark map @{BACKENDS}"
        content.chains[chain] = (draw, f"{profile} dnat ip to {lookup}")
        content.elements.append(Element(services + SERVICES, end.key, f"goto {chain}"))
        content.elements += [
            Element(BACKENDS, f"{end.key} . {position}", f"{backend} . {end.internal_port}")
            for position, backend in enumerate(backends)
        ]
    return content


def choice(of: str, count: int) -> str:
    """Return the expression that draws a number below ``count`` by what is in a packet.

    It has a seed: without one each chain would draw otherwise, and a client meet another backend on another node.
    """
    return f"jhash {of} mod {count} seed 0x484e53"


def change_script(family_and_table: str, before: Content, after: Content) -> str:
    """Return the script that makes ``after`` of ``before`` in a table; chains stay, others may lead to them."""
    old, new = set(before.elements), set(after.elements)
    lines = []
    for name, statements in after.chains.items():
        if name not in before.chains:
            chain = f"{family_and_table} {name}"
            lines += [f"add chain {chain}", f"flush chain {chain}"]
            lines += [f"add rule {chain} {statement}" for statement in statements]
    lines += _elements("delete", family_and_table, old - new, with_value=False)
    lines += _elements("add", family_and_table, new - old, with_value=True)
    return "".join(f"{line}\n" for line in lines)


def _elements(verb: str, table: str, elements: Iterable[Element], *, with_value: bool) -> list[str]:
    by_map: dict[str, list[str]] = {}
    for one in elements:
        by_map.setdefault(one.map, []).append(f"{one.key} : {one.value}" if with_value else one.key)
    return [f"{verb} element {table} {name} {{ {', '.join(items)} }}" for name, items in by_map.items()]


def ipv4_addresses(backends: Iterable[BackendWant]) -> list[IPAddress]:
    """Return the addresses of backends that have one of IPv4."""
    return [backend.address for backend in backends if isinstance(backend.address, IPv4Address)]
