"""A network's subnets in both shapes: v1's have a gateway, v2's stand in ``Ipams`` and have routes."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import (
    DEFAULT_ROUTES,
    IPAddress,
    IPNetwork,
    IpSubnet,
    IpSubnetV2,
    Subnet,
    SubnetRoute,
    SubnetV1,
    SubnetV2,
)
from hnsfake.documents.policies import SUBNET_POLICIES
from hnsfake.documents.policies.record import table as by_type
from hnsfake.documents.schema import Route
from hnsfake.documents.translation.codecs import (
    AS_IS,
    GUID,
    HEALTH,
    IF_ANY,
    IGNORED,
    SHOWN,
    constant,
    derived,
    each_v1,
    each_v2,
    ip,
    of_all,
    policies_v1,
    policies_v2,
)
from hnsfake.documents.translation.table import Around, Codec, Row, Table, at

_SDN = "microsoft/SDN Kubernetes/windows/hns.v2.psm1"
_WSL = "microsoft/WSL#6457"
_HCSSHIM = "microsoft/hcsshim hcn/hcnnetwork.go"
_POLICIES = by_type(SUBNET_POLICIES)
_GATEWAY = ip(HResult.HCN_E_INVALID_NETWORK, "0.0.0.0", "::")


def _read_ip_prefix(text: str) -> IPNetwork:
    try:
        return ip_network(text)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_IP_SUBNET) from error  # unverified: the code


def _read_prefix(text: str) -> IPNetwork | None:
    if text in ("", *DEFAULT_ROUTES):
        return None
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_NETWORK) from error


def _read_gateway(routes: list[Route]) -> IPAddress | None:
    default = next((route for route in routes if route.DestinationPrefix in DEFAULT_ROUTES), None)
    return _GATEWAY.read(default.NextHop) if default and _GATEWAY.read else None


def _show_routes(subnet: Subnet, around: Around) -> list[dict[str, Any]]:
    routes = subnet.routes
    if not routes and subnet.gateway is not None:
        routes = (SubnetRoute(str(subnet.gateway), DEFAULT_ROUTES[subnet.gateway.version == 6]),)
    return [ROUTE.v2(route, around) for route in routes]


def _show_ip_subnets(subnet: Subnet, around: Around) -> list[dict[str, Any]] | None:
    if [one.prefix for one in subnet.ip_subnets] == [subnet.prefix]:
        return None  # unverified: whether v2 shows the one that every subnet has; hcsshim doesn't know them
    return [IP_SUBNET.v2(one, around) for one in subnet.ip_subnets]


def _object_type(_: Subnet, around: Around) -> int | None:
    return 5 if around.new or not around.of.traits.nat_name else None


ROUTE_ROWS = (
    Row("next_hop", v2=at("NextHop", AS_IS)),
    Row("destination", v2=at("DestinationPrefix", AS_IS)),
    Row("metric", v2=at("Metric", AS_IS)),
)
ROUTE = Table("route", SubnetRoute, ROUTE_ROWS, v2=Route, inside=("", "Ipams[].Subnets[].Routes[]."), source=_HCSSHIM)
IP_SUBNET = Table(
    "IP subnet",
    IpSubnet,
    (
        Row("id", at("ID", SHOWN), at("ID", GUID)),
        Row(
            "prefix",
            at("IpAddressPrefix", Codec("prefix", None, lambda prefix, _: str(prefix))),
            at("IpAddressPrefix", Codec("prefix", _read_ip_prefix, lambda prefix, _: str(prefix))),
        ),
        Row("flags", at("Flags", SHOWN), at("Flags", AS_IS)),
        Row("", at("AdditionalParams", constant({}))),
        Row("", at("Health", HEALTH)),
        Row("", at("ObjectType", constant(6))),
        Row("", at("Policies", constant([]))),
        Row("", at("State", constant(0))),
        Row("", v2=at("SchemaVersion", IGNORED)),
        *of_all()[1:],
    ),
    v2=IpSubnetV2,
    inside=("Subnets[].IpSubnets[].", "Ipams[].Subnets[].IpSubnets[]."),
    source=_SDN,
)
_PREFIX = Codec("prefix; 0.0.0.0/0 asks HNS to choose", _read_prefix, lambda prefix, _: str(prefix or ""))
SUBNET = Table(
    "subnet",
    Subnet,
    (
        Row(
            "id", at("ID", SHOWN), at("ID", GUID.only_read()), lost="hcsshim's v1 subnet has no id, so v1's is not read"
        ),
        Row("prefix", at("AddressPrefix", _PREFIX), at("IpAddressPrefix", _PREFIX)),
        Row(
            "gateway",
            at("GatewayAddress", _GATEWAY),
            at("Routes", Codec("next hop of the default route", _read_gateway)),
        ),
        Row(
            "routes",
            v2=at("Routes", Codec("each a route; that of the gateway", each_v2(ROUTE).read, _show_routes, whole=True)),
            lost="v1 has the gateway of the default route alone",
        ),
        Row("policies", at("Policies", policies_v1(_POLICIES)), at("Policies", policies_v2(_POLICIES).unless_empty())),
        Row(
            "flags",
            at("Flags", SHOWN.since_13()),
            at("Flags", IF_ANY),
            lost="hcsshim's v1 subnet has no flags, so v1's are not read",
        ),
        Row(
            "ip_subnets",
            at("IpSubnets", each_v1(IP_SUBNET).only_shown().since_13()),
            at("IpSubnets", Codec("each an IP subnet", each_v2(IP_SUBNET).read, _show_ip_subnets, whole=True)),
            lost="hcsshim's v1 subnet has none, so v1's are not read",
            source=_SDN,
        ),
        Row("", at("AdditionalParams", constant({})), source=_WSL),
        Row("", at("Health", HEALTH), source=_WSL),
        Row(
            "", at("ObjectType", derived("5, but of NAT up to HNS 12", _object_type)), source=f"{_WSL}, moby/moby#40128"
        ),
        Row("", at("State", constant(0)), source=_WSL),
        Row("", v2=at("SchemaVersion", IGNORED)),
        *of_all()[1:],
    ),
    v1=SubnetV1,
    v2=SubnetV2,
    inside=("Subnets[].", "Ipams[].Subnets[]."),
    source="microsoft/hcsshim hcn/hcnnetwork.go, internal/hns/hnsnetwork.go",
)


def read_subnet(subnet: SubnetV2) -> Subnet:
    """Read a v2 subnet; raise HnsError."""
    return SUBNET.read(subnet)


def read_ip_subnet(subnet: IpSubnetV2) -> IpSubnet:
    """Read an IP subnet; raise HnsError (HCN_E_INVALID_IP_SUBNET)."""
    return IP_SUBNET.read(subnet)
