"""SDNRoute at a port: NeedEncap without a next hop hands a prefix's traffic to the host's port.

Nothing of this "encapsulation" is seen on the wire (aws/amazon-vpc-cni-plugins plugins/vpc-bridge). With a
next hop it is another gateway for the prefix, which the compartment's routes carry.
"""

from __future__ import annotations

from collections.abc import Sequence

from hnsfake.dataplane.interface import RouteWant
from hnsfake.dataplane.vfp.layers import PortContext, Rules, named
from hnsfake.documents.policies import Policy
from hnsfake.documents.policies.sdn_route import SdnRoute


def add(policies: Sequence[SdnRoute], context: PortContext, rules: Rules) -> None:
    """Send what is for the host to the host's MAC."""
    for route in policies:
        if route.next_hop is not None or not route.need_encap or context.host_mac is None:
            continue
        family = "ip" if route.destination_prefix.version == 4 else "ip6"
        mac = context.host_mac.replace("-", ":").lower()
        match = f"{family} daddr {route.destination_prefix} ether daddr set {mac}"
        rules.egress.append(named(match, f"ROUTE_{context.endpoint.id}_{route.destination_prefix}"))


def routes(policies: Sequence[Policy]) -> list[RouteWant]:
    """Return the routes of policies that name a next hop."""
    return [
        RouteWant(policy.destination_prefix, policy.next_hop)
        for policy in policies
        if isinstance(policy, SdnRoute) and policy.next_hop is not None
    ]
