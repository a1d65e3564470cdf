"""What outlives a restart of HNS, and what a reboot of the node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hnsfake import Lab
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.node import Node

from .service import VERSION, Bench

V2 = {"SchemaVersion": VERSION}
NON_PERSISTENT = 8


@pytest.fixture
def node() -> Node:
    return Lab(["n1"], dataplane="none").nodes["n1"]


def _network(node: Node, name: str = "n", flags: int = 0) -> int:
    subnets = [{"IpAddressPrefix": "10.1.0.0/24"}] if not flags else [{"IpAddressPrefix": "10.2.0.0/24"}]
    document = {**V2, "Name": name, "Type": "Overlay" if flags else "L2Bridge", "Flags": flags}
    if flags:
        subnets = [{**subnets[0], "Policies": [{"Type": "VSID", "Settings": {"IsolationId": 4096}}]}]  # type: ignore[dict-item]
    handle = node.hcn("HcnCreateNetwork", {**document, "Ipams": [{"Subnets": subnets}]}).handle
    assert handle is not None
    return handle


def _endpoint(node: Node, network: int) -> str:
    handle = node.hcn("HcnCreateEndpoint", V2, handle=network).handle
    shown = json.loads(node.hcn("HcnQueryEndpointProperties", V2, handle=handle).output or "")
    endpoint: str = shown["ID"]
    return endpoint


def _pod(node: Node, endpoint: str) -> str:
    handle = node.hcn("HcnCreateNamespace", V2).handle
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint}}
    node.hcn("HcnModifyNamespace", request, handle=handle)
    shown = json.loads(node.hcn("HcnQueryNamespaceProperties", V2, handle=handle).output or "")
    namespace: str = shown["ID"]
    return namespace


def _everything(node: Node) -> dict[str, Any]:
    paths = ("networks", "endpoints", "namespaces", "policylists")
    return {path: node.hns_call("GET", f"/{path}/") for path in paths}


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: HNS restores load balancers after a restart")
def test_a_restart_of_the_service_keeps_every_object(node: Node) -> None:
    _pod(node, _endpoint(node, _network(node)))
    before = _everything(node)
    node.restart_service()
    assert _everything(node) == before


@pytest.mark.known("inferred", "learn.microsoft.com hcn-declaration-handles: handles are RPC context handles")
@pytest.mark.parametrize("begin_again", [Node.restart_service, Node.reboot])
def test_handles_are_stale_afterwards(node: Node, begin_again: Any) -> None:
    handle = _network(node)
    begin_again(node)
    with pytest.raises(HnsError) as refused:
        node.hcn("HcnQueryNetworkProperties", V2, handle=handle)
    assert refused.value.hresult == HResult.E_HANDLE


@pytest.mark.known("inferred", "learn.microsoft.com hcn HCN_NOTIFICATIONS: HcnNotificationServiceDisconnect")
@pytest.mark.parametrize("begin_again", [Node.restart_service, Node.reboot])
def test_listeners_hear_no_more(node: Node, begin_again: Any) -> None:
    heard = node.notifications()
    begin_again(node)
    assert list(heard) == []
    again = node.notifications()
    _network(node)
    again.close()
    assert len(list(again)) == 2


@pytest.mark.known("inferred", "a reservation is held by its handle (ComputeNetwork.h)")
def test_reserved_ports_are_free_after_a_restart(node: Node) -> None:
    service = node.hcn("HcnCreateGuestNetworkService", {}, object_id="11111111-2222-3333-4444-555555555555").handle
    port = {"Protocol": 1, "Access": 1, "Port": 8080}
    node.hcn("HcnReserveGuestNetworkServicePort", port, handle=service)
    node.restart_service()
    assert json.loads(node.hcn("HcnEnumerateGuestNetworkPortReservations").output or "") == []


@pytest.mark.known("published output", "moby/moby#47576")
def test_a_reboot_leaves_endpoints_detached_with_their_addresses(node: Node) -> None:
    endpoint = _endpoint(node, _network(node))
    before = node.hns_call("GET", f"/endpoints/{endpoint}")
    _pod(node, endpoint)
    node.reboot()
    after = node.hns_call("GET", f"/endpoints/{endpoint}")
    assert (after["IPAddress"], after["MacAddress"]) == (before["IPAddress"], before["MacAddress"])
    assert "Namespace" not in after


@pytest.mark.known("inferred", "no process outlives a reboot, and a compartment is its container's")
def test_a_reboot_ends_containers_and_their_compartments(node: Node) -> None:
    node.create_compute_system("pause")
    _pod(node, _endpoint(node, _network(node)))
    node.reboot()
    assert json.loads(node.hcn("HcsEnumerateComputeSystems").output or "") == []
    assert len(node.hns_call("GET", "/namespaces/")) == 1  # the host's


@pytest.mark.known("inferred", "moby/moby#47576: the endpoint is there, its container is not")
def test_a_reboot_frees_an_endpoint_that_a_container_had(node: Node) -> None:
    endpoint = _endpoint(node, _network(node))
    node.create_compute_system("pause")
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"ContainerId": "pause", "SystemType": "Container"})
    node.reboot()
    assert node.hns_call("GET", f"/endpoints/{endpoint}")["SharedContainers"] == []
    node.create_compute_system("pause")
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"ContainerId": "pause", "SystemType": "Container"})


@pytest.mark.known("client code", "ovn-org/ovn-kubernetes go-controller/hybrid-overlay: Flags 0 to survive, 8 not to")
def test_a_reboot_takes_networks_that_are_not_persistent_with_their_endpoints(node: Node) -> None:
    kept, gone = _network(node), _network(node, "gone", NON_PERSISTENT)
    stays = _endpoint(node, kept)
    _endpoint(node, gone)
    node.reboot()
    assert [network["Name"] for network in node.hns_call("GET", "/networks/")] == ["n"]
    assert [endpoint["ID"] for endpoint in node.hns_call("GET", "/endpoints/")] == [stays]


@pytest.mark.ours("what our journal brings back")
def test_what_a_reboot_took_does_not_come_back_from_the_journal(tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "journal")
    bench.invoke("HcnCreateNamespace", V2)
    bench.service.reboot()
    bench.service.close()
    again = Bench(journal=tmp_path / "journal")
    assert len(again.service.state.namespaces) == 1
