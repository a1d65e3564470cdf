"""An endpoint as HNS shows it.

v1's shape: outputs of Get-HnsEndpoint published in projectcalico/calico#4682 and
ovn-kubernetes/ovn-kubernetes#580. v2's shape: microsoft/hcsshim hcn/hcnendpoint.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint, EndpointFlags
from hnsfake.documents.network import DEFAULT_ROUTES, Network
from hnsfake.documents.shown.allocators import of_endpoint
from hnsfake.documents.shown.form import health, is_new, resources

ENCAP_OVERHEAD = 50
"""Bytes of encapsulation: of types whose ports have VFP (projectcalico/calico#4682, Azure/AKS#1367)."""

_NEW_ORDER = (
    *("ID", "Name", "Version", "AdditionalParams", "Resources", "State", "VirtualNetwork", "VirtualNetworkName"),
    *("Policies", "MacAddress", "EnableInternalDNS", "IPAddress", "PrefixLength", "GatewayAddress", "IPSubnetId"),
    *("IPv6Address", "IPv6PrefixLength", "GatewayAddressV6", "DNSServerList", "DNSSuffix", "DNSDomain", "Namespace"),
    *("Flags", "EncapOverhead", "SharedContainers", "IsRemoteEndpoint", "DisableICC", "EnableLowMetric"),
)
"""The order of an endpoint's members in HNS 13 and later."""


def endpoint_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    """Return HNSEndpoint, in the form of the release that made it."""
    return _new_v1(endpoint, network) if is_new(endpoint.version) else _old_v1(endpoint, network)


def _new_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    """HNS 13 and later: ids in lower case, no member for what isn't there."""
    view = _common_v1(endpoint, network)
    view["ID"], view["VirtualNetwork"] = endpoint.id.lower(), network.id.lower()
    if not view["Policies"]:
        del view["Policies"]
    parts = (subnet.ip_subnet_of(address.ip) for subnet in network.subnets for address in endpoint.addresses)
    if part := next(filter(None, parts), None):
        view["IPSubnetId"] = part.id.lower()
    if endpoint.namespace_id:
        view["Namespace"] = {"ID": endpoint.namespace_id.lower()}
    return {name: view[name] for name in _NEW_ORDER if name in view}


def _old_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    """HNS 9: alphabetical, ids in upper case.

    What was asked for in v2 shows what it has none of as zeros (Azure/AKS#1367).  # unverified: for local endpoints
    """
    view = _common_v1(endpoint, network)
    view.update({"ActivityId": endpoint.activity_id, "Health": health(endpoint.created), "Type": network.type})
    view.setdefault("EncapOverhead", 0)
    if not endpoint.remote:
        view["CreateProcessingStartTime"] = endpoint.created
    elif network.traits.name in ("L2Bridge", "L2Tunnel"):  # unverified: for L2Tunnel
        view["Policies"] = [*(p for p in view["Policies"] if p["Type"] != "L2Driver"), {"Type": "L2Driver"}]
    if endpoint.compartment is not None:
        view["StartTime"] = endpoint.created
    if endpoint.asked_in_v2:
        view["InterfaceConstraint"] = {"InterfaceGuid": guids.ZERO}
        view["Namespace"] = {"ID": guids.ZERO, "CompartmentGuid": guids.ZERO}
    if endpoint.namespace_id:
        view["Namespace"] = {"ID": endpoint.namespace_id, "CompartmentGuid": endpoint.namespace_id}
    return {name: view[name] for name in sorted(view)}


def _common_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    view: dict[str, Any] = {
        "AdditionalParams": dict(endpoint.additional_params),
        **endpoint.dns.v1(),
        "ID": endpoint.id,
        **_addresses_v1(endpoint),
        "MacAddress": endpoint.mac,
        "Name": endpoint.name,
        "Policies": [policy.v1() for policy in endpoint.policies],
        "Resources": _resources(endpoint, network),
        "SharedContainers": list(endpoint.containers),
        "State": int(endpoint.state),
        "Version": endpoint.version,
        "VirtualNetwork": network.id,
        "VirtualNetworkName": network.name,
    }
    optional: dict[str, Any] = {
        "DisableICC": True if endpoint.flags & EndpointFlags.DISABLE_ICC else None,
        "EnableInternalDNS": endpoint.enable_internal_dns or None,
        "EnableLowMetric": True if endpoint.flags & EndpointFlags.ENABLE_LOW_METRIC else None,
        "EncapOverhead": ENCAP_OVERHEAD if network.traits.vfp else None,
        "IsRemoteEndpoint": True if endpoint.remote else None,
    }
    view.update({key: value for key, value in optional.items() if value is not None})
    return view


def endpoint_v2(endpoint: Endpoint, network: Network, detailed: bool) -> dict[str, Any]:
    """Return HostComputeEndpoint; its own and its network's id are in lower case on every release.

    (Azure/azure-container-networking#3550; hnsdiag's lists, kubernetes-sigs/sig-windows-tools#84.)
    """
    extra = {"Resources": _resources(endpoint, network), "SharedContainers": list(endpoint.containers)}
    return {
        "ID": endpoint.id.lower(),
        "Name": endpoint.name,
        "HostComputeNetwork": endpoint.network_id.lower(),
        "HostComputeNamespace": endpoint.namespace_id.lower(),
        "Policies": [policy.v2() for policy in endpoint.policies],
        "IpConfigurations": [
            {"IpAddress": str(address.ip), "PrefixLength": address.prefix_length} for address in endpoint.addresses
        ],
        "Dns": endpoint.dns.v2(),
        "Routes": [
            {"NextHop": route.next_hop, "DestinationPrefix": route.destination, "Metric": route.metric}
            for route in endpoint.routes
        ],
        "MacAddress": endpoint.mac,
        "Flags": endpoint.flags,
        "Health": {"Extra": extra} if detailed else {},
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def _resources(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    allocators = of_endpoint(endpoint, network)
    return resources(endpoint.activity_id, network.activity_id, endpoint.created, endpoint.version, allocators)


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


def statistics_v1(
    endpoint: Endpoint,
    *,
    bytes_received: int,
    bytes_sent: int,
    packets_received: int,
    packets_sent: int,
    dropped_incoming: int,
    dropped_outgoing: int,
) -> dict[str, Any]:
    """Return HNSEndpointStats (microsoft/hcsshim internal/hns/hnsendpoint.go)."""
    return {
        "BytesReceived": bytes_received,
        "BytesSent": bytes_sent,
        "DroppedPacketsIncoming": dropped_incoming,
        "DroppedPacketsOutgoing": dropped_outgoing,
        "EndpointId": endpoint.id,
        "InstanceId": endpoint.activity_id,  # unverified: whose id this is
        "PacketsReceived": packets_received,
        "PacketsSent": packets_sent,
    }
