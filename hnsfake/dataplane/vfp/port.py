"""All rules of one port, as one nftables script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hnsfake.dataplane.vfp import acl, outbound_nat, port_mapping, sdn_route
from hnsfake.dataplane.vfp.layers import BLOCKED, Layer, PortContext, Rules
from hnsfake.documents.policies import Acl, OutboundNat, Policy, PortMapping, SdnRoute

_HANDLERS: Mapping[type[Policy], Callable[[Any, PortContext, Rules], None]] = {
    Acl: acl.add,
    OutboundNat: outbound_nat.add,
    PortMapping: port_mapping.add,
    SdnRoute: sdn_route.add,
}


def ruleset(context: PortContext) -> str:
    """Return the script that makes a port's tables; empty for a port without rules."""
    rules = Rules()
    for kind, add in _HANDLERS.items():
        policies = [policy for policy in context.endpoint.policies if isinstance(policy, kind)]
        if policies:
            add(policies, context, rules)
    return _inet(context.interface, rules) + _egress(context.interface, rules)


def removal(context: PortContext) -> str:
    """Return the script that removes a port's tables; it works whether they are there or not."""
    name = _table(context.interface)
    return "".join(f"table {family} {name}\ndelete table {family} {name}\n" for family in ("inet", "netdev"))


def _inet(interface: str, rules: Rules) -> str:
    if not rules.layers:
        return ""
    chains = "".join(
        _chain(interface, layer, rules.layers[layer]) for layer in Layer if layer in rules.layers
    )
    return f"table inet {_table(interface)} {{\n{chains}}}\n"


def _chain(interface: str, layer: Layer, statements: list[str]) -> str:
    name, kind, hook, priority = layer.value
    other_way = (
        f'iifname != "{interface}" accept' if hook == "prerouting" else f'oifname != "{interface}" accept'
    )
    body = "\n".join((f"type {kind} hook {hook} priority {priority}; policy accept;", other_way, *statements))
    return f"chain {name} {{\n{body}\n}}\n"


def _egress(interface: str, rules: Rules) -> str:
    """Write the stateless end of the port: blocked packets go no further, MACs are rewritten."""
    blocks = any(layer in rules.layers for layer in (Layer.ACL_OUT, Layer.HOST_OUT))
    statements = ([f"meta mark {BLOCKED:#x} drop"] if blocks else []) + rules.egress
    if not statements:
        return ""
    hook = f'type filter hook egress device "{interface}" priority 0; policy accept;'
    body = "\n".join((hook, *statements))
    return f"table netdev {_table(interface)} {{\nchain EGRESS {{\n{body}\n}}\n}}\n"


def _table(interface: str) -> str:
    return f"vfp_{interface}"
