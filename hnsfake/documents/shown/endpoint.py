"""An endpoint as HNS shows it.

v1's shape: outputs of Get-HnsEndpoint published in projectcalico/calico#4682 and
ovn-kubernetes/ovn-kubernetes#580. v2's shape: microsoft/hcsshim hcn/hcnendpoint.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint, EndpointFlags
from hnsfake.documents.network import DEFAULT_ROUTES, Network

ENCAP_OVERHEAD = 50
"""Bytes of encapsulation; in every endpoint document, whatever the driver (projectcalico/calico#4682)."""


def endpoint_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    """Return HNSEndpoint."""
    view: dict[str, Any] = {
        "ActivityId": endpoint.activity_id,
        "AdditionalParams": {},
        "CreateProcessingStartTime": endpoint.created,
        **endpoint.dns.v1(),
        "EncapOverhead": ENCAP_OVERHEAD,
        "Flags": 0,
        "Health": {"LastErrorCode": 0, "LastUpdateTime": endpoint.created},
        "ID": endpoint.id,
        **_addresses_v1(endpoint),
        "InterfaceConstraint": {"InterfaceGuid": guids.ZERO},
        "IsRemoteEndpoint": endpoint.remote,
        "MacAddress": endpoint.mac,
        "Name": endpoint.name,
        "Policies": [policy.v1() for policy in endpoint.policies],
        "Resources": _resources(endpoint),
        "SharedContainers": list(endpoint.containers),
        "StartTime": endpoint.created,
        "State": int(endpoint.state),
        "Type": network.type,
        "Version": endpoint.version,
        "VirtualNetwork": network.id,
        "VirtualNetworkName": network.name,
    }
    optional: dict[str, Any] = {
        "DisableICC": True if endpoint.flags & EndpointFlags.DISABLE_ICC else None,
        "EnableInternalDNS": endpoint.enable_internal_dns or None,
        "EnableLowMetric": True if endpoint.flags & EndpointFlags.ENABLE_LOW_METRIC else None,
        "Namespace": {"ID": endpoint.namespace_id, "CompartmentGuid": endpoint.namespace_id}
        if endpoint.namespace_id
        else None,
    }
    view.update({key: value for key, value in optional.items() if value is not None})
    return dict(sorted(view.items()))


def endpoint_v2(endpoint: Endpoint, detailed: bool) -> dict[str, Any]:
    """Return HostComputeEndpoint."""
    return {
        "Dns": endpoint.dns.v2(),
        "Flags": endpoint.flags,
        "Health": {"Extra": {"Resources": _resources(endpoint), "SharedContainers": list(endpoint.containers)}}
        if detailed
        else {},
        "HostComputeNamespace": endpoint.namespace_id or guids.ZERO,
        "HostComputeNetwork": endpoint.network_id,
        "ID": endpoint.id,
        "IpConfigurations": [
            {"IpAddress": str(address.ip), "PrefixLength": address.prefix_length} for address in endpoint.addresses
        ],
        "MacAddress": endpoint.mac,
        "Name": endpoint.name,
        "Policies": [policy.v2() for policy in endpoint.policies],
        "Routes": [
            {"NextHop": route.next_hop, "DestinationPrefix": route.destination, "Metric": route.metric}
            for route in endpoint.routes
        ],
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


_V1_NAMES = {
    4: ("IPAddress", "PrefixLength", "GatewayAddress"),
    6: ("IPv6Address", "IPv6PrefixLength", "GatewayAddressV6"),
}


def _addresses_v1(endpoint: Endpoint) -> dict[str, Any]:
    """v1 has room for one address a family; the first counts."""
    view: dict[str, Any] = {}
    for address in endpoint.addresses:
        name, length, gateway = _V1_NAMES[address.ip.version]
        if name in view:
            continue
        view[name], view[length] = str(address.ip), address.prefix_length
        destination = DEFAULT_ROUTES[address.ip.version == 6]
        hop = next((route.next_hop for route in endpoint.routes if route.destination == destination), "")
        if hop:
            view[gateway] = hop
    return view


def _resources(endpoint: Endpoint) -> dict[str, Any]:
    # unverified: only the outer fields; the allocators need a record of a real machine a release.
    return {
        "AdditionalParams": {},
        "AllocationOrder": 0,
        "Allocators": [],
        "CompartmentOperationTime": 0,
        "Flags": 0,
        "Health": {"LastErrorCode": 0, "LastUpdateTime": endpoint.created},
        "ID": endpoint.resources_id,
        "PortOperationTime": 0,
        "State": 1,
        "SwitchOperationTime": 0,
        "VfpOperationTime": 0,
        "parentId": endpoint.activity_id,
    }
