"""All rules of one port, as one nftables script.

Its tables carry the interface's name, so that ports in one compartment do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hnsfake.dataplane.vfp import acl, outbound_nat, port_mapping, sdn_route
from hnsfake.dataplane.vfp.layers import BLOCKED, Layer, PortContext, Rules
from hnsfake.documents.policies import Acl, OutboundNat, Policy, PortMapping, SdnRoute, TierAcl

_HANDLERS: Mapping[tuple[type[Policy], ...], Callable[[Any, PortContext, Rules], None]] = {
    (Acl, TierAcl): acl.add,
    (OutboundNat,): outbound_nat.add,
    (PortMapping,): port_mapping.add,
    (SdnRoute,): sdn_route.add,
}
_FAMILIES = ("inet", "netdev")

# Sent on to the loopback interface (always number 1) for a MAC that nobody has there, a packet is gone; its
# sender hears nothing.
_LOST = "ether daddr set 02:00:00:00:00:00 fwd to 1"


def ruleset(context: PortContext) -> str:
    """Return the script that makes a port's tables; empty for a port without rules.

    Where tables of the port may be there already, ``removal`` goes before it in the same script.
    """
    rules = Rules()
    if "kb5040437" in context.quirks:
        acl.drop_all(rules)
    for kinds, add in _HANDLERS.items():
        policies = [policy for policy in context.endpoint.policies if isinstance(policy, kinds)]
        if policies:
            add(policies, context, rules)
    return _inet(context.interface, rules) + _egress(context.interface, rules)


def removal(context: PortContext) -> str:
    """Return the script that removes a port's tables; it works whether they are there or not."""
    name = _table(context.interface)
    return "".join(f"table {family} {name}\ndelete table {family} {name}\n" for family in _FAMILIES)


def _inet(interface: str, rules: Rules) -> str:
    if not rules.layers:
        return ""
    sets = (_braces(f"set {name}", (content,)) for name, content in rules.sets.items())
    groups = (_chain(name, statements) for name, statements in rules.groups.items())
    layers = (_layer(interface, layer, rules.layers[layer]) for layer in Layer if layer in rules.layers)
    return _braces(f"table inet {_table(interface)}", (*sets, *groups, *layers))


def _layer(interface: str, layer: Layer, statements: list[str]) -> str:
    name, kind, hook, priority = layer.value
    way = "iifname" if hook == "prerouting" else "oifname"
    device = "lo" if layer is Layer.LOOPBACK_OUT else interface
    opening = (
        f"type {kind} hook {hook} priority {priority}; policy accept;",
        f'{way} != "{device}" accept',
    )
    return _chain(name, (*opening, *statements))


def _egress(interface: str, rules: Rules) -> str:
    """Write the stateless end of the port: blocked packets go no further, MACs are rewritten."""
    blocks = not rules.layers.keys().isdisjoint((Layer.ACL_OUT, Layer.HOST_OUT))
    statements = ([f"meta mark {BLOCKED:#x} {_LOST}"] if blocks else []) + rules.egress
    if not statements:
        return ""
    hook = f'type filter hook egress device "{interface}" priority 0; policy accept;'
    return _braces(f"table netdev {_table(interface)}", (_chain("EGRESS", (hook, *statements)),))


def _chain(name: str, statements: Iterable[str]) -> str:
    return _braces(f"chain {name}", (f"{statement}\n" for statement in statements))


def _braces(head: str, body: Iterable[str]) -> str:
    return f"{head} {{\n{''.join(body)}}}\n"


def _table(interface: str) -> str:
    return f"vfp_{interface}"
