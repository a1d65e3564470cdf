"""Our documents have the names and types of Microsoft's schema of HCN (golden/schema.yaml), or say why not."""

from __future__ import annotations

import types
from collections.abc import Iterator
from enum import IntFlag, StrEnum
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel

from hnsfake.documents import guest_network_service, modify, schema
from hnsfake.documents import policies as p
from hnsfake.documents.endpoint import EndpointFlags, EndpointV2, IpConfigurationV2
from hnsfake.documents.load_balancer import LoadBalancerFlags, LoadBalancerV2, PortMappingFlags, PortMappingV2
from hnsfake.documents.namespace import NamespaceType, NamespaceV2, ResourceEntry
from hnsfake.documents.network import (
    ExtensionState,
    IpamV2,
    IpSubnetFlags,
    IpSubnetV2,
    MacPoolV2,
    NetworkFlags,
    NetworkV2,
    SubnetFlags,
    SubnetV2,
)
from hnsfake.documents.network_types import TYPES
from hnsfake.documents.policies import port_mapping, proxy, tier_acl
from hnsfake.documents.policies.acl import Action, Direction, RuleType
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.policies.encryption import AuthenticationMethod, AuthenticationType, EncryptionMethod
from hnsfake.documents.policies.values import PROTOCOL_NUMBERS
from hnsfake.documents.query import Query
from hnsfake.documents.sdn_route import SdnRouteV2
from hnsfake.service.modifications import HANDLERS, REQUEST_TYPES

SCHEMA = yaml.safe_load((Path(__file__).parent / "golden" / "schema.yaml").read_text())
OBJECTS: dict[str, dict[str, str]] = SCHEMA["objects"]

