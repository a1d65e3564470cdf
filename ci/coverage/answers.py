"""In which answers, and where in them, the fields of documents come back; and why some don't."""

from __future__ import annotations

from collections.abc import Mapping, Set

Touched = Mapping[tuple[str, ...], Set[str]]

_NETWORK, _ENDPOINT = "v2 Network", "v2 Endpoint"
PLACES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "NetworkV1": (("v1 networks", ""),),
    "SubnetV1": (("v1 networks", "Subnets."),),
    "ExtensionState": (("v1 networks", "Extensions."),),
    "ObjectDocument": ((_NETWORK, ""), (_ENDPOINT, "")),
    "NetworkV2": ((_NETWORK, ""),),
    "IpamV2": ((_NETWORK, "Ipams."),),
    "SubnetV2": ((_NETWORK, "Ipams.Subnets."),),
    "IpSubnetV2": ((_NETWORK, "Ipams.Subnets.IpSubnets."),),
    "MacPoolV2": ((_NETWORK, "MacPool."),),
    "MacRange": (("v1 networks", "MacPools."), (_NETWORK, "MacPool.Ranges.")),
    "EndpointV1": (("v1 endpoints", ""),),
    "EndpointV2": ((_ENDPOINT, ""),),
    "IpConfigurationV2": ((_ENDPOINT, "IpConfigurations."),),
    "DnsObject": ((_NETWORK, "Dns."), (_ENDPOINT, "Dns.")),
    "Route": ((_NETWORK, "Ipams.Subnets.Routes."), (_ENDPOINT, "Routes.")),
    "PolicyDocument": ((_NETWORK, "Policies."), (_ENDPOINT, "Policies.")),
    "DocumentVersion": ((_NETWORK, "SchemaVersion."),),
    "NamespaceV1": (("v1 namespaces", ""),),
    "NamespaceV2": (("v2 Namespace", ""),),
    "ResourceEntry": (("v1 namespaces", "ResourceList."), ("v2 Namespace", "Resources.")),
    "PolicyListV1": (("v1 policylists", ""),),
    "ElbPolicyV1": (("v1 policylists", "Policies."),),
    "LoadBalancerV2": (("v2 LoadBalancer", ""),),
    "PortMappingV2": (("v2 LoadBalancer", "PortMappings."),),
    "SdnRouteV2": (("v2 SdnRoute", ""),),
    "ManagementMacsV1": (("v1 accelnet", ""),),
    "ManagementMacV1": (("v1 accelnet", "MacAddressList."),),
}
"""By the model that reads a document; one that isn't here is a request's alone."""

_ONLY_V1 = "hcsshim's document has none; v1 shows it"
_NOT_SEEN = "in Microsoft's schema, and in no published v2 document"
NOT_RETURNED: Mapping[str, str] = {
    **dict.fromkeys((f"ObjectDocument.{name}" for name in ("Owner", "Telemetry", "State", "Version")), _NOT_SEEN),
    "ObjectDocument.AdditionalParams": _ONLY_V1,
    "NetworkV2.AdditionalParams": _ONLY_V1,
    "SubnetV2.ID": _ONLY_V1,
    "IpConfigurationV2.IpSubnetId": "hcsshim's document has none; v1 shows IPSubnetId",
    "LoadBalancerV2.HostComputeNetwork": _ONLY_V1,
    "SdnRouteV2.HostComputeNetwork": _ONLY_V1,
    "SdnRouteV2.Routes": "shown as Setting",
}
"""Fields of documents that come back, which don't themselves: why."""

_OF = {
    "endpoint": ("v1 endpoints", _ENDPOINT),
    "network": ("v1 networks", _NETWORK),
    "subnet": ("v1 networks", _NETWORK),
}


def came_back(touched: Touched, model: str, name: str) -> bool:
    """Whether a test got the field in an answer."""
    return any(touched.get(("returned", subject, f"{at}{name}")) for subject, at in PLACES.get(model, ()))


def policy_came_back(touched: Touched, of: str, types: Set[str]) -> bool:
    """Whether a test got the policy in an answer about one of the kinds of object that it is ``of``."""
    subjects = [subject for noun in of.split(", ") for subject in _OF[noun]]
    ats = ("Policies", "Ipams.Subnets.Policies", "Subnets.Policies")
    return any(
        touched.get(("returned", subject, f"{at}:{kind}")) for subject in subjects for at in ats for kind in types
    )
