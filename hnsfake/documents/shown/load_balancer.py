"""A load balancer as HNS shows it.

v1's shape: an output of Get-HnsPolicyList in projectcalico/calico#8465. v2's: microsoft/hcsshim
hcn/hcnloadbalancer.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents.load_balancer import ELB, LoadBalancer, PortMapping, PortMappingFlags
from hnsfake.documents.shown.policy_list import endpoints_v2, policy_list_v1


def load_balancer_v1(balancer: LoadBalancer) -> dict[str, Any]:
    """Return the load balancer's policy list, an ELB for each of its ports."""
    return policy_list_v1(balancer, [_elb(balancer, mapping) for mapping in balancer.port_mappings])


def load_balancer_v2(balancer: LoadBalancer) -> dict[str, Any]:
    """Return HostComputeLoadBalancer; its id is in lower case (kubernetes-sigs/sig-windows-tools#84)."""
    return {
        "ID": balancer.id.lower(),
        "HostComputeEndpoints": endpoints_v2(balancer),
        "SourceVIP": _source(balancer),
        "FrontendVIPs": [str(vip) for vip in balancer.vips],
        "PortMappings": [
            {
                "Protocol": mapping.protocol,
                "InternalPort": mapping.internal_port,
                "ExternalPort": mapping.external_port,
                "DistributionType": mapping.distribution,
                "Flags": mapping.flags,
            }
            for mapping in balancer.port_mappings
        ],
        "Flags": balancer.flags,
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def _elb(balancer: LoadBalancer, mapping: PortMapping) -> dict[str, Any]:
    view: dict[str, Any] = {
        "ExternalPort": mapping.external_port,
        "ILB": bool(mapping.flags & PortMappingFlags.ILB) or None,
        "InternalPort": mapping.internal_port,
        "IsDSR": balancer.dsr or None,
        "Protocol": mapping.protocol,
        "SourceVIP": _source(balancer),
        "Type": ELB,
        "VIPs": [str(vip) for vip in balancer.vips],
    }
    # unverified: how v1 shows a distribution type and the other flags; the published list has none of them.
    return {name: value for name, value in view.items() if value is not None}


def _source(balancer: LoadBalancer) -> str:
    return str(balancer.source_vip or "")
