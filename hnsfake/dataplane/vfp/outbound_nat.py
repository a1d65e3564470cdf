"""OutBoundNAT at a port: TCP and UDP leave with the node's address and a port of the endpoint's block.

Only TCP and UDP are translated (kubernetes/website windows-networking); ICMP leaves as it is. Several
policies stand side by side, each with its own exceptions or destinations.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.dataplane.vfp.layers import Layer, PortContext, Rules, elements
from hnsfake.documents.policies.outbound_nat import OutboundNat


def add(policies: Sequence[OutboundNat], context: PortContext, rules: Rules) -> None:
    """Add one translation a policy."""
    for policy in policies:
        source = policy.virtual_ip or context.management_ip
        if not isinstance(source, IPv4Address) or context.endpoint.pool is None:
            continue  # IPv6 is translated by no release on a network that has a data plane here
        first, count = context.endpoint.pool
        for match in _destinations(policy):
            rules.add(
                Layer.NAT_OUT,
                f"{match} meta l4proto {{ tcp, udp }} snat ip to {source}:{first}-{first + count - 1}",
            )


def _destinations(policy: OutboundNat) -> list[str]:
    exceptions, destinations = _ipv4(policy.exceptions), _ipv4(policy.destinations)
    parts = []
    if policy.destinations:
        if not destinations:
            return []
        parts.append(f"ip daddr {elements(destinations)}")
    if exceptions:
        parts.append(f"ip daddr != {elements(exceptions)}")
    return [" ".join(parts) or "meta nfproto ipv4"]


def _ipv4(prefixes: tuple[IPNetwork, ...]) -> tuple[IPNetwork, ...]:
    return tuple(prefix for prefix in prefixes if prefix.version == 4)
