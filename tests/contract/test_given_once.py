"""What belongs to one object is given to no other, nor lost while another has it: ports, addresses, names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from tests.contract.service import VERSION, Bench

ID = "12345678-AAAA-BBBB-CCCC-DDDDDDDDDDDD"


def mapping(external: int, internal: int = 80) -> dict[str, Any]:
    return {"Type": "PortMapping", "Settings": {"Protocol": 6, "InternalPort": internal, "ExternalPort": external}}


def remote(bench: Bench, network: str) -> str:
    made = bench.endpoint(network, Flags=1, IpConfigurations=[{"IpAddress": "10.1.0.9"}])
    return str(made["ID"])


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnerrors_test.go: two endpoints can't have one port")
def test_an_endpoints_own_mappings_have_a_port_each() -> None:
    bench = Bench()
    handle = bench.handle("Network", bench.network()["ID"])
    document = {"Policies": [mapping(8080), mapping(8080, internal=81)], "SchemaVersion": VERSION}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=handle)
    assert reply.hresult == HResult.HCN_E_PORT_ALREADY_EXISTS


@pytest.mark.known("inferred", "moby/moby daemon/libnetwork/drivers/windows reads the ports that HNS chose")
def test_ports_that_hns_chooses_for_one_endpoint_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hnsfake.service.pools.MAPPED_PORTS", range(40000, 40003))
    bench = Bench()
    policies = bench.endpoint(bench.network()["ID"], Policies=[mapping(0), mapping(40001), mapping(0)])["Policies"]
    assert {policy["Settings"]["ExternalPort"] for policy in policies} == {40000, 40001, 40002}


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_ADDR_INVALID_OR_RESERVED")
def test_an_address_is_given_to_an_endpoint_once() -> None:
    bench = Bench()
    handle = bench.handle("Network", bench.network()["ID"])
    document = {"IpConfigurations": [{"IpAddress": "10.1.0.9"}] * 2, "SchemaVersion": VERSION}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=handle)
    assert reply.hresult == HResult.HCN_E_ADDR_INVALID_OR_RESERVED


@pytest.mark.known("inferred", "kubernetes/community#8883: a node's port is taken once")
def test_a_load_balancer_takes_no_port_of_an_endpoint_that_has_its_id() -> None:
    bench = Bench()
    bench.endpoint(bench.network()["ID"], ID=ID, Policies=[mapping(8080)])
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 8080}]
    document = {"ID": ID, "HostComputeEndpoints": [ID], "PortMappings": ports, "SchemaVersion": VERSION}
    reply = bench.invoke("HcnCreateLoadBalancer", document)
    assert reply.hresult == HResult.HCN_E_PORT_ALREADY_EXISTS


@pytest.mark.ours("what our journal brings back")
def test_an_address_of_two_remote_endpoints_is_taken_until_both_are_gone(tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "journal")
    network = bench.network("Overlay")["ID"]
    remote(bench, network)
    bench.invoke("HcnDeleteEndpoint", id=remote(bench, network))
    bench.service.close()
    assert Bench(journal=tmp_path / "journal").service.state == bench.service.state


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_NETWORK_ALREADY_EXISTS")
@pytest.mark.parametrize("name", ["red", "RED"])
def test_a_network_is_not_given_anothers_name(name: str) -> None:
    bench = Bench()
    bench.network("L2Bridge", Name="red")
    other = bench.network("L2Bridge", "10.2.0.0/24", Name="blue")["ID"]
    answer = bench.v1("POST", f"/networks/{other}", {"Name": name})
    assert answer["ErrorCode"] == HResult.HCN_E_NETWORK_ALREADY_EXISTS


@pytest.mark.known("inferred", "antrea-io/antrea pkg/agent/util changes a network by a partial document")
def test_a_network_keeps_its_name_where_none_is_given() -> None:
    bench = Bench()
    network = bench.network(Name="red")["ID"]
    for document in ({"Name": ""}, {"Name": "red"}):
        assert bench.v1("POST", f"/networks/{network}", document)["Output"]["Name"] == "red"


@pytest.mark.ours("how our service undoes what our kernel refuses")
@pytest.mark.parametrize("operation", ["HcnCreateNamespace", "HcsCreateComputeSystem"])
def test_a_create_that_the_kernel_refuses_leaves_no_handle_open(operation: str) -> None:
    bench = Bench()
    bench.plane.refusal = RuntimeError("no room")
    bench.invoke(operation, {"SchemaVersion": VERSION}, id=ID)
    assert len(bench.service._handles) == 0
