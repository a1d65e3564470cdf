"""Compute systems: what v1 clients do with containers (microsoft/hcsshim hnsendpoint.go, internal/hcs/system.go)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hnsfake import Lab
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.node import Node

HOT_ATTACH = "microsoft/hcsshim internal/hns/hnsendpoint.go, hnsendpoint.go"


@pytest.fixture
def node() -> Node:
    return Lab(["n1"], dataplane="none").nodes["n1"]


@pytest.fixture
def endpoint(node: Node) -> str:
    subnets = [{"AddressPrefix": "10.1.0.0/24", "GatewayAddress": "10.1.0.1"}]
    network = node.hns_call("POST", "/networks/", {"Name": "n", "Type": "L2Bridge", "Subnets": subnets})["ID"]
    made: str = node.hns_call("POST", "/endpoints/", {"Name": "e", "VirtualNetwork": network})["ID"]
    return made


def _modify(node: Node, system: str, request: str, endpoint: str, resource: str = "Network") -> None:
    handle = node.hcn("HcsOpenComputeSystem", object_id=system).handle
    change = {"ResourceType": resource, "RequestType": request, "Settings": endpoint}
    node.hcn("HcsModifyComputeSystem", change, handle=handle)
    node.hcn("HcsCloseComputeSystem", handle=handle)


def _shown(node: Node, endpoint: str) -> dict[str, Any]:
    shown: dict[str, Any] = node.hns_call("GET", f"/endpoints/{endpoint}")
    return shown


@pytest.mark.known("client code", HOT_ATTACH)
def test_an_endpoint_added_to_a_container_is_attached_and_names_it(node: Node, endpoint: str) -> None:
    node.create_compute_system("pause")
    _modify(node, "pause", "Add", endpoint)
    shown = _shown(node, endpoint)
    assert (shown["State"], shown["SharedContainers"]) == (2, ["pause"])


@pytest.mark.known("client code", HOT_ATTACH)
def test_a_second_container_shares_the_endpoint(node: Node, endpoint: str) -> None:
    first = node.create_compute_system("pause")
    assert node.create_compute_system("web", share_with="pause") == first
    for system in ("pause", "web"):
        _modify(node, system, "Add", endpoint)
    shown = _shown(node, endpoint)
    assert (shown["State"], shown["SharedContainers"]) == (3, ["pause", "web"])


@pytest.mark.known("client code", HOT_ATTACH)
def test_an_endpoint_is_detached_with_its_last_container(node: Node, endpoint: str) -> None:
    node.create_compute_system("pause")
    node.create_compute_system("web", share_with="pause")
    for system in ("pause", "web"):
        _modify(node, system, "Add", endpoint)
    _modify(node, "pause", "Remove", endpoint)
    assert _shown(node, endpoint)["SharedContainers"] == ["web"]
    _modify(node, "web", "Remove", endpoint)
    assert _shown(node, endpoint)["State"] == 4


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsendpoint.go ContainerAttach")
def test_v1_attach_of_a_container_is_the_same(node: Node, endpoint: str) -> None:
    node.create_compute_system("pause")
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Container", "ContainerId": "pause"})
    assert _shown(node, endpoint)["SharedContainers"] == ["pause"]


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hns/hnsendpoint.go: a detach names one container")
def test_detaching_one_container_of_several_leaves_the_others(node: Node, endpoint: str) -> None:
    node.create_compute_system("pause")
    node.create_compute_system("web", share_with="pause")
    for system in ("pause", "web"):
        _modify(node, system, "Add", endpoint)
    detach = f"/endpoints/{endpoint}/detach"
    node.hns_call("POST", detach, {"ContainerId": "web", "SystemType": "Container"})
    assert _shown(node, endpoint)["SharedContainers"] == ["pause"]
    node.hns_call("POST", detach, {"ContainerId": "pause", "SystemType": "Container"})
    assert _shown(node, endpoint)["SharedContainers"] == []


@pytest.mark.known("inferred", "moby/moby daemon/libnetwork/drivers/windows: the container is gone before Leave")
def test_a_stopped_container_leaves_its_endpoint_detached(node: Node, endpoint: str) -> None:
    node.create_compute_system("pause")
    _modify(node, "pause", "Add", endpoint)
    node.delete_compute_system("pause")
    assert _shown(node, endpoint)["State"] == 4
    with pytest.raises(HnsError) as refused:
        node.hcn("HcsOpenComputeSystem", object_id="pause")
    assert refused.value.hresult == HResult.HCS_E_SYSTEM_NOT_FOUND


@pytest.mark.known("inferred", "prometheus-community/windows_exporter finds a pod by SharedContainers")
def test_a_container_of_a_namespace_is_listed_there_and_by_its_endpoints(node: Node, endpoint: str) -> None:
    opened = node.hcn("HcnCreateNamespace", {"SchemaVersion": {"Major": 2, "Minor": 0}})
    (namespace,) = (ns for ns in node.service.state.namespaces.values() if ns.compartment != 1)
    join = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint}}
    node.hcn("HcnModifyNamespace", join, handle=opened.handle)
    assert node.create_compute_system("web", namespace=namespace.id) == namespace.compartment
    assert _shown(node, endpoint)["SharedContainers"] == ["web"]
    node.delete_compute_system("web")
    assert _shown(node, endpoint)["SharedContainers"] == []
    assert _shown(node, endpoint)["State"] == 3


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/errors.go ErrComputeSystemDoesNotExist")
def test_an_unknown_container_is_not_found(node: Node) -> None:
    with pytest.raises(HnsError) as refused:
        node.hcn("HcsOpenComputeSystem", object_id="nobody")
    assert refused.value.hresult == HResult.HCS_E_SYSTEM_NOT_FOUND
    record = json.loads(refused.value.detail)
    assert record["ErrorMessage"] == "A Compute System with the specified identifier does not exist."


@pytest.mark.known("client code", "microsoft/hcsshim internal/gcs-sidecar: HrVmcomputeSystemAlreadyExists")
def test_a_containers_id_is_taken_once(node: Node) -> None:
    node.create_compute_system("pause")
    with pytest.raises(HnsError) as refused:
        node.create_compute_system("pause")
    assert refused.value.hresult == HResult.HCS_E_SYSTEM_ALREADY_EXISTS


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/schema1/schema1.go ContainerProperties")
def test_the_properties_tell_owner_and_type(node: Node) -> None:
    node.create_compute_system("pause")
    handle = node.hcn("HcsOpenComputeSystem", object_id="pause").handle
    shown = json.loads(node.hcn("HcsGetComputeSystemProperties", handle=handle).output or "")
    assert (shown["SystemType"], shown["Owner"], shown["State"]) == ("Container", "hnsfake", "Running")
    assert json.loads(node.hcn("HcsEnumerateComputeSystems").output or "") == [shown]


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation network-isolation-security")
def test_containers_and_namespaces_have_compartments_of_their_own(node: Node) -> None:
    numbers = [node.create_compute_system("a")]
    node.hcn("HcnCreateNamespace", {"SchemaVersion": {"Major": 2, "Minor": 0}})
    numbers.append(node.create_compute_system("b"))
    used = [*numbers, *(ns.compartment for ns in node.service.state.namespaces.values())]
    assert len(set(used)) == len(used)


@pytest.mark.ours("a lab runs its processes another way")
def test_no_process_runs_in_a_container(node: Node) -> None:
    node.create_compute_system("pause")
    handle = node.hcn("HcsOpenComputeSystem", object_id="pause").handle
    with pytest.raises(HnsError) as refused:
        node.hcn("HcsCreateProcess", {"CommandLine": "cmd"}, handle=handle)
    assert refused.value.hresult == HResult.ERROR_NOT_SUPPORTED


PROCESS_FUNCTIONS = (
    "HcsCreateProcess",
    "HcsOpenProcess",
    "HcsCloseProcess",
    "HcsTerminateProcess",
    "HcsSignalProcess",
    "HcsGetProcessInfo",
    "HcsGetProcessProperties",
    "HcsModifyProcess",
    "HcsRegisterProcessCallback",
    "HcsUnregisterProcessCallback",
)


@pytest.mark.ours("what a lab leaves out of the Host Compute Service")
@pytest.mark.parametrize("function", [*PROCESS_FUNCTIONS, "HcsSaveComputeSystem", "HcsModifyServiceSettings"])
def test_what_is_not_about_networking_is_not_supported(node: Node, function: str) -> None:
    with pytest.raises(HnsError) as refused:
        node.hcn(function)
    assert refused.value.hresult == HResult.ERROR_NOT_SUPPORTED


@pytest.mark.known("inferred", "microsoft/hcsshim internal/vmcompute: HcsPauseComputeSystem, HcsResumeComputeSystem")
@pytest.mark.parametrize(("function", "state"), [("Pause", "Paused"), ("Resume", "Running")])
def test_a_container_is_in_the_state_it_was_put_into(node: Node, function: str, state: str) -> None:
    node.create_compute_system("pause")
    handle = node.hcn("HcsOpenComputeSystem", object_id="pause").handle
    node.hcn(f"Hcs{function}ComputeSystem", handle=handle)
    assert json.loads(node.hcn("HcsGetComputeSystemProperties", handle=handle).output or "")["State"] == state


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hcs/system.go waits for the end after a shutdown")
def test_a_container_that_is_shut_down_is_gone(node: Node) -> None:
    node.create_compute_system("pause")
    handle = node.hcn("HcsOpenComputeSystem", object_id="pause").handle
    node.hcn("HcsShutdownComputeSystem", handle=handle)
    assert json.loads(node.hcn("HcsEnumerateComputeSystems").output or "") == []


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/service.go GetServiceProperties")
def test_the_service_tells_its_properties(node: Node) -> None:
    assert "Properties" in json.loads(node.hcn("HcsGetServiceProperties").output or "")


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnnamespace.go: resources are told apart by their ids")
def test_a_container_that_its_namespace_lists_already_is_listed_once(node: Node) -> None:
    namespace = node.hns_call("POST", "/namespaces/", {"ResourceList": [{"Type": "Container", "Data": {"Id": "db"}}]})
    node.create_compute_system("db", namespace=namespace["ID"])
    assert node.hns_call("GET", f"/namespaces/{namespace['ID']}")["Containers"] == ["db"]


def _created(node: Node, system: str, **settings: Any) -> int:
    """Make a container from version 1's settings (microsoft/hcsshim internal/hcs/schema1); return its compartment."""
    node.hcn("HcsCreateComputeSystem", {"SystemType": "Container", "Owner": "docker", **settings}, object_id=system)
    return node.service.state.systems[system].compartment


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/schema1/schema1.go ContainerConfig.EndpointList")
def test_the_endpoints_that_a_container_is_made_with_are_attached(node: Node, endpoint: str) -> None:
    compartment = _created(node, "web", EndpointList=[endpoint])
    assert _shown(node, endpoint)["SharedContainers"] == ["web"]
    assert node.service.state.endpoints[endpoint.upper()].compartment == compartment


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hcs/schema1/schema1.go ContainerConfig.EndpointList")
def test_a_container_with_an_endpoint_that_is_not_there_is_not_made(node: Node) -> None:
    with pytest.raises(HnsError) as refused:
        _created(node, "web", EndpointList=["11111111-2222-3333-4444-555555555555"])
    assert refused.value.hresult == HResult.HCN_E_ENDPOINT_NOT_FOUND
    assert json.loads(node.hcn("HcsEnumerateComputeSystems").output or "") == []


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/schema1/schema1.go NetworkSharedContainerName")
def test_a_container_of_version_1_shares_the_compartment_of_the_one_it_names(node: Node, endpoint: str) -> None:
    first = _created(node, "pause", EndpointList=[endpoint])
    assert _created(node, "web", NetworkSharedContainerName="pause", EndpointList=[endpoint]) == first
    assert _shown(node, endpoint)["SharedContainers"] == ["pause", "web"]


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hcs/schema1/schema1.go: a node has containers only")
def test_a_container_of_any_type_is_shown_as_a_container(node: Node) -> None:
    handle = node.hcn("HcsCreateComputeSystem", {"SystemType": "VirtualMachine"}, object_id="vm").handle
    shown = json.loads(node.hcn("HcsGetComputeSystemProperties", handle=handle).output or "")
    assert (shown["SystemType"], shown["Owner"], shown["State"]) == ("Container", "", "Created")


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hcs/errors.go ErrVmcomputeAlreadyStopped")
def test_a_handle_of_a_container_that_stopped_says_so(node: Node) -> None:
    node.create_compute_system("pause")
    handle = node.hcn("HcsOpenComputeSystem", object_id="pause").handle
    node.delete_compute_system("pause")
    with pytest.raises(HnsError) as refused:
        node.hcn("HcsGetComputeSystemProperties", handle=handle)
    assert refused.value.hresult == HResult.HCS_E_SYSTEM_ALREADY_STOPPED
