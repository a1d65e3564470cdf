"""PortMapping at a port: what arrives for the node's address and port becomes the endpoint's.

The client's address stays; the answer's source is put back by the same flow.  # unverified: inferred from
the names of VFP's rules at a backend's port (microsoft/SDN Kubernetes/windows/debug/networkhealth.ps1).
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address

from hnsfake.dataplane.vfp.layers import Layer, PortContext, Rules, named
from hnsfake.documents.policies.port_mapping import PortMapping

_PROTOCOLS = {6: "tcp", 17: "udp"}


def add(policies: Sequence[PortMapping], context: PortContext, rules: Rules) -> None:
    """Add one translation a mapping."""
    for mapping in policies:
        vip = mapping.vip or context.management_ip
        protocol = _PROTOCOLS.get(mapping.protocol)
        if not isinstance(vip, IPv4Address) or protocol is None or context.ipv4 is None:
            continue
        rules.add(
            Layer.NAT_IN,
            named(
                f"ip daddr {vip} {protocol} dport {mapping.external_port}"
                f" dnat ip to {context.ipv4}:{mapping.internal_port}",
                f"NAT_{context.endpoint.id}_{vip}_{mapping.external_port}_{mapping.protocol}",
            ),
        )
