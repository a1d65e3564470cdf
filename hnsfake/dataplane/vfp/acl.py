"""ACL at a port: Switch rules in VFP's firewall layer, Host rules in the compartment's firewall.

The lower number wins; on equal numbers Block comes first.  # unverified: clients never tie the two.
Any Switch rule takes the default away: what no rule matches is dropped, both ways (microsoft/hcsshim#1059).

A flow has one verdict: that of the rules of the direction in which it began, for packets both ways. So
replies of an allowed flow pass, and a changed rule holds for flows that are there already, as VFP reconciles
its flows with new rules (Firestone, VFP, NSDI 2017). Rules therefore match the flow's ends, not the packet's:
the end that began it (``ct original`` source) and the end that answers (``ct reply`` source, which is past
any translation of the destination).

A flow that was let through carries that in its mark, beside the number of the rules that said so: its further
packets cost the same whatever rules there are, and with other rules it is judged again. A flow's first packet is
looked up in sets (``acl_sets``) where there are more than a few rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from hnsfake.dataplane.vfp import acl_sets
from hnsfake.dataplane.vfp.acl_matches import FAMILIES, AclWords, Prefixes, addresses_of, joined, name_of, protocols_of
from hnsfake.dataplane.vfp.layers import (
    BLOCKED,
    PASSED_HOST,
    PASSED_SWITCH,
    PROFILE,
    RULES,
    Layer,
    PortContext,
    Rules,
    any_of,
    named,
)
from hnsfake.documents.policies import TierAcl
from hnsfake.documents.policies.acl import MAX_SWITCH_PRIORITY, Acl, Action, Direction, RuleType
from hnsfake.documents.policies.proxy import FiveTuple

_BEGINS, _ANSWERS = "ct original", "ct reply"
_FEW = 8  # as many rules cost no more than sets
_RULES_SHIFT = 12

# Errors about a flow (ICMP), and neighbour discovery, which has no flow.
_BESIDE_FLOWS = "ct state related,untracked accept"


@dataclass(frozen=True, slots=True)
class _Firewall:
    """Where the rules of one type stand, what marks flows that pass, and which pass where no rule matches."""

    layers: dict[Direction, Layer]
    group: str
    passed: int
    defaults: Mapping[Direction, str]


_FIREWALLS = {
    RuleType.SWITCH: _Firewall(
        {Direction.IN: Layer.ACL_IN, Direction.OUT: Layer.ACL_OUT},
        "FW_CONTROLLER_GROUP",
        PASSED_SWITCH,
        {},
    ),
    # A Windows Server container's firewall lets TCP, UDP, ICMP and IGMP in and everything out
    # (MicrosoftDocs/Virtualization-Documentation, network-isolation-security).
    RuleType.HOST: _Firewall(
        {Direction.IN: Layer.HOST_IN, Direction.OUT: Layer.HOST_OUT},
        "WFP_GROUP",
        PASSED_HOST,
        {Direction.IN: "meta l4proto { tcp, udp, icmp, igmp, ipv6-icmp }", Direction.OUT: ""},
    ),
}

# What falls through a layer: dropped without a word, on OUT at the egress further down.
_DROP = {Direction.IN: "counter drop", Direction.OUT: f"counter meta mark set {BLOCKED:#x}"}


def add(policies: Sequence[Acl | TierAcl], context: PortContext, rules: Rules) -> None:
    """Add the rules of all ACLs of a port, and of its tiers."""
    number = _number(context.interface, policies)
    acls = [policy for policy in policies if isinstance(policy, Acl)]
    tiers = sorted((policy for policy in policies if isinstance(policy, TierAcl)), key=lambda tier: tier.order)
    for rule_type, firewall in _FIREWALLS.items():
        chosen = [acl for acl in acls if acl.rule_type is rule_type and _has_effect(acl)]
        before = tiers if rule_type is RuleType.SWITCH else []
        if chosen or before:
            _add(chosen, before, firewall, number, rules)
    if rules.layers and "acl-update-resets-flows" in context.quirks:
        _reset_flows(number, rules)


def _reset_flows(number: int, rules: Rules) -> None:
    """Reset at the peer what other rules of the port let pass before, and lose what the pod sends of it."""
    others = f"meta l4proto tcp ct mark & {RULES:#x} != {{ 0, {number:#x} }}"
    for layer, end in (
        (Layer.ACL_IN, "counter reject with tcp reset"),
        (Layer.ACL_OUT, f"{_DROP[Direction.OUT]} accept"),
    ):
        rules.layers[layer] = [f"{others} {end}", *rules.layers.get(layer, [])]


def drop_all(rules: Rules) -> None:
    """Lose all packets of a port, both ways."""
    for direction, layer in _FIREWALLS[RuleType.SWITCH].layers.items():
        rules.add(layer, _DROP[direction])


def _has_effect(acl: Acl) -> bool:
    """Tell whether a rule counts; a Switch rule past the weakest priority is as if it were not there."""
    return acl.rule_type is RuleType.HOST or acl.priority <= MAX_SWITCH_PRIORITY


def _number(interface: str, policies: Sequence[Acl | TierAcl]) -> int:
    """Return the number of a port's rules. Others have another: all but certainly, and it matters to flows alone."""
    number = crc32(repr((interface, *policies)).encode()) & (RULES >> _RULES_SHIFT)
    return (number or 1) << _RULES_SHIFT


