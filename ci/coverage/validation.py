"""What is checked of a field beyond its type; ``tests/contract/test_validation.py`` sends each what it must refuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from hnsfake.documents.hresults import HResult as H
from hnsfake.documents.schema import Document


@dataclass(frozen=True)
class Check:
    """What a field has to be, what HNS answers where it isn't, and something that it isn't."""

    wanted: str
    error: H
    bad: Any = "nonsense"


_GUID = Check("a GUID", H.HCN_E_GUID_CONVERSION_FAILURE)
_GUIDS = Check("GUIDs", H.HCN_E_GUID_CONVERSION_FAILURE, ["nonsense"])
_IP = Check("an address", H.HCN_E_INVALID_IP)
_IPS = Check("addresses", H.HCN_E_INVALID_IP, ["nonsense"])
_PREFIX = Check("a prefix", H.HCN_E_INVALID_NETWORK)
_LENGTH = Check("a prefix' length", H.HCN_E_INVALID_ENDPOINT, 129)
_POLICIES_V1 = Check("the policies' settings", H.HCN_E_INVALID_POLICY, [{"Type": "VLAN", "VLAN": 9999}])
_POLICIES = Check(
    "the policies' settings", H.HCN_E_INVALID_POLICY, [{"Type": "VLAN", "Settings": {"IsolationId": 9999}}]
)
_NAT = {"Type": "OutBoundNAT", "Settings": {"Exceptions": ["nowhere"]}}
_NAT_V1 = {"Type": "OutBoundNAT", "ExceptionList": ["nowhere"]}
_ROUTES = Check("the routes' settings", H.HCN_E_INVALID_POLICY, [{"DestinationPrefix": "nowhere"}])

CHECKS: Mapping[str, Check] = {
    "NetworkV1.ID": _GUID,
    "NetworkV1.Name": Check("no other network's", H.HCN_E_NETWORK_ALREADY_EXISTS, "taken"),
    "NetworkV1.Type": Check("a type of network", H.HCN_E_INVALID_NETWORK_TYPE),
    "NetworkV1.NetworkAdapterName": Check("an adapter of the host", H.HCN_E_ADAPTER_NOT_FOUND),
    "NetworkV1.Policies": _POLICIES_V1,
    "SubnetV1.AddressPrefix": _PREFIX,
    "SubnetV1.GatewayAddress": Check("an address in the prefix", H.HCN_E_INVALID_NETWORK, "10.9.0.1"),
    "SubnetV1.Policies": _POLICIES_V1,
    "MacRange.StartMacAddress": Check("a MAC, not after the end", H.HCN_E_INVALID_NETWORK),
    "MacRange.EndMacAddress": Check("a MAC", H.HCN_E_INVALID_NETWORK),
    "ExtensionState.Id": _GUID,
    "NetworkV2.ID": _GUID,
    "NetworkV2.Name": Check("no other network's", H.HCN_E_NETWORK_ALREADY_EXISTS, "taken"),
    "NetworkV2.Type": Check("a type of network", H.HCN_E_INVALID_NETWORK_TYPE),
    "NetworkV2.Policies": _POLICIES,
    "SubnetV2.ID": _GUID,
    "SubnetV2.IpAddressPrefix": _PREFIX,
    "SubnetV2.Policies": _POLICIES,
    "IpSubnetV2.ID": _GUID,
    "IpSubnetV2.IpAddressPrefix": Check("a part of the subnet", H.HCN_E_INVALID_IP_SUBNET),
    "EndpointV1.ID": _GUID,
    "EndpointV1.VirtualNetwork": _GUID,
    "EndpointV1.Policies": Check("the policies' settings", H.HCN_E_INVALID_POLICY, [_NAT_V1]),
    "EndpointV1.MacAddress": Check("a MAC that no other endpoint has", H.HCN_E_INVALID_ENDPOINT),
    "EndpointV1.IPAddress": _IP,
    "EndpointV1.IPv6Address": _IP,
    "EndpointV1.PrefixLength": _LENGTH,
    "EndpointV1.GatewayAddress": _IP,
    "EndpointV1.GatewayAddressV6": _IP,
    "EndpointV2.ID": _GUID,
    "EndpointV2.HostComputeNamespace": _GUID,
    "EndpointV2.Policies": Check("the policies' settings", H.HCN_E_INVALID_POLICY, [_NAT]),
    "EndpointV2.MacAddress": Check("a MAC that no other endpoint has", H.HCN_E_INVALID_ENDPOINT),
    "IpConfigurationV2.IpAddress": Check("an address of the network's", H.HCN_E_INVALID_IP),
    "IpConfigurationV2.PrefixLength": _LENGTH,
    "Route.NextHop": _IP,
    "Route.DestinationPrefix": Check("a prefix", H.HCN_E_INVALID_PREFIX),
    "Route.Metric": Check("0 to 65535", H.HCN_E_INVALID_ENDPOINT, 65536),
    "LoadBalancerV2.ID": _GUID,
    "LoadBalancerV2.HostComputeEndpoints": _GUIDS,
    "LoadBalancerV2.SourceVIP": _IP,
    "LoadBalancerV2.FrontendVIPs": _IPS,
    "SdnRouteV2.ID": _GUID,
    "SdnRouteV2.HostComputeEndpoints": _GUIDS,
    "SdnRouteV2.Setting": _ROUTES,
    "SdnRouteV2.Routes": _ROUTES,
    "PolicyListV1.ID": _GUID,
    "PolicyListV1.References": Check("paths of endpoints", H.HCN_E_INVALID_JSON_REFERENCE, ["nonsense"]),
    "ElbPolicyV1.Type": Check("ELB, or ROUTE", H.HCN_E_INVALID_POLICY_TYPE),
    "ElbPolicyV1.SourceVIP": _IP,
    "ElbPolicyV1.VIPs": _IPS,
    "NamespaceV1.ID": _GUID,
    "NamespaceV2.ID": _GUID,
    "NamespaceV2.Type": Check("a type of namespace", H.E_INVALIDARG),
    "ResourceEntry.Type": Check("Endpoint or Container", H.HCN_E_REQUEST_UNSUPPORTED),
    "ResourceEntry.Data": Check("a text as Id", H.HCN_E_INVALID_JSON, {"Id": 7}),
    "NamespaceResource.EndpointId": _GUID,
    "NamespaceResource.ContainerId": Check("not empty", H.E_INVALIDARG, ""),
    "ModifyRequest.ResourceType": Check("one that the object has", H.HCN_E_REQUEST_UNSUPPORTED),
    "ModifyRequest.RequestType": Check("Add, Remove, Update or Refresh", H.HCN_E_INVALID_JSON),
    "IpSubnetSettings.SubnetId": _GUID,
    "Query.Filter": Check("a JSON object", H.HCN_E_INVALID_JSON),
    "AttachRequest.SystemType": Check("Container or Host", H.HCN_E_REQUEST_UNSUPPORTED),
    "AttachRequest.ContainerID": Check("a compute system's", H.HCS_E_SYSTEM_NOT_FOUND),
    "AttachRequest.CompartmentID": Check("a compartment's", H.ERROR_NOT_FOUND, 999),
    "ManagementMacV1.MacAddress": Check("a MAC", H.E_INVALIDARG),
    "GuestNetworkServiceV2.ID": _GUID,
    "GuestNetworkServiceV2.VirtualMachineId": _GUID,
    "StateRequest.State": Check("a GuestNetworkServiceState", H.E_INVALIDARG),
    "PortRequest.Protocol": Check("a HCN_PORT_PROTOCOL", H.E_INVALIDARG, 9),
    "PortRequest.Access": Check("a HCN_PORT_ACCESS", H.E_INVALIDARG, 9),
    "PortRequest.Port": Check("1 to 65535, and free", H.E_INVALIDARG, 0),
    "PortRangeRequest.PortCount": Check("1 to 65535", H.E_INVALIDARG, 0),
    "SystemSettings.EndpointList": Check("GUIDs of endpoints", H.HCN_E_GUID_CONVERSION_FAILURE, ["nonsense"]),
    "SystemSettings.NetworkSharedContainerName": Check("a compute system's", H.HCS_E_SYSTEM_NOT_FOUND),
    "_Networking.Namespace": _GUID,
    "_Networking.NetworkSharedContainerName": Check("a compute system's", H.HCS_E_SYSTEM_NOT_FOUND),
    "ResourceModification.ResourceType": Check("Network", H.ERROR_NOT_SUPPORTED),
    "ResourceModification.RequestType": Check("Add or Remove", H.ERROR_NOT_SUPPORTED),
    "ResourceModification.Settings": _GUID,
}
"""By model and field."""

_BY_TYPE = "its type"


def validated(model: type[Document], name: str) -> str:
    """Return what is checked of a field: more than its type, where there is more."""
    found = [_range(model.model_fields[name])]
    if f"{model.__name__}.{name}" in CHECKS:
        check = CHECKS[f"{model.__name__}.{name}"]
        found = [f"{check.wanted} (`{check.error.name}`)"]
    elif name == "Flags" and any("AfterValidator" in type(one).__name__ for one in _marks(model.model_fields[name])):
        found.append("unknown flags are counted")
    elif any(isinstance(part, type) and issubclass(part, Document) for part in _parts(model.model_fields[name])):
        found.append("its members")
    return ", ".join(filter(None, found)) or _BY_TYPE


def _parts(field: FieldInfo) -> tuple[Any, ...]:
    return (field.annotation, *get_args(field.annotation))


def _marks(field: FieldInfo) -> list[Any]:
    return list(field.metadata)


def _range(field: FieldInfo) -> str:
    low = next((mark.ge for mark in field.metadata if isinstance(mark, Ge)), None)
    high = next((mark.le for mark in field.metadata if isinstance(mark, Le)), None)
    if low is None:
        return ""
    return f"{low} to {high}" if high is not None else f"{low} or more"
