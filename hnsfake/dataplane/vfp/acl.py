"""ACL at a port: Switch rules in VFP's firewall layer, Host rules in the compartment's firewall.

The lower number wins; on equal numbers Block comes first.  # unverified: clients never tie the two.
Any Switch rule takes the default away: what no rule matches is dropped, both ways (microsoft/hcsshim#1059).
Replies of an allowed flow pass (Firestone, VFP, NSDI 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.dataplane.vfp.layers import ALLOWED, BLOCKED, Layer, PortContext, Rules, elements
from hnsfake.documents.policies.acl import MAX_SWITCH_PRIORITY, Acl, Action, Direction, RuleType

_LAYERS = {
    (RuleType.SWITCH, Direction.IN): Layer.ACL_IN,
    (RuleType.SWITCH, Direction.OUT): Layer.ACL_OUT,
    (RuleType.HOST, Direction.IN): Layer.HOST_IN,
    (RuleType.HOST, Direction.OUT): Layer.HOST_OUT,
}
_BLOCK = {Direction.IN: "drop", Direction.OUT: f"meta mark set {BLOCKED:#x} accept"}
_ALLOW = f"ct mark set ct mark or {ALLOWED:#x} accept"
_ESTABLISHED = f"ct state established,related ct mark and {ALLOWED:#x} == {ALLOWED:#x} accept"

# What a Windows Server container's firewall lets in by itself
# (MicrosoftDocs/Virtualization-Documentation network-isolation-security): TCP, UDP, ICMP, IGMP.
_HOST_DEFAULT = {
    Direction.IN: ("meta l4proto { tcp, udp, icmp, igmp, ipv6-icmp } accept", "drop"),
    Direction.OUT: (),
}


def add(acls: Sequence[Acl], _context: PortContext, rules: Rules) -> None:
    """Add the rules of all ACLs of a port."""
    for rule_type in RuleType:
        chosen = [acl for acl in acls if acl.rule_type is rule_type]
        if not chosen:
            continue
        for direction in Direction:
            layer = _LAYERS[rule_type, direction]
            rules.add(layer, _ESTABLISHED)
            for acl in _ordered(acl for acl in chosen if acl.direction is direction):
                rules.add(layer, *_statements(acl))
            default = _HOST_DEFAULT[direction] if rule_type is RuleType.HOST else (_BLOCK[direction],)
            rules.add(layer, *default)


def _ordered(acls: Iterable[Acl]) -> list[Acl]:
    """Sort the strongest first; a Switch rule weaker than the weakest valid priority has no effect."""
    valid = (acl for acl in acls if acl.rule_type is RuleType.HOST or acl.priority <= MAX_SWITCH_PRIORITY)
    return sorted(valid, key=lambda acl: (acl.priority, acl.action is not Action.BLOCK))


def _statements(acl: Acl) -> list[str]:
    # Pass is for tiers; as the last word it must not become an allow, so it decides nothing here.
    if acl.action is Action.PASS:
        return []
    verdict = _ALLOW if acl.action is Action.ALLOW else _BLOCK[acl.direction]
    inward = acl.direction is Direction.IN
    source, destination = (
        (acl.remote_addresses, acl.local_addresses) if inward else (acl.local_addresses, acl.remote_addresses)
    )
    source_ports, destination_ports = (
        (acl.remote_ports, acl.local_ports) if inward else (acl.local_ports, acl.remote_ports)
    )
    protocols = _protocols(acl, bool(source_ports or destination_ports))
    ports = " ".join(filter(None, (_ports("sport", source_ports), _ports("dport", destination_ports))))
    return [
        " ".join(part for part in (protocols, family, ports, verdict) if part)
        for family in _addresses(source, destination)
    ]


def _protocols(acl: Acl, with_ports: bool) -> str:
    numbers = acl.protocols or ((6, 17) if with_ports else ())
    return f"meta l4proto {{ {', '.join(map(str, sorted(set(numbers))))} }}" if numbers else ""


def _ports(which: str, ranges: tuple[tuple[int, int], ...]) -> str:
    if not ranges:
        return ""
    merged = _merged(sorted(ranges))
    return (
        f"th {which} {{ {', '.join(f'{low}-{high}' if low != high else str(low) for low, high in merged)} }} "
    )


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that overlap or touch."""
    merged: list[tuple[int, int]] = []
    for low, high in ranges:
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _addresses(source: tuple[IPNetwork, ...], destination: tuple[IPNetwork, ...]) -> list[str]:
    """Write the address match once a family that both ends can have; an empty one where neither is named."""
    if not source and not destination:
        return [""]
    matches = []
    for version, word in ((4, "ip"), (6, "ip6")):
        sources = tuple(prefix for prefix in source if prefix.version == version)
        destinations = tuple(prefix for prefix in destination if prefix.version == version)
        if bool(source) != bool(sources) or bool(destination) != bool(destinations):
            continue
        parts = [f"{word} saddr {elements(sources)}"] if sources else []
        parts += [f"{word} daddr {elements(destinations)}"] if destinations else []
        matches.append(" ".join(parts))
    return matches
