"""What an ACL matches, in the form that rules and sets have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import collapse_addresses

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.documents.policies.acl import Acl, Action

_TCP, _UDP = 6, 17
FAMILIES = {4: "ip", 6: "ip6"}
"""nftables' words for the families of addresses."""

Prefixes = tuple[IPNetwork, ...] | None
"""Prefixes of one family, none inside another; None matches all."""


@dataclass(frozen=True, slots=True)
class AclWords:
    """What actions are in nftables. Pass is for tiers; as the last word it must not become an allow: it is none."""

    allow: str
    block: str
    passed_on: str | None = None

    def of(self, action: Action) -> str | None:
        """Return the word for an action."""
        return {Action.ALLOW: self.allow, Action.BLOCK: self.block, Action.PASS: self.passed_on}[action]


def name_of(acl: Acl) -> str:
    """Return the name of the rule."""
    return f"{acl.id or 'ACL'} {acl.action} {acl.direction} {acl.priority}"


def protocols_of(acl: Acl) -> tuple[int, ...]:
    """Return the protocols; none where all are meant. Ports are TCP's and UDP's."""
    return tuple(sorted(set(acl.protocols))) or ((_TCP, _UDP) if acl.local_ports or acl.remote_ports else ())


def addresses_of(acl: Acl) -> Iterator[tuple[int | None, Prefixes, Prefixes]]:
    """Yield family, local and remote prefixes, once a family that all named ends have; family None for all."""
    if not acl.local_addresses and not acl.remote_addresses:
        yield None, None, None
        return
    for family in FAMILIES:
        local, remote = (_of(family, ends) for ends in (acl.local_addresses, acl.remote_addresses))
        if local != () and remote != ():
            yield family, local, remote


def joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return port ranges, those that overlap or touch joined."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _of(family: int, prefixes: tuple[IPNetwork, ...]) -> Prefixes:
    if not prefixes:
        return None
    return tuple(collapse_addresses(prefix for prefix in prefixes if prefix.version == family))  # type: ignore[type-var]
