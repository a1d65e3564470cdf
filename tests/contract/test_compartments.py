"""Compartments end, and what was in them is attached to nothing."""

from __future__ import annotations

from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from tests.contract.model.mirror import MirrorDataplane
from tests.contract.service import VERSION, Bench


def bench_with_endpoint() -> tuple[Bench, str]:
    bench = Bench(plane=MirrorDataplane())
    return bench, bench.endpoint(bench.network()["ID"])["ID"]


def system(bench: Bench, name: str, **networking: str) -> int:
    reply = bench.invoke("HcsCreateComputeSystem", {"Container": {"Networking": networking}}, id=name)
    assert reply.ok, reply.record
    assert reply.handle is not None
    return reply.handle


def attach(bench: Bench, endpoint: str, **request: Any) -> Any:
    return bench.v1("POST", f"/endpoints/{endpoint}/attach", request)


def state(bench: Bench, endpoint: str) -> tuple[int, list[str]]:
    shown = bench.v1("GET", f"/endpoints/{endpoint}")["Output"]
    return shown["State"], shown["SharedContainers"]


def delete_under(bench: Bench, namespace: str, container: str) -> None:
    """Delete a namespace whose container runs on: it must be taken off the list before."""
    request = {"ResourceType": "Container", "RequestType": "Remove", "Settings": {"ContainerId": container}}
    assert bench.invoke("HcnDeleteNamespace", id=namespace).hresult == HResult.HCN_E_REQUEST_UNSUPPORTED
    assert bench.invoke("HcnModifyNamespace", request, handle=bench.handle("Namespace", namespace)).ok
    assert bench.invoke("HcnDeleteNamespace", id=namespace).ok


@pytest.mark.known("inferred", "a compartment ends with its namespace (microsoft/hcsshim hcn/hcnnamespace.go)")
def test_an_endpoint_attached_by_a_compartments_number_leaves_with_the_namespace() -> None:
    bench, endpoint = bench_with_endpoint()
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})
    assert attach(bench, endpoint, SystemType="Host", CompartmentID=namespace["NamespaceId"])["Success"]
    assert bench.invoke("HcnDeleteNamespace", id=namespace["ID"]).ok
    assert state(bench, endpoint) == (4, [])


@pytest.mark.known("inferred", "moby/moby daemon/libnetwork: a container may share another's compartment")
def test_an_endpoint_leaves_a_system_whose_compartment_others_share_when_that_ends() -> None:
    bench, endpoint = bench_with_endpoint()
    pause = system(bench, "pause")
    system(bench, "web", NetworkSharedContainerName="pause")
    for name in ("pause", "web"):
        assert attach(bench, endpoint, SystemType="Container", ContainerID=name)["Success"]
    assert bench.invoke("HcsTerminateComputeSystem", handle=pause).ok
    assert state(bench, endpoint) == (4, [])


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_NAMESPACE_ATTACH_FAILED")
def test_nothing_is_attached_to_a_system_that_has_outlived_its_namespace() -> None:
    bench, endpoint = bench_with_endpoint()
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})
    system(bench, "web", Namespace=namespace["ID"])
    delete_under(bench, namespace["ID"], "web")
    answer = attach(bench, endpoint, SystemType="Container", ContainerID="web")
    assert answer["ErrorCode"] == HResult.HCN_E_NAMESPACE_ATTACH_FAILED
    host = attach(bench, endpoint, SystemType="Host", CompartmentID=namespace["NamespaceId"])
    assert host["ErrorCode"] == HResult.ERROR_NOT_FOUND


@pytest.mark.known("inferred", "a number names one compartment")
def test_a_new_compartment_has_no_number_that_a_system_still_has() -> None:
    bench, _ = bench_with_endpoint()
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})
    system(bench, "web", Namespace=namespace["ID"])
    delete_under(bench, namespace["ID"], "web")
    assert bench.made("Namespace", {"SchemaVersion": VERSION})["NamespaceId"] != namespace["NamespaceId"]
