"""Types of networks towards the data plane, and what of them outlives the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hnsfake.dataplane.drivers import DRIVERS
from hnsfake.dataplane.interface import Driver, EndpointWant, NetworkWant
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network_types import TYPES
from tests.contract.service import VERSION, Bench

MULTI_SUBNET = "MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet"


def wanted(bench: Bench) -> NetworkWant:
    """Return the network that the data plane was asked for last."""
    want = bench.plane.asked[-1][-1].after
    assert isinstance(want, NetworkWant)
    return want


@pytest.mark.ours("our table of drivers")
def test_every_type_has_a_driver_in_the_data_plane() -> None:
    assert {kind.name for kind in TYPES.values()} == set(Driver) == set(DRIVERS)


@pytest.mark.ours("what our service asks of our data plane")
@pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: kind.name)
def test_the_data_plane_is_asked_for_the_type_and_for_an_adapter_where_it_has_one(kind: Any) -> None:
    bench = Bench()
    bench.network(kind.name)
    want = wanted(bench)
    assert want.driver == kind.name
    assert want.adapter == ("Ethernet" if kind.external else None)


@pytest.mark.ours("what our service asks of our data plane")
def test_the_data_plane_is_asked_for_the_gateways_mac_that_ics_shows() -> None:
    bench = Bench()
    bench.network("ICS")
    (shown,) = bench.v1("GET", "/networks/")["Output"]
    assert wanted(bench).gateway_mac == shown["GatewayMac"]


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: HNS restores its objects after a restart")
@pytest.mark.parametrize("kind", sorted(TYPES))
def test_a_network_of_each_type_shows_the_same_after_a_restart(kind: str, tmp_path: Path) -> None:
    before = Bench(journal=tmp_path / "journal")
    network = before.network(TYPES[kind].name, AdditionalParams={"ICSFlags": 1})
    extensions = [{"Id": "430BDADD-BAB0-41AB-A369-94B67FA5BE0A", "IsEnabled": False}]
    shown = before.v1("POST", f"/networks/{network['ID']}", {"Extensions": extensions})["Output"]
    before.service.close()
    after = Bench(journal=tmp_path / "journal")
    assert after.v1("GET", f"/networks/{network['ID']}")["Output"] == shown


@pytest.mark.known("inferred", "microsoft/SDN#269: networks without a subnet, where there is none to give")
def test_an_endpoint_without_an_address_is_attached_without_one() -> None:
    bench = Bench()
    network = bench.made("Network", {"Type": "Private", "Name": "bare", "SchemaVersion": VERSION})
    endpoint = bench.endpoint(network["ID"])
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})
    settings = {"EndpointId": endpoint["ID"]}
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": settings}
    assert bench.invoke("HcnModifyNamespace", request, handle=bench.handle("Namespace", namespace["ID"])).ok
    want = next(c.after for c in bench.plane.asked[-1] if isinstance(c.after, EndpointWant))
    assert (want.addresses, want.compartment) == ((), namespace["NamespaceId"])


@pytest.mark.known("inferred", MULTI_SUBNET + ": several IP subnets, which are as one pool")
def test_when_an_ip_subnet_is_full_the_next_one_gives() -> None:
    bench = Bench()
    parts = [{"IpAddressPrefix": prefix, "Flags": 3} for prefix in ("10.9.8.0/30", "10.9.8.8/30")]
    subnet = {"IpAddressPrefix": "10.9.8.0/24", "IpSubnets": parts}
    network = bench.network("L2Bridge", Ipams=[{"Subnets": [subnet]}])["ID"]
    given = {bench.endpoint(network)["IpConfigurations"][0]["IpAddress"] for _ in range(3)}
    assert given == {"10.9.8.2", "10.9.8.9", "10.9.8.10"}
    reply = bench.invoke("HcnCreateEndpoint", {"SchemaVersion": VERSION}, handle=bench.handle("Network", network))
    assert reply.hresult == HResult.HCN_E_ADDR_INVALID_OR_RESERVED


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_IP_SUBNET")
@pytest.mark.parametrize("prefixes", [["10.8.0.0/26"], ["10.9.0.0/16"], ["10.9.8.0/25", "10.9.8.64/26"], ["fd00::/64"]])
def test_ip_subnets_that_are_no_parts_of_their_subnet_are_refused(prefixes: list[str]) -> None:
    parts = [{"IpAddressPrefix": prefix} for prefix in prefixes]
    subnet = {"IpAddressPrefix": "10.9.8.0/24", "IpSubnets": parts}
    document = {"Type": "L2Bridge", "Name": "n", "Ipams": [{"Subnets": [subnet]}], "SchemaVersion": VERSION}
    assert Bench().invoke("HcnCreateNetwork", document).hresult == HResult.HCN_E_INVALID_IP_SUBNET


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_IP")
def test_an_address_of_no_ip_subnet_is_refused() -> None:
    bench = Bench()
    subnet = {"IpAddressPrefix": "10.9.8.0/24", "IpSubnets": [{"IpAddressPrefix": "10.9.8.0/26"}]}
    network = bench.network("L2Bridge", Ipams=[{"Subnets": [subnet]}])["ID"]
    document = {"IpConfigurations": [{"IpAddress": "10.9.8.100"}], "SchemaVersion": VERSION}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=bench.handle("Network", network))
    assert reply.hresult == HResult.HCN_E_INVALID_IP


@pytest.mark.known("inferred", "all other kinds of object are changed by a wrapped request")
def test_a_load_balancers_new_document_may_come_wrapped_as_a_request() -> None:
    bench = Bench("ws2025")
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 8080}]
    document = {"HostComputeEndpoints": [endpoint], "PortMappings": ports, "SchemaVersion": VERSION}
    made = bench.made("LoadBalancer", document)
    settings = {**document, "FrontendVIPs": ["10.96.0.5"]}
    handle = bench.handle("LoadBalancer", made["ID"])
    assert bench.invoke("HcnModifyLoadBalancer", {"RequestType": "Update", "Settings": settings}, handle=handle).ok
    assert bench.shown("LoadBalancer", handle)["FrontendVIPs"] == ["10.96.0.5"]