DOCUMENTS: dict[str, type[BaseModel]] = {
    "Base": schema.ObjectDocument,
    "DNS": schema.DnsObject,
    "EndpointPolicy": schema.PolicyDocument,
    "Extension": ExtensionState,
    "GuestNetworkService": guest_network_service.GuestNetworkServiceV2,
    "GuestNetworkServiceStateRequest": guest_network_service.StateRequest,
    "HostComputeEndpoint": EndpointV2,
    "HostComputeLoadBalancer": LoadBalancerV2,
    "HostComputeNamespace": NamespaceV2,
    "HostComputeNetwork": NetworkV2,
    "HostComputeQuery": Query,
    "HostComputeRoute": SdnRouteV2,
    "IPSubnetNetworkRequest": modify.IpSubnetSettings,
    "IpConfig": IpConfigurationV2,
    "IpSubnet": IpSubnetV2,
    "Ipam": IpamV2,
    "LoadBalancerPortMapping": PortMappingV2,
    "MacPool": MacPoolV2,
    "MacRange": schema.MacRange,
    "ModifyEndpointSettingRequest": modify.ModifyRequest,
    "ModifyGuestNetworkServiceSettingRequest": modify.ModifyRequest,
    "ModifyNamespaceSettingRequest": modify.ModifyRequest,
    "ModifyNetworkSettingRequest": modify.ModifyRequest,
    "NamespaceResource": ResourceEntry,
    "NetworkPolicy": schema.PolicyDocument,
    "PolicyEndpointRequest": modify.PolicySettings,
    "PolicyNetworkRequest": modify.PolicySettings,
    "Route": schema.Route,
    "Subnet": SubnetV2,
    "SubnetNetworkRequest": modify.SubnetSettings,
    "SubnetPolicy": schema.PolicyDocument,
    "Version": schema.DocumentVersion,
    "VmEndpointRequest": modify.VmPort,
}
POLICIES: dict[str, type[BaseModel]] = {
    "AclPolicySetting": p.Acl,
    "AutomaticDNSNetworkPolicySetting": p.AutomaticDns,
    "CommonAclPolicySetting": p.Acl,
    "CommonL4ProxyPolicySetting": p.L4Proxy,
    "DrMacAddressNetworkPolicySetting": p.DrMacAddress,
    "EncapOverheadEndpointPolicySetting": p.EncapOverhead,
    "EncryptionPolicySetting": p.Encryption,
    "FiveTuple": proxy.FiveTuple,
    "FiveTuple_2": proxy.FiveTuple,
    "HostRoutePolicySetting": p.HostRoute,
    "InterfaceConstraintEndpointPolicySetting": p.InterfaceConstraint,
    "InterfaceConstraintNetworkPolicySetting": p.InterfaceConstraint,
    "InterfaceParametersPolicySetting": p.InterfaceParameters,
    "IovPolicySetting": p.Iov,
    "L4ProxyPolicySetting": p.L4Proxy,
    "L4ProxyPolicySetting_2": p.L4Proxy,
    "L4WfpProxyPolicySetting": p.L4WfpProxy,
    "LayerConstraintNetworkPolicySetting": p.LayerConstraint,
    "NetAdapterNameNetworkPolicySetting": p.NetAdapterName,
    "NetworkAclPolicySetting": p.NetworkAcl,
    "OutboundNatPolicySetting": p.OutboundNat,
    "PortMappingPolicySetting": p.PortMapping,
    "PortnameEndpointPolicySetting": p.PortName,
    "PrioritizedAuthenticationMethod": AuthenticationMethod,
    "ProviderAddressEndpointPolicySetting": p.ProviderAddress,
    "ProviderAddressNetworkPolicySetting": p.ProviderAddress,
    "ProxyExceptions": proxy.ProxyExceptions,
    "QosPolicySetting": p.Qos,
    "RemoteSubnetRoutePolicySetting": p.RemoteSubnetRoute,
    "SDNRoutePolicySetting": p.SdnRoute,
    "SetPolicySetting": p.SetPolicy,
    "SourceMacAddressNetworkPolicySetting": p.SourceMacAddress,
    "TierAclPolicySetting": p.TierAcl,
    "TierAclRule": tier_acl.TierAclRule,
    "VSwitchExtensionNetworkPolicySetting": p.VSwitchExtension,
    "VlanPolicySetting": p.Vlan,
    "VsidPolicySetting": p.Vsid,
    "VxlanPortPolicySetting": p.VxlanPort,
}
_GUEST = "between HNS and the service inside a VM; there are no VMs here"
_SHOWN = "HNS writes it, nobody sends it; what is in it, other tests say"
_WITHIN = "a part of settings that are kept as they came"
NOT_READ = {
    **dict.fromkeys(
        (
            *("GuestEndpoint", "GuestEndpointState", "GuestFirewall", "GuestModifySettingRequest", "GuestNamespace"),
            *("GuestService", "ModifyGuestEndpointSettingRequest", "ModifyGuestNamespaceSettingRequest"),
            *("NamespaceResource_2", "InterfaceNotificationMessage", "DNS_2", "IPAddress", "MacAddress", "Neighbor"),
            *("NetworkInterface", "RegistryKey", "RegKey", "Route_2", "Xlat", "GuestNetworkServiceInterface"),
            "RpcConnectionInformation",
        ),
        _GUEST,
    ),
    **dict.fromkeys(
        (
            *("Health", "ExtraParams", "Telemetry", "Response", "ModifySettingResponse", "NotificationBase"),
            *("ModifyNamespaceSettingResponse", "GuestNetworkServiceNotificationData"),
        ),
        _SHOWN,
    ),
    **dict.fromkeys(("AuthenticationMethod", "AuthenticationCertificate", "AuthenticationPresharedKey"), _WITHIN),
    **dict.fromkeys(("EndpointAdditionalParams", "NetworkAdditionalParams"), _WITHIN),
    **dict.fromkeys(("NamespaceResourceContainer", "NamespaceResourceEndpoint"), "one field, read by ResourceEntry"),
    **dict.fromkeys(("NamespaceEndpointRequest", "NamespaceContainerRequest"), "one model reads both"),
    "ModifySettingRequest": "the base of the others",
    "BasePolicy": "no function takes one",
    "Feature": "no function takes one",
    "HostComputePolicyList": "v1's policy lists have References and Policies alone (microsoft/hcsshim internal/hns)",
}
LACKS: dict[str, str] = {}
HCSSHIM = "microsoft/hcsshim hcn"
ADDS = {
    "Extension.Name": "v1 shows it, and Antrea's document comes back with it",
    "HostComputeRoute.Setting": f"{HCSSHIM}/hcnroute.go calls Routes so",
    "OutboundNatPolicySetting.MaxPortPoolUsage": f"{HCSSHIM}/hcnpolicy.go",
    **{
        f"{name}.{field}": f"{HCSSHIM}/hcnpolicy.go calls them so"
        for name in ("CommonL4ProxyPolicySetting", "L4ProxyPolicySetting", "L4ProxyPolicySetting_2")
        for field in ("Exceptions", "OutboundNAT")
    },
    **{
        f"{name}.{field}": "how sets in addresses are read; no document has it"
        for name in ("CommonAclPolicySetting", "AclPolicySetting", "NetworkAclPolicySetting")
        for field in ("local_sets", "remote_sets")
    },
}
JSON_TYPES = {
    "string": str,
    "Guid": str,
    "bool": bool,
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), int),
    **dict.fromkeys(SCHEMA["flags"], int),
    **dict.fromkeys(SCHEMA["enums"], str),
}
NUMBERS_ARE_SENT = {
    "LoadBalancerPortMapping.Protocol": "hcsshim and kube-proxy send 6; the schema says that names are meant",
    "LoadBalancerPortMapping.DistributionType": "as its Protocol",
}


