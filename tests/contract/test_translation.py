"""What goes from one face to the other and back comes back, but for what the tables say is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci.translation.page import PAGE, page
from hnsfake.documents.endpoint import Endpoint, EndpointRoute
from hnsfake.documents.load_balancer import LoadBalancer, LoadBalancerFlags, PortMappingFlags
from hnsfake.documents.namespace import NamespaceType
from hnsfake.documents.network import DEFAULT_ROUTES, Subnet, SubnetRoute
from hnsfake.documents.policies import ENDPOINT_POLICIES, NETWORK_POLICIES, L2Driver, Policy
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.translation import TABLES, rows
from hnsfake.documents.translation.endpoint import ENDPOINT
from hnsfake.documents.translation.form import is_new
from hnsfake.documents.translation.table import Row, Table, about

from .random_nouns import NETWORK, NOUNS
from .service import VERSION

VERSIONS = st.sampled_from([9 << 32, 13 << 32, 15 << 32 | 4])
POLICIES = tuple(dict.fromkeys((*NETWORK_POLICIES, *ENDPOINT_POLICIES)))


def _routes(endpoint: Endpoint) -> tuple[EndpointRoute, ...]:
    """The default route of each family that has an address, without its metric."""
    families = {address.ip.version for address in endpoint.addresses}
    hops = (
        next((route.next_hop for route in endpoint.routes if route.destination == DEFAULT_ROUTES[version == 6]), "")
        for version in (4, 6)
        if version in families
    )
    return tuple(EndpointRoute(hop, DEFAULT_ROUTES[":" in hop]) for hop in hops if hop)


def _addresses(endpoint: Endpoint) -> Any:
    found = (next((one for one in endpoint.addresses if one.ip.version == version), None) for version in (4, 6))
    return tuple(filter(None, found))


def _of_gateway(subnet: Subnet) -> tuple[SubnetRoute, ...]:
    if subnet.gateway is None:
        return ()
    return (SubnetRoute(str(subnet.gateway), DEFAULT_ROUTES[subnet.gateway.version == 6]),)


def _balancer_flags(balancer: LoadBalancer) -> int:
    ipv6 = LoadBalancerFlags.IPV6 * any(vip.version == 6 for vip in balancer.vips)
    return balancer.flags & LoadBalancerFlags.DSR | ipv6


def _policies(endpoint: Endpoint) -> tuple[PolicyRecord, ...]:
    """HNS 12 and before show a policy more of remote endpoints."""
    if not endpoint.remote or is_new(endpoint.version):
        return endpoint.policies
    own = (record for record in endpoint.policies if not isinstance(record.typed, L2Driver))
    return (*own, PolicyRecord("L2Driver", {}, L2Driver()))


# What v1 holds of an attribute that both faces have, where that isn't all of it.
HELD_BY_V1: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("network", "dns"): lambda network: replace(network.dns, domain="", options=()),
    ("network", "subnets"): lambda network: tuple(replace(one, routes=(), flags=0) for one in network.subnets),
    ("endpoint", "dns"): lambda endpoint: replace(endpoint.dns, options=()),
    ("endpoint", "addresses"): _addresses,
    ("endpoint", "routes"): _routes,
    ("endpoint", "policies"): _policies,
    ("endpoint", "flags"): lambda endpoint: endpoint.flags & (1 | 2 | 8),
    ("namespace", "type"): lambda namespace: (
        namespace.type if namespace.type is NamespaceType.HOST_DEFAULT else NamespaceType.HOST
    ),
    ("load balancer", "flags"): _balancer_flags,
    ("load balancer", "port_mappings"): lambda balancer: tuple(
        replace(one, distribution=0, flags=one.flags & PortMappingFlags.ILB) for one in balancer.port_mappings
    ),
}
# Likewise of v2, which makes a route of a subnet's gateway.
HELD_BY_V2: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("network", "subnets"): lambda network: tuple(replace(one, routes=_of_gateway(one)) for one in network.subnets),
}


@pytest.mark.known("inferred", "both faces are of one object (microsoft/hcsshim hcn/ and internal/hns/)")
@pytest.mark.parametrize("name", NOUNS)
@given(data=st.data(), version=VERSIONS)
def test_by_way_of_v1_nothing_of_a_v2_document_is_lost_but_what_the_table_says(
    name: str, data: st.DataObject, version: int
) -> None:
    noun = NOUNS[name]
    sent = replace(noun.read(data.draw(noun.of_v2)), version=version)
    back = noun.read(_sent(noun.v1(sent)))
    _compare(name, sent, back, via=0, held=HELD_BY_V1)


@pytest.mark.known("inferred", "both faces are of one object (microsoft/hcsshim hcn/ and internal/hns/)")
@pytest.mark.parametrize("name", NOUNS)
@given(data=st.data(), version=VERSIONS)
def test_by_way_of_v2_nothing_of_a_v1_document_is_lost_but_what_the_table_says(
    name: str, data: st.DataObject, version: int
) -> None:
    noun = NOUNS[name]
    sent = replace(noun.read(data.draw(noun.of_v1)), version=version)
    back = noun.read(_sent(noun.v2(sent)))
    _compare(name, sent, back, via=1, held=HELD_BY_V2)


def _sent(document: dict[str, Any]) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(json.dumps(document))
    return sent


def _compare(name: str, sent: Any, back: Any, via: int, held: Mapping[tuple[str, str], Callable[[Any], Any]]) -> None:
    for attribute, its_rows in _attributes(name).items():
        origin, through = (
            [place.codec for row in its_rows for place in (row.v1, row.v2)[face]] for face in (1 - via, via)
        )
        if not any(codec.read for codec in origin):
            continue
        lossy = any(row.lost for row in its_rows)
        whole = held.get((name, attribute))
        if whole or (any(codec.read for codec in through) and any(codec.show for codec in through)):
            assert lossy or whole is None, f"{attribute}: no row says that something is lost"
            expected = whole(sent) if whole else getattr(sent, attribute)
            assert _plain(getattr(back, attribute)) == _plain(expected), attribute
        else:
            assert lossy or not through, f"{attribute}: no row says that it is lost"


def _attributes(name: str) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in (row for table in TABLES if table.name == name for row in table.rows if row.attribute):
        found.setdefault(row.attribute, []).append(row)
    return found


def _plain(value: Any) -> Any:
    """Return a value with its policies as they are read: each face has its own words for them."""
    if isinstance(value, PolicyRecord):
        return value.typed
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return replace(value, policies=_plain(value.policies)) if isinstance(value, Subnet) else value


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnpolicy.go, internal/hns/hnspolicy.go")
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.v2_type)
def test_a_policys_settings_have_their_v1_names_and_come_back(policy: type[Policy]) -> None:
    names = [aliases(name, field)[0] for name, field in policy.model_fields.items()]
    settings = {name: name for name in names if name not in policy.v1_notes}
    there = policy.v1_settings(settings)
    assert list(there) == [policy.v1_names.get(name, name) for name in settings]
    assert policy.v2_settings({"Type": policy.v1_type, **there}) == settings


@pytest.mark.ours("the table is complete")
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_field_of_a_document_has_a_row(table: Table[Any]) -> None:
    for document, face in zip(table.documents, ("v1", "v2"), strict=True):
        same = [one for one in TABLES if document in one.documents]
        places = [place for one in same for row in one.rows for place in getattr(row, face)]
        members = {member.partition(".")[0] for place in places for member in place.members}
        assert document is None or set(document.model_fields) <= members


@pytest.mark.known("published output", "microsoft/Windows-Containers#563: the order of members")
def test_every_member_of_a_v1_endpoint_has_its_place_in_the_order() -> None:
    noun = NOUNS["endpoint"]
    endpoint = replace(
        noun.read({"IPAddress": "10.1.0.7", "IPv6Address": "fd00::7", "DNSDomain": "d"}), version=13 << 32
    )
    around = about(endpoint, NETWORK)
    assert set(ENDPOINT.v1(endpoint, around)) == set(ENDPOINT.in_v1(endpoint, around))


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnv1schema_test.go")
def test_a_v1_networks_gateway_is_v2s_default_route() -> None:
    noun = NOUNS["network"]
    shown = noun.v2(
        noun.read({"Type": "NAT", "Subnets": [{"AddressPrefix": "10.1.0.0/24", "GatewayAddress": "10.1.0.1"}]})
    )
    routes = [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0", "Metric": 0}]
    assert shown["Ipams"] == [
        {"Subnets": [{"IpAddressPrefix": "10.1.0.0/24", "Routes": routes, "IpSubnets": []}], "Type": "Static"}
    ]


@pytest.mark.known("inferred", "HNSEndpoint has one member a family (microsoft/hcsshim internal/hns/hnsendpoint.go)")
def test_v1_shows_the_first_address_of_each_family() -> None:
    noun = NOUNS["endpoint"]
    addresses = [{"IpAddress": ip, "PrefixLength": 24} for ip in ("10.1.0.7", "fd00::7", "10.1.0.8")]
    shown = noun.v1(noun.read({"IpConfigurations": addresses, "SchemaVersion": VERSION}))
    assert (shown["IPAddress"], shown["IPv6Address"]) == ("10.1.0.7", "fd00::7")


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1")
def test_v1s_words_are_v2s_bits() -> None:
    noun = NOUNS["endpoint"]
    assert noun.v2(noun.read({"IsRemoteEndpoint": True, "EnableLowMetric": True}))["Flags"] == 9


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnamespace.go, internal/hns/namespace.go")
def test_v1s_default_namespace_is_the_hosts() -> None:
    noun = NOUNS["namespace"]
    assert noun.v2(noun.read({"IsDefault": True}))["Type"] == "HostDefault"


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnloadbalancer.go, internal/hns/hnspolicylist.go")
def test_a_load_balancer_is_an_elb_for_each_port() -> None:
    noun = NOUNS["load balancer"]
    ports = [{"InternalPort": port, "ExternalPort": port, "Protocol": 6} for port in (80, 443)]
    document = {"PortMappings": ports, "FrontendVIPs": ["10.96.0.9"], "Flags": 1, "SchemaVersion": VERSION}
    shared = {"IsDSR": True, "SourceVIP": "", "Type": "ELB", "VIPs": ["10.96.0.9"]}
    assert noun.v1(noun.read(document))["Policies"] == [{**port, **shared} for port in ports]


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnroute.go, internal/hns/hnspolicylist.go")
def test_an_sdn_route_is_a_list_of_routes() -> None:
    noun = NOUNS["SDN route"]
    setting = {"DestinationPrefix": "10.9.0.0/16", "NeedEncap": True}
    shown = noun.v1(noun.read({"Setting": [setting], "SchemaVersion": VERSION}))
    assert shown["Policies"] == [{"Type": "ROUTE", **setting}]


@pytest.mark.ours("the table is complete")
def test_every_row_says_what_is_converted_and_by_whose_word() -> None:
    assert all(one.conversion and one.source for one in rows())


@pytest.mark.ours("docs/translation.md")
def test_the_page_is_what_the_tables_say() -> None:
    assert PAGE.read_text() == page(), "python -m ci.translation --write"
