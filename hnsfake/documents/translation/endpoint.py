"""An endpoint in both shapes.

v2's: HostComputeEndpoint (microsoft/hcsshim hcn/hcnendpoint.go). v1's: HNSEndpoint (internal/hns/hnsendpoint.go); what
HNS adds to it, as clients send whole documents back: outputs of Get-HnsEndpoint published in
projectcalico/calico#4682 and ovn-kubernetes/ovn-kubernetes#580.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_network
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.endpoint import (
    POLICIES,
    Address,
    Endpoint,
    EndpointFlags,
    EndpointRoute,
    EndpointV1,
    EndpointV2,
    IpConfigurationV2,
)
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import DEFAULT_ROUTES, Network
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.policies.values import read_mac
from hnsfake.documents.schema import Route, UnknownFields
from hnsfake.documents.translation.allocators import of_endpoint
from hnsfake.documents.translation.codecs import (
    AS_IS,
    HEALTH,
    IF_ANY,
    IGNORED,
    LIST,
    LOWER_GUID,
    NUMBER,
    READ,
    RELEASE_GUID,
    SHOWN,
    constant,
    derived,
    flag,
    of_all,
    policies_v1,
    policies_v2,
    read_ip,
    resources_of,
)
from hnsfake.documents.translation.dns import ENDPOINT_DNS, dns_places
from hnsfake.documents.translation.subnet import ROUTE_ROWS
from hnsfake.documents.translation.table import Around, Codec, Row, Table, about, at

ENCAP_OVERHEAD = 50
"""Bytes of encapsulation: of types whose ports have VFP (projectcalico/calico#4682, Azure/AKS#1367)."""

_MAX_METRIC = 0xFFFF
_GROUP = 1
"""The bit in a MAC's first byte that makes it one of many receivers."""
_NEW_ORDER = (
    *("ID", "Name", "Version", "AdditionalParams", "Resources", "State", "VirtualNetwork", "VirtualNetworkName"),
    *("Policies", "MacAddress", "EnableInternalDNS", "IPAddress", "PrefixLength", "GatewayAddress", "IPSubnetId"),
    *("IPv6Address", "IPv6PrefixLength", "GatewayAddressV6", "DNSServerList", "DNSSuffix", "DNSDomain", "Namespace"),
    *("Flags", "EncapOverhead", "SharedContainers", "IsRemoteEndpoint", "DisableICC", "EnableLowMetric"),
)
"""The order of an endpoint's members in HNS 13 and later."""


def _read_mac(text: str) -> str:
    """Check a MAC; it is kept in the case and form it was sent (projectcalico/calico#4682)."""
    if text:
        try:
            first, *others = bytes.fromhex(read_mac(text).replace("-", ""))
        except ValueError as error:
            raise HnsError(HResult.HCN_E_INVALID_ENDPOINT) from error
        if first & _GROUP or not any([first, *others]):
            raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)  # unverified: the code; no vNIC has such a MAC
    return text


def _read_length(pair: tuple[int, str]) -> int | None:
    length, address = pair
    if length == 0:
        return None
    if not 0 < length <= read_ip(address).max_prefixlen:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
    return length


def _read_route(route: Route) -> EndpointRoute:
    """Check a route and keep it as it was sent."""
    try:
        destination = ip_network(route.DestinationPrefix, strict=False)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_PREFIX) from error
    hop = read_ip(route.NextHop) if route.NextHop else None
    if hop is not None and not hop.is_unspecified and hop.version != destination.version:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)  # unverified: the code; no stack has such a route
    if not 0 <= route.Metric <= _MAX_METRIC:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
    return ROUTE.read(route)


def _read_ip_subnets(configurations: list[IpConfigurationV2]) -> tuple[str, ...]:
    read = (guids.read(one.IpSubnetId) for one in configurations if not one.IpAddress)
    return tuple(filter(None, read))


def _show_ip_subnet(endpoint: Endpoint, around: Around) -> str | None:
    subnets = around.network.subnets if around.network is not None else ()
    parts = (subnet.ip_subnet_of(address.ip) for subnet in subnets for address in endpoint.addresses)
    part = next(filter(None, parts), None)
    return part.id.lower() if part is not None else None


def _show_namespace(guid: str, around: Around) -> dict[str, str] | None:
    """HNS 9 shows none as zeros where v2 asked for the endpoint (Azure/AKS#1367); unverified: for local ones."""
    if not guid and (around.new or not around.of.asked_in_v2):
        return None
    return {"ID": guid.lower()} if around.new else {"ID": guid or guids.ZERO, "CompartmentGuid": guid or guids.ZERO}