def _fields(name: str) -> dict[str, str]:
    own = dict(OBJECTS[name])
    base = own.pop("<", None)
    return {**(_fields(base) if base else {}), **own}


def _names(model: type[BaseModel]) -> set[str]:
    return {alias for name, field in model.model_fields.items() for alias in aliases(name, field)}


def _differences() -> Iterator[tuple[str, str]]:
    for name, model in {**DOCUMENTS, **POLICIES}.items():
        yield from (("lacks", f"{name}.{field}") for field in _fields(name).keys() - _names(model))
        yield from (("adds", f"{name}.{field}") for field in _names(model) - _fields(name).keys())


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema")
def test_every_object_of_the_schema_is_read_or_said_not_to_be() -> None:
    assert set(OBJECTS) == {*DOCUMENTS, *POLICIES, *NOT_READ}
    assert len(OBJECTS) == len(DOCUMENTS) + len(POLICIES) + len(NOT_READ)


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema")
def test_objects_have_the_fields_of_the_schema() -> None:
    assert {field for kind, field in _differences() if kind == "lacks"} == set(LACKS)


@pytest.mark.known("client code", HCSSHIM)
def test_fields_beside_those_of_the_schema_are_clients() -> None:
    assert {field for kind, field in _differences() if kind == "adds"} == set(ADDS)


