"""v1 and v2 are two faces of one state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hnsfake.documents.policies import ENDPOINT_POLICIES, Acl
from tests.contract.service import VERSION, Bench

BOTH = "microsoft/hcsshim hcn/hcnpolicy.go and internal/hns/hnspolicy.go name the same settings"

PAIRS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"Type": "OutBoundNAT", "VIP": "10.0.0.1", "ExceptionList": ["10.0.0.0/8"]},
        {"Type": "OutBoundNAT", "Settings": {"VirtualIP": "10.0.0.1", "Exceptions": ["10.0.0.0/8"]}},
    ),
    (
        {"Type": "ROUTE", "DestinationPrefix": "10.96.0.0/12", "NeedEncap": True},
        {"Type": "SDNRoute", "Settings": {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}},
    ),
    (
        {"Type": "NAT", "Protocol": "TCP", "InternalPort": 80, "ExternalPort": 8080},
        {"Type": "PortMapping", "Settings": {"Protocol": 6, "InternalPort": 80, "ExternalPort": 8080}},
    ),
    (
        {"Type": "PA", "PA": "10.127.0.11"},
        {"Type": "ProviderAddress", "Settings": {"ProviderAddress": "10.127.0.11"}},
    ),
    (
        {"Type": "ACL", "Protocol": 6, "Action": "Allow", "Direction": "In", "LocalPort": 80, "Priority": 100},
        {
            "Type": "ACL",
            "Settings": {"Protocols": "6", "LocalPorts": "80", "Priority": 100, "Action": "Allow", "Direction": "In"},
        },
    ),
]


@pytest.mark.known("inferred", BOTH)
@pytest.mark.parametrize(("v1", "v2"), PAIRS, ids=[v2["Type"] for _, v2 in PAIRS])
def test_a_v1_policy_shows_in_v2_and_as_it_was_sent_in_v1(v1: dict[str, Any], v2: dict[str, Any]) -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    made = bench.v1("POST", "/endpoints/", {"VirtualNetwork": network, "Policies": [v1]})["Output"]
    assert made["Policies"] == [v1]
    assert bench.shown("Endpoint", bench.handle("Endpoint", made["ID"]))["Policies"] == [v2]


@pytest.mark.known("inferred", BOTH)
@pytest.mark.parametrize(("v1", "v2"), PAIRS[:4], ids=[v2["Type"] for _, v2 in PAIRS[:4]])
def test_a_v2_policy_shows_in_v1_and_as_it_was_sent_in_v2(v1: dict[str, Any], v2: dict[str, Any]) -> None:
    bench = Bench()
    made = bench.endpoint(bench.network("L2Bridge")["ID"], Policies=[v2])
    assert made["Policies"] == [v2]
    assert bench.v1("GET", f"/endpoints/{made['ID']}")["Output"]["Policies"] == [v1]


@pytest.mark.known("inferred", "containernetworking/plugins pkg/hns: one list of servers, sent in either form")
@given(
    dns=st.fixed_dictionaries(
        {},
        optional={
            "Search": st.lists(st.from_regex(r"[a-z]{1,5}\.[a-z]{2}", fullmatch=True), min_size=1, max_size=3),
            "ServerList": st.lists(st.ip_addresses(v=4).map(str), min_size=1, max_size=3),
        },
    )
)
@settings(max_examples=30, deadline=None)
def test_dns_settings_are_the_same_in_both(dns: dict[str, list[str]]) -> None:
    bench = Bench()
    made = bench.endpoint(bench.network()["ID"], Dns=dns)
    assert made["Dns"] == dns
    v1 = bench.v1("GET", f"/endpoints/{made['ID']}")["Output"]
    assert v1.get("DNSSuffix", "") == ",".join(dns.get("Search", []))
    assert v1.get("DNSServerList", "") == ",".join(dns.get("ServerList", []))


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows; microsoft/hcsshim hcn/hcnpolicy.go")
@given(
    protocols=st.lists(st.sampled_from(["6", "17", "1"]), max_size=2, unique=True),
    ports=st.lists(st.tuples(st.integers(1, 65535), st.integers(0, 9)), max_size=3),
    priority=st.integers(0, 65535),
)
def test_an_acls_lists_are_read_as_they_are_meant(
    protocols: list[str], ports: list[tuple[int, int]], priority: int
) -> None:
    ranges = [(low, min(low + more, 65535)) for low, more in ports]
    text = ",".join(f"{low}-{high}" if low != high else str(low) for low, high in ranges)
    settings_ = {"Action": "Allow", "Direction": "In", "Protocols": ",".join(protocols), "LocalPorts": text}
    acl = Acl.from_v2({**settings_, "Priority": priority})
    assert acl.protocols == tuple(map(int, protocols))
    assert acl.local_ports == tuple(ranges)


@pytest.mark.ours("our table of policies")
def test_every_endpoint_policy_has_a_name_in_each_face() -> None:
    names = [(model.v1_type, model.v2_type) for model in ENDPOINT_POLICIES]
    assert len({v1 for v1, _ in names}) == len({v2 for _, v2 in names}) == len(names)


@pytest.mark.known("inferred", "projectcalico/calico cni-plugin takes a v1 network by its id from v2")
def test_what_v1_creates_v2_deletes() -> None:
    bench = Bench()
    made = bench.v1("POST", "/networks/", {"Type": "nat", "Name": "n"})["Output"]
    assert made["Type"] == "nat"
    assert bench.invoke("HcnDeleteNetwork", id=made["ID"]).ok
    assert bench.v1("GET", "/networks/")["Output"] == []


@pytest.mark.known("client code", "projectcalico/calico cni-plugin/pkg/dataplane/windows: ROUTE stays ROUTE in v2")
def test_a_v1_name_of_a_policy_in_a_v2_document_is_understood_and_given_back() -> None:
    bench = Bench()
    sent = {"Type": "ROUTE", "Settings": {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}}
    made = bench.endpoint(bench.network("L2Bridge")["ID"], Policies=[sent])
    assert made["Policies"] == [sent]
    (endpoint,) = bench.service.state.endpoints.values()
    assert endpoint.policies[0].typed is not None


@pytest.mark.known("client code", "containernetworking/plugins plugins/main/windows/win-bridge, pkg/hns")
def test_win_bridge_without_ipam_gets_the_networks_gateway() -> None:
    bench = Bench()
    made = bench.endpoint(
        bench.network("L2Bridge")["ID"],
        IpConfigurations=[{"IpAddress": ""}],
        Routes=[{"NextHop": "", "DestinationPrefix": "::/0"}],
    )
    assert made["Routes"] == [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0", "Metric": 0}]


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcsoci/network.go: made by v2, released by v1")
def test_a_namespace_is_one_in_both_faces() -> None:
    bench = Bench()
    made = bench.made("Namespace", {"SchemaVersion": VERSION})
    v1 = bench.v1("GET", f"/namespaces/{made['ID']}")["Output"]
    assert (v1["CompartmentId"], v1["CompartmentGuid"]) == (made["NamespaceId"], made["NamespaceGuid"])