def _show_policies(records: tuple[PolicyRecord, ...], around: Around) -> list[dict[str, Any]] | None:
    shown = [record.v1() for record in records]
    if around.new:
        return shown or None
    # unverified: for L2Tunnel
    if around.of.remote and around.network is not None and around.network.traits.name in ("L2Bridge", "L2Tunnel"):
        return [*(policy for policy in shown if policy["Type"] != "L2Driver"), {"Type": "L2Driver"}]
    return shown


def _show_overhead(_: Endpoint, around: Around) -> int | None:
    if around.network is not None and around.network.traits.vfp:
        return ENCAP_OVERHEAD
    return None if around.new else 0


def _show_allocators(around: Around) -> list[dict[str, Any]]:
    return of_endpoint(around.of, around.network) if around.network is not None else []


def _where(name: str, holds: Callable[[Endpoint], object], value: Any = None) -> Codec:
    """Return the codec of what HNS 9 shows of some endpoints: a value, or when the endpoint was made."""
    return derived(name, lambda one, _: (one.created if value is None else value) if holds(one) else None).until_12()


def _address(version: int) -> Codec:
    """Return the codec of v1's pair of address and length of a family, which has room for one: the first counts."""

    def read(pair: tuple[str, int]) -> tuple[Address, ...]:
        text, length = pair
        return (Address(read_ip(text), _read_length((length, text))),) if text else ()

    def show(addresses: tuple[Address, ...], _: Around) -> tuple[str, int | None] | None:
        for address in addresses:
            if address.ip.version == version:
                return str(address.ip), address.prefix_length
        return None

    return Codec(f"the first of IPv{version}", read, show)


def _gateway(version: int) -> Codec:
    """Return the codec of v1's gateway of a family: the default route, where there is an address of the family."""
    destination = DEFAULT_ROUTES[version == 6]

    def read(text: str) -> tuple[EndpointRoute, ...]:
        return (EndpointRoute(str(read_ip(text)), destination),) if text else ()

    def show(endpoint: Endpoint, _: Around) -> str | None:
        for route in endpoint.routes:
            if route.destination == destination:
                has_address = any(address.ip.version == version for address in endpoint.addresses)
                return route.next_hop or None if has_address else None
        return None

    return Codec(f"next hop of {destination}", read, show, whole=True)


def _of_network(name: str, show: Callable[[Network], Any]) -> Codec:
    return Codec(name, None, lambda _, around: show(around.network) if around.network is not None else None)


_HCSSHIM = "microsoft/hcsshim hcn/hcnendpoint.go"
_LENGTH = Codec("number; 0 is the subnet's", _read_length, lambda length, _: (length, None))
ROUTE = Table("endpoint's route", EndpointRoute, ROUTE_ROWS, v2=Route, inside=("", "Routes[]."), source=_HCSSHIM)
ADDRESS = Table(
    "endpoint's address",
    Address,
    (
        Row("ip", v2=at("IpAddress", Codec("address", read_ip, lambda ip, _: str(ip)))),
        Row("prefix_length", v2=at("PrefixLength IpAddress", _LENGTH)),
        Row("", v2=at("IpSubnetId", IGNORED), lost="without an address it is of the endpoint's ip_subnet_ids"),
    ),
    v2=IpConfigurationV2,
    inside=("", "IpConfigurations[]."),
    source=_HCSSHIM,
)
_MAC = Codec("MAC, as it was sent", _read_mac, AS_IS.show)
_ADDRESSES = Codec(
    "each an address",
    lambda configurations: tuple(ADDRESS.read(one) for one in configurations if one.IpAddress),
    lambda addresses, around: [ADDRESS.v2(one, around) for one in addresses],
)
_ROUTES = Codec(
    "each a route",
    lambda routes: tuple(map(_read_route, routes)),
    lambda routes, around: [ROUTE.v2(one, around) for one in routes],
)
_POLICIES_V1 = Codec("each a policy; left out where empty from HNS 13 on", policies_v1(POLICIES).read, _show_policies)
_NAME_OF_NETWORK = _of_network("name of its network", lambda network: network.name)
_RESOURCES = resources_of(
    lambda around: around.network.activity_id if around.network is not None else "", _show_allocators
)
_L2_DRIVER = "nothing; HNS 12 and before show L2Driver of a remote one of L2Bridge in v1, too"
_NO_MEMBER = "v2 has no member for it"
_V1_DNS, _V2_DNS = dns_places(ENDPOINT_DNS)

