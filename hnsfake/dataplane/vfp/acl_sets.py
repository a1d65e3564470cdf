"""ACLs as sets, for the first packet of a flow: what is looked up doesn't grow with the number of rules.

The packet's own addresses are those of the flow's ends here: a first packet meets ACLs on IN after its destination was
translated, on OUT before its source is. A rule's name is its elements' comment, and these count its packets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from itertools import product
from math import prod

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.dataplane.vfp.acl_matches import FAMILIES, AclWords, addresses_of, joined, name_of, protocols_of
from hnsfake.dataplane.vfp.classifier import Lookup, Range, Ruling, lookups
from hnsfake.dataplane.vfp.layers import named
from hnsfake.documents.policies.acl import Acl, Action, Direction

_MOST = 65536
"""Combinations of protocols, addresses and ports that are written out as elements; beyond, rules alone."""

_IPV6: Range = (6, 6)
_Kind = tuple[int | None, tuple[bool, ...]]
"""The family of addresses, and which of protocol, local and remote address, local and remote port are named."""


@dataclass(frozen=True, slots=True)
class Found:
    """Sets by name, and the statements that look up in them."""

    sets: dict[str, str]
    statements: tuple[str, ...]


def fit(acls: Sequence[Acl]) -> bool:
    """Whether rules can be written as sets."""
    return sum(map(_size, acls)) <= _MOST


# Clients give many endpoints the same rules, and send all rules of an endpoint again for every change of one.
@lru_cache(maxsize=256)
def found(group: str, acls: Sequence[Acl], direction: Direction, words: AclWords) -> Found:
    """Return the sets of rules of one direction, the strongest first, with names that begin with ``group``."""
    sets: dict[str, str] = {}
    statements = []
    rulings = [ruling for acl in acls if words.of(acl.action) for ruling in _rulings(acl)]
    for number, lookup in enumerate(lookups(rulings)):
        fields = _fields(lookup.kind, direction)
        verdict = words.of(lookup.verdict) or ""
        if not fields:
            statements.append(named(verdict, lookup.rulings[0].name))
            continue
        name = f"{group}_{number}"
        key = " . ".join(field for field, _ in fields)
        sets[name] = _set(" . ".join(kind for _, kind in fields), lookup)
        statements.append(f"{key} @{name} {verdict}")
    return Found(sets, tuple(statements))


def _size(acl: Acl) -> int:
    ends = (acl.local_addresses, acl.remote_addresses, acl.local_ports, acl.remote_ports, protocols_of(acl))
    return prod(len(end) or 1 for end in ends)


def _rulings(acl: Acl) -> Iterator[Ruling[_Kind, Action, str]]:
    protocols: Sequence[Range | None] = [(number, number) for number in protocols_of(acl)] or [None]
    ports: list[Sequence[Range | None]] = [joined(ranges) or [None] for ranges in (acl.local_ports, acl.remote_ports)]
    for family, *ends in addresses_of(acl):
        addresses = [[_range(prefix) for prefix in end] if end is not None else [None] for end in ends]
        for box in product(protocols, *addresses, *ports):
            kind: _Kind = (family, tuple(part is not None for part in box))
            yield Ruling((None if family is None else (family, family), *box), kind, acl.action, name_of(acl))


def _range(prefix: IPNetwork) -> Range:
    return int(prefix.network_address), int(prefix.broadcast_address)


def _fields(kind: _Kind, direction: Direction) -> list[tuple[str, str]]:
    """Return the fields of a kind's key, and their types in nftables."""
    family, shape = kind
    word, address = FAMILIES.get(family or 0, ""), f"ipv{family}_addr"
    here, there = ("d", "s") if direction is Direction.IN else ("s", "d")
    fields = (
        ("meta l4proto", "inet_proto"),
        (f"{word} {here}addr", address),
        (f"{word} {there}addr", address),
        (f"th {here}port", "inet_service"),
        (f"th {there}port", "inet_service"),
    )
    return [field for field, chosen in zip(fields, shape, strict=True) if chosen]


def _set(types: str, lookup: Lookup[_Kind, Action, str]) -> str:
    elements = ", ".join(named(_element(ruling), ruling.name) for ruling in lookup.rulings)
    return f"type {types}; flags interval; counter; elements = {{ {elements} }};"


def _element(ruling: Ruling[_Kind, Action, str]) -> str:
    family, protocol, local, remote, *ports = ruling.box
    address = IPv6Address if family == _IPV6 else IPv4Address
    parts = [
        _written(protocol),
        *(_written(end, address) for end in (local, remote)),
        *map(_written, ports),
    ]
    return " . ".join(part for part in parts if part is not None)


def _written(part: Range | None, kind: Callable[[int], object] = int) -> str | None:
    if part is None:
        return None
    first, last = map(kind, part)
    return str(first) if first == last else f"{first}-{last}"