def _plain(annotation: Any) -> set[Any]:
    """Return the JSON types that an annotation takes."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return {one for part in get_args(annotation) for one in _plain(part)} - {type(None)}
    if origin is list:
        return {list}
    return {dict if origin is dict or issubclass(annotation, BaseModel) else annotation}


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_fields_have_the_types_of_the_schema(name: str) -> None:
    model = DOCUMENTS[name]
    for field, kind in _fields(name).items():
        expected = list if kind.startswith("[") else JSON_TYPES.get(kind, dict)
        found = _plain(model.model_fields[field].annotation)
        assert (expected in found) != (f"{name}.{field}" in NUMBERS_ARE_SENT), f"{name}.{field} is {found}"


FLAGS: dict[str, type[IntFlag]] = {
    "EndpointFlags": EndpointFlags,
    "EntityFlags": NetworkFlags,
    "IPSubnetFlags": IpSubnetFlags,
    "LoadBalancerFlags": LoadBalancerFlags,
    "LoadBalancerPortMappingFlags": PortMappingFlags,
    "NatFlags": port_mapping.PortMappingFlags,
    "NetworkFlags": NetworkFlags,
    "SubnetFlags": SubnetFlags,
}
NO_FLAGS = {
    "GuestNetworkServiceFlags": "kept as they are; what they would do is done in a VM",
    "HostComputeQueryFlags": "the query's Flags is 0 or 1",
}


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema")
@pytest.mark.parametrize("name", FLAGS)
def test_flags_of_the_schema_are_known(name: str) -> None:
    documented = {1 << number for number in range(len(SCHEMA["flags"][name]) - 1)}
    if name == "EntityFlags":
        documented = {NetworkFlags.NON_PERSISTENT.value}  # the flag of the same name
    assert documented <= {flag.value for flag in FLAGS[name]}
    assert set(SCHEMA["flags"]) == {*FLAGS, *NO_FLAGS}


def _values(enum: type[StrEnum]) -> set[str]:
    return {member.value for member in enum}


def _resources(kind: str) -> set[str]:
    return {resource for noun, resource, _ in HANDLERS if noun.__name__ == kind}


ENUMS = {
    "ActionType": _values(Action),
    "AuthenticationType": _values(AuthenticationType),
    "DirectionType": _values(Direction),
    "EncryptionMethod": _values(EncryptionMethod),
    "EndpointPolicyType": {model.v2_type for model in p.ENDPOINT_POLICIES},
    "EndpointResourceType": _resources("Endpoint"),
    "GuestNetworkServiceResourceType": _resources("GuestNetworkService"),
    "GuestNetworkServiceState": set(guest_network_service.STATES),
    "ModifyRequestType": set(REQUEST_TYPES),
    "NamespaceResourceType": _resources("Namespace"),
    "NamespaceType": _values(NamespaceType),
    "NetworkMode": {kind.name for kind in TYPES.values()},
    "NetworkPolicyType": {model.v2_type for model in p.NETWORK_POLICIES},
    "NetworkResourceType": _resources("Network"),
    "ProtocolType": set(PROTOCOL_NUMBERS),
    "RuleType": _values(RuleType),
    "SetPolicyTypes": _values(p.SetType),
    "SubnetPolicyType": {model.v2_type for model in p.SUBNET_POLICIES},
}
NOT_ENUMS = {
    **dict.fromkeys(("GuestEndpointResourceType", "GuestNamespaceResourceType", "GuestResourceType"), _GUEST),
    **dict.fromkeys(("GuestNetworkServiceInterfaceState", "GuestNetworkServiceNotificationType"), _GUEST),
    "RpcEndpointType": _GUEST,
    "HostResourceType": "no object has one",
    "ProxyType": "no object has one",
    "IovInterruptModerationType": "any name and any number is kept; there is no SR-IOV",
    "IpamType": "any is kept; all but DHCP, in any case, are taken for Static",
    "LoadBalancerDistribution": "sent as a number of 0 to 2 (microsoft/hcsshim hcn/hcnloadbalancer.go)",
}
MISSING = {
    "ModifyRequestType": {"reset": "what it does to which resource is published nowhere; it is refused"},
    "NetworkMode": dict.fromkeys(
        ("mirrored", "infiniband", "constrainedics"), "of the type nothing but the name is published; it is refused"
    ),
    "ProtocolType": {"unknown": "no protocol"},
}


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema")
@pytest.mark.parametrize("name", ENUMS)
def test_words_of_the_schema_are_known(name: str) -> None:
    words = {word.lower() for word in SCHEMA["enums"][name]}
    assert words - {word.lower() for word in ENUMS[name]} == set(MISSING.get(name, {}))
    assert set(SCHEMA["enums"]) == {*ENUMS, *NOT_ENUMS}