ENDPOINT = Table(
    "endpoint",
    Endpoint,
    (
        # v2's ids are in lower case on every release (Azure/azure-container-networking#3550; hnsdiag's lists,
        # kubernetes-sigs/sig-windows-tools#84).
        Row("id", at("ID", RELEASE_GUID), at("ID", LOWER_GUID)),
        Row("name", at("Name", AS_IS), at("Name", AS_IS)),
        Row("network_id", at("VirtualNetwork", RELEASE_GUID), at("HostComputeNetwork", LOWER_GUID)),
        Row(
            "network_name",
            at("VirtualNetworkName", Codec(_NAME_OF_NETWORK.name, AS_IS.read, _NAME_OF_NETWORK.show)),
            lost="it finds the network where there is no id",
        ),
        Row(
            "namespace_id",
            at("Namespace", Codec("object of GUIDs", None, _show_namespace)),
            at("HostComputeNamespace", LOWER_GUID),
            lost="v1's namespaces are joined by addresource",
        ),
        Row(
            "policies",
            at("Policies", _POLICIES_V1),
            at("Policies", policies_v2(POLICIES)),
            lost=_L2_DRIVER,
        ),
        Row(
            "addresses",
            at("IPAddress PrefixLength", _address(4)) + at("IPv6Address IPv6PrefixLength", _address(6)),
            at("IpConfigurations", _ADDRESSES),
            lost="v1 holds one address a family: the first",
        ),
        Row(
            "ip_subnet_ids",
            at("IPSubnetId", derived("the IP subnet of its address", _show_ip_subnet).since_13()),
            at("IpConfigurations", Codec("IpSubnetId of those without an address", _read_ip_subnets)),
            lost="asked for once; the address is shown",
        ),
        Row("dns", _V1_DNS, _V2_DNS, lost="what its own rows say"),
        Row(
            "routes",
            at("GatewayAddress", _gateway(4)) + at("GatewayAddressV6", _gateway(6)),
            at("Routes", _ROUTES),
            lost="v1 holds the default route of each family that has an address, without its metric",
        ),
        Row("mac", at("MacAddress", _MAC), at("MacAddress", _MAC)),
        Row(
            "flags",
            at("IsRemoteEndpoint", flag(EndpointFlags.REMOTE))
            + at("DisableICC", flag(EndpointFlags.DISABLE_ICC))
            + at("EnableLowMetric", flag(EndpointFlags.ENABLE_LOW_METRIC)),
            at("Flags", AS_IS),
            lost="v1 has a word for three bits",
            source="microsoft/SDN Kubernetes/windows/hns.v2.psm1",
        ),
        Row("", v2=at("Health", constant({}, "empty but for details"))),
        Row("activity_id", at("Resources", _RESOURCES), at("Health.Extra.Resources", _RESOURCES.in_detail())),
        Row(
            "containers",
            at("SharedContainers", LIST.only_shown()),
            at("Health.Extra.SharedContainers", LIST.only_shown().in_detail()),
        ),
        *of_all("Name", "AdditionalParams", "Health"),
        Row("enable_internal_dns", at("EnableInternalDNS", IF_ANY), lost=_NO_MEMBER),
        Row("state", at("State", NUMBER.only_shown())),
        Row("version", at("Version", SHOWN)),
        Row("activity_id", at("ActivityId", SHOWN.until_12())),
        Row("", at("CreateProcessingStartTime", _where("when a local one was made", lambda one: not one.remote))),
        Row("", at("StartTime", _where("when it was made, once attached", lambda one: one.compartment is not None))),
        Row("created", at("Health", HEALTH.until_12())),
        Row(
            "additional_params",
            at("AdditionalParams", Codec("object", AS_IS.read, lambda params, _: dict(params))),
            at("AdditionalParams", READ),
            lost="unverified: that v2 doesn't show it",
        ),
        Row("asked_in_v2", v2=at("", Codec("true", lambda _: True)), lost="HNS 9 shows more of what v2 asked for"),
        Row("", at("EncapOverhead", derived("50 of types with VFP; else 0 up to HNS 12", _show_overhead))),
        Row(
            "",
            at(
                "InterfaceConstraint",
                _where("none, asked for in v2", lambda one: one.asked_in_v2, {"InterfaceGuid": guids.ZERO}),
            ),
            source="Azure/AKS#1367",
        ),
        Row("", at("Type", _of_network("type of its network", lambda network: network.type).until_12())),
    ),
    v1=EndpointV1,
    v2=EndpointV2,
    order=_NEW_ORDER,
    source="microsoft/hcsshim hcn/hcnendpoint.go, internal/hns/hnsendpoint.go",
)


def read_endpoint(document: Mapping[str, Any], unknown: UnknownFields) -> Endpoint:
    """Read an endpoint's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_POLICY, HCN_E_INVALID_ENDPOINT, HCN_E_INVALID_IP.
    """
    return ENDPOINT.read(ENDPOINT.parse(document, unknown))


def endpoint_v1(endpoint: Endpoint, network: Network) -> dict[str, Any]:
    """Return HNSEndpoint, in the form of the release that made it."""
    return ENDPOINT.v1(endpoint, about(endpoint, network))


def endpoint_v2(endpoint: Endpoint, network: Network, detailed: bool) -> dict[str, Any]:
    """Return HostComputeEndpoint."""
    return ENDPOINT.v2(endpoint, about(endpoint, network, detailed=detailed))


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
