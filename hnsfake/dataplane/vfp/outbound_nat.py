"""OutBoundNAT at a port: TCP and UDP leave with the node's address and a port of the endpoint's block.

Only TCP and UDP are translated (kubernetes/website windows-networking); ICMP leaves as it is. Several
policies stand side by side, each with its own exceptions or destinations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import IPNetwork
from hnsfake.dataplane.vfp.layers import Layer, PortContext, Rules, elements, named
from hnsfake.documents.policies.outbound_nat import OutboundNat

_FORGETFUL = "outboundnat-exceptions-2019"


def add(policies: Sequence[OutboundNat], context: PortContext, rules: Rules) -> None:
    """Add one translation a policy, those for certain destinations before the general ones."""
    for policy in sorted(policies, key=lambda policy: not policy.destinations):
        source = policy.virtual_ip or context.management_ip
        if not isinstance(source, IPv4Address) or context.endpoint.pool is None:
            continue  # IPv6 is translated by no release on a network that has a data plane here
        destinations = _ipv4(policy.destinations)
        if policy.destinations and not destinations:
            continue  # for destinations of the other family only
        first, count = context.endpoint.pool
        exceptions = _survivors(policy.exceptions) if _FORGETFUL in context.quirks else policy.exceptions
        match = _match(destinations, _ipv4(exceptions))
        translation = named(
            f"{match} meta l4proto {{ tcp, udp }} snat ip to {source}:{first}-{first + count - 1}",
            f"SLB_NATPOOL_IPV4_{context.ipv4}{source}{context.endpoint.id}",
        )
        rules.add(Layer.NAT_OUT, translation)
        if context.ipv4 is not None and any(context.ipv4 in destination for destination in destinations):
            # What a load balancer sends back to its client gets another source, so that it is answered.
            rules.add(Layer.LOOPBACK_OUT, translation)


def _survivors(exceptions: Sequence[IPNetwork]) -> list[IPNetwork]:
    """Return one exception a base address: the first one (unverified)."""
    return list({prefix.network_address: prefix for prefix in reversed(exceptions)}.values())


def _match(destinations: Sequence[IPNetwork], exceptions: Sequence[IPNetwork]) -> str:
    parts = [f"ip daddr {elements(destinations)}"] if destinations else []
    parts += [f"ip daddr != {elements(exceptions)}"] if exceptions else []
    return " ".join(parts) or "meta nfproto ipv4"


def _ipv4(prefixes: Iterable[IPNetwork]) -> list[IPNetwork]:
    return [prefix for prefix in prefixes if prefix.version == 4]