def _add(acls: Sequence[Acl], tiers: Sequence[TierAcl], firewall: _Firewall, number: int, rules: Rules) -> None:
    """Add the groups of a firewall, and let both layers look up the verdict there."""
    passes = f"ct mark set ct mark | {firewall.passed:#x} accept"
    firsts: dict[Direction, str] = {}
    for direction in Direction:
        group = f"{firewall.group}_{direction.name}"
        judged = _judged_by_tiers(group, [tier for tier in tiers if tier.direction is direction], passes, rules)
        chosen = [acl for acl in acls if acl.direction is direction]
        judged += _judged(group, chosen, direction, AclWords(passes, "return"), rules)
        # Tiers alone leave the default in place.  # unverified: nobody says what it is then
        match = firewall.defaults.get(direction) if acls else ""
        default = [] if match is None else [named(f"{match} {passes}".strip(), "default")]
        firsts[direction] = _group(group, judged + _Judged(default, default), rules)
    for direction, other in ((Direction.IN, Direction.OUT), (Direction.OUT, Direction.IN)):
        rules.add(
            firewall.layers[direction],
            _BESIDE_FLOWS,
            f"ct mark & {RULES:#x} != {number:#x} ct mark set ct mark & {PROFILE:#x} | {number:#x}",
            f"ct mark & {firewall.passed:#x} != 0 accept",
            f"ct direction original jump {firsts[direction]}",
            f"ct direction reply jump {firewall.group}_{other.name}",
            _DROP[direction],
        )


@dataclass(frozen=True, slots=True)
class _Judged:
    """Statements that judge a flow by its first packet, and by any other."""

    first: list[str]
    other: list[str]

    def __add__(self, more: _Judged) -> _Judged:
        return _Judged(self.first + more.first, self.other + more.other)


def _judged_by_tiers(group: str, tiers: Sequence[TierAcl], passes: str, rules: Rules) -> _Judged:
    """Let tiers judge one after the other; what a tier passes on, or has no rule for, is the next one's."""
    judged = _Judged([], [])
    words = AclWords(passes, f"meta mark set {BLOCKED:#x} return", "return")
    blocked = f"meta mark {BLOCKED:#x} return"
    for order, tier in enumerate(tiers):
        name = f"{group}_TIER_{order}"
        first = _group(name, _judged(name, _rules_of(tier), tier.direction, words, rules), rules)
        judged += _Judged([f"jump {first}", blocked], [f"jump {name}", blocked])
    return judged


def _judged(group: str, acls: Iterable[Acl], direction: Direction, words: AclWords, rules: Rules) -> _Judged:
    ordered = tuple(_ordered(acls))
    plain = [rule for acl in ordered for rule in _statements(acl, words)]
    if len(plain) <= _FEW or not acl_sets.fit(ordered):
        return _Judged(plain, plain)
    found = acl_sets.found(group, ordered, direction, words)
    rules.sets |= found.sets
    return _Judged(list(found.statements), plain)


def _group(name: str, judged: _Judged, rules: Rules) -> str:
    """Add a group; return the name of the chain for first packets."""
    rules.groups[name] = judged.other
    if judged.first == judged.other:
        return name
    rules.groups[f"{name}_FIRST"] = judged.first
    return f"{name}_FIRST"


def _rules_of(tier: TierAcl) -> list[Acl]:
    """Return a tier's rules as ACLs; they were read already."""
    return [
        Acl.model_construct(
            id=f"{tier.name} {rule.id}".strip(),
            direction=tier.direction,
            **{name: getattr(rule, name) for name in ("action", *FiveTuple.model_fields)},
        )
        for rule in tier.rules
    ]


def _ordered(acls: Iterable[Acl]) -> list[Acl]:
    """Sort the strongest first."""
    return sorted(acls, key=lambda acl: (acl.priority, acl.action is not Action.BLOCK))


# Clients give many endpoints the same rules, and send all rules of an endpoint again for every change of one.
@lru_cache(maxsize=4096)
def _statements(acl: Acl, words: AclWords) -> tuple[str, ...]:
    """Return what an ACL is in nftables: a rule a family of addresses."""
    verdict = words.of(acl.action)
    if verdict is None:
        return ()
    if acl.direction is Direction.IN:
        local, remote = _ANSWERS, _BEGINS
    else:
        local, remote = _BEGINS, _ANSWERS
    ports = [
        f"{end} proto-src {any_of(_range(low, high) for low, high in joined(ranges))}"
        for end, ranges in ((local, acl.local_ports), (remote, acl.remote_ports))
        if ranges
    ]
    protocols = protocols_of(acl)
    protocol = [f"meta l4proto {any_of(map(str, protocols))}"] if protocols else []
    return tuple(
        named(" ".join([*protocol, *_addresses(family, {local: here, remote: there}), *ports, verdict]), name_of(acl))
        for family, here, there in addresses_of(acl)
    )


def _addresses(family: int | None, ends: Mapping[str, Prefixes]) -> list[str]:
    if family is None:
        return []
    return [
        f"{end} {FAMILIES[family]} saddr {any_of(map(str, prefixes))}" for end, prefixes in ends.items() if prefixes
    ]


def _range(low: int, high: int) -> str:
    return f"{low}-{high}" if low != high else str(low)
