"""ACL at a port: Switch rules in VFP's firewall layer, Host rules in the compartment's firewall.

The lower number wins; on equal numbers Block comes first.  # unverified: clients never tie the two.
Any Switch rule takes the default away: what no rule matches is dropped, both ways (microsoft/hcsshim#1059).

A flow has one verdict: that of the rules of the direction in which it began, for packets both ways. So
replies of an allowed flow pass, and a changed rule holds for flows that are there already, as VFP reconciles
its flows with new rules (Firestone, VFP, NSDI 2017). Rules therefore match the flow's ends, not the packet's:
the end that began it (``ct original`` source) and the end that answers (``ct reply`` source, which is past
any translation of the destination).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.dataplane.vfp.layers import BLOCKED, Layer, PortContext, Rules, any_of, elements, named
from hnsfake.documents.policies.acl import MAX_SWITCH_PRIORITY, Acl, Action, Direction, RuleType

_TCP, _UDP = 6, 17
_BEGINS, _ANSWERS = "ct original", "ct reply"

# Errors about a flow (ICMP), and neighbour discovery, which has no flow.
_BESIDE_FLOWS = "ct state related,untracked accept"


@dataclass(frozen=True, slots=True)
class _Firewall:
    """Where the rules of one type stand, and what happens to flows that none of them matches."""

    layers: dict[Direction, Layer]
    group: str
    defaults: dict[Direction, tuple[str, ...]]


_FIREWALLS = {
    RuleType.SWITCH: _Firewall(
        {Direction.IN: Layer.ACL_IN, Direction.OUT: Layer.ACL_OUT},
        "FW_CONTROLLER_GROUP",
        {Direction.IN: (), Direction.OUT: ()},
    ),
    # A Windows Server container's firewall lets TCP, UDP, ICMP and IGMP in and everything out
    # (MicrosoftDocs/Virtualization-Documentation, network-isolation-security).
    RuleType.HOST: _Firewall(
        {Direction.IN: Layer.HOST_IN, Direction.OUT: Layer.HOST_OUT},
        "WFP_GROUP",
        {
            Direction.IN: (named("meta l4proto { tcp, udp, icmp, igmp, ipv6-icmp } accept", "default"),),
            Direction.OUT: (named("accept", "default"),),
        },
    ),
}

# What falls through a layer: dropped without a word, on OUT at the egress further down.
_DROP = {Direction.IN: "counter drop", Direction.OUT: f"counter meta mark set {BLOCKED:#x}"}


def add(acls: Sequence[Acl], _context: PortContext, rules: Rules) -> None:
    """Add the rules of all ACLs of a port."""
    for rule_type, firewall in _FIREWALLS.items():
        chosen = [acl for acl in acls if acl.rule_type is rule_type and _has_effect(acl)]
        if chosen:
            _add(chosen, firewall, rules)


def _has_effect(acl: Acl) -> bool:
    """Tell whether a rule counts; a Switch rule past the weakest priority is as if it were not there."""
    return acl.rule_type is RuleType.HOST or acl.priority <= MAX_SWITCH_PRIORITY


def _add(acls: Sequence[Acl], firewall: _Firewall, rules: Rules) -> None:
    """Add a group a direction of flows, and let both layers look up the verdict there."""
    inward, outward = (f"{firewall.group}_{direction.name}" for direction in (Direction.IN, Direction.OUT))
    for direction, group in ((Direction.IN, inward), (Direction.OUT, outward)):
        ordered = _ordered(acl for acl in acls if acl.direction is direction)
        statements = [statement for acl in ordered for statement in _statements(acl)]
        rules.groups[group] = [*statements, *firewall.defaults[direction]]
    for direction, begun_here, answered in (
        (Direction.IN, inward, outward),
        (Direction.OUT, outward, inward),
    ):
        rules.add(
            firewall.layers[direction],
            _BESIDE_FLOWS,
            f"ct direction original jump {begun_here}",
            f"ct direction reply jump {answered}",
            _DROP[direction],
        )


def _ordered(acls: Iterable[Acl]) -> list[Acl]:
    """Sort the strongest first."""
    return sorted(acls, key=lambda acl: (acl.priority, acl.action is not Action.BLOCK))


# Clients give many endpoints the same rules, and send all rules of an endpoint again for every change of one.
@lru_cache(maxsize=256)
def _statements(acl: Acl) -> tuple[str, ...]:
    """Return what an ACL is in nftables: a rule a family of addresses."""
    # Pass is for tiers; as the last word it must not become an allow, so it decides nothing here.
    if acl.action is Action.PASS:
        return ()
    verdict = "accept" if acl.action is Action.ALLOW else "return"
    if acl.direction is Direction.IN:
        local, remote = _ANSWERS, _BEGINS
    else:
        local, remote = _BEGINS, _ANSWERS
    ends = ((local, acl.local_addresses, acl.local_ports), (remote, acl.remote_addresses, acl.remote_ports))
    ports = [f"{end} proto-src {_ports(ranges)}" for end, _, ranges in ends if ranges]
    protocols = acl.protocols or ((_TCP, _UDP) if ports else ())
    protocol = [f"meta l4proto {any_of(map(str, sorted(set(protocols))))}"] if protocols else []
    name = f"{acl.id or 'ACL'} {acl.action} {acl.direction} {acl.priority}"
    return tuple(
        named(" ".join([*protocol, *addresses, *ports, verdict]), name)
        for addresses in _addresses([(end, prefixes) for end, prefixes, _ in ends if prefixes])
    )


def _addresses(ends: list[tuple[str, tuple[IPNetwork, ...]]]) -> Iterator[list[str]]:
    """Write the match of addresses, once a family that all ends have; an empty one where no end is named."""
    if not ends:
        yield []
        return
    for version, word in ((4, "ip"), (6, "ip6")):
        chosen = [(end, [prefix for prefix in prefixes if prefix.version == version]) for end, prefixes in ends]
        if all(prefixes for _, prefixes in chosen):
            yield [f"{end} {word} saddr {elements(prefixes)}" for end, prefixes in chosen]


def _ports(ranges: tuple[tuple[int, int], ...]) -> str:
    """Write port ranges, those that overlap or touch joined."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return any_of(f"{low}-{high}" if low != high else str(low) for low, high in merged)
