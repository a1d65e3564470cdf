"""Compute systems, as far as networking goes: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.table import (
    CLIENT,
    DOCUMENTED,
    INFERRED,
    NO_JSON,
    OTHER,
    STALE,
    Ask,
    Check,
    Fault,
    Operation,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

GONE = "ovn-kubernetes/ovn-kubernetes#390"
STOPPED = "microsoft/hcsshim internal/hcs/errors.go"
DEGRADED = "containerd/containerd#5729 has the code where HNS could not attach an endpoint"


def _endpoint(bench: Bench, **more: Any) -> str:
    return str(bench.endpoint(bench.network("L2Bridge", "10.1.0.0/16")["ID"], **more)["ID"])


def _named(name: str) -> Fault:
    def fault(ask: Ask) -> None:
        ask.id = name

    return fault


def _there(ask: Ask) -> None:
    assert ask.bench.invoke("HcsCreateComputeSystem", {}, id=ask.id).ok


def _with_remote(ask: Ask) -> None:
    ask.document["EndpointList"] = [_endpoint(ask.bench, Flags=1, IpConfigurations=[{"IpAddress": "10.1.0.9"}])]


def _networking(**to: str) -> Fault:
    return setting("Container", to={"Networking": to})


CREATE = Operation(
    "HcsCreateComputeSystem",
    lambda bench: Ask(bench, "HcsCreateComputeSystem", {"Owner": "docker"}, id="web"),
    [
        Check("an id is given", HResult.E_INVALIDARG, "id", _named("")),
        Check("the id is text", HResult.E_INVALIDARG, "id", _named("web\ud800")),
        NO_JSON,
        wrong_type("Owner"),
        Check(
            "the namespace's id is a GUID",
            HResult.HCN_E_GUID_CONVERSION_FAILURE,
            "Container",
            _networking(Namespace="x"),
        ),
        Check("the namespace is there", HResult.ERROR_NOT_FOUND, "Container", _networking(Namespace=OTHER)),
        Check(
            "the system to share with is there",
            HResult.HCS_E_SYSTEM_NOT_FOUND,
            "Container",
            _networking(NetworkSharedContainerName="pause"),
        ),
        Check(
            "endpoints are there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "EndpointList", setting("EndpointList", to=[OTHER])
        ),
        Check(
            "endpoints are of this node",
            HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION,
            "EndpointList",
            _with_remote,
        ),
        Check(
            "no system has the id",
            HResult.HCS_E_SYSTEM_ALREADY_EXISTS,
            "there",
            _there,
            source="microsoft/hcsshim internal/hcs/errors.go: its text",
            how=DOCUMENTED,
        ),
    ],
)
OPEN = Operation(
    "HcsOpenComputeSystem",
    lambda bench: _made(bench),
    [Check("the system is there", HResult.HCS_E_SYSTEM_NOT_FOUND, "id", _named("gone"), source=GONE)],
)


def _made(bench: Bench) -> Ask:
    assert bench.invoke("HcsCreateComputeSystem", {}, id="web").ok
    return Ask(bench, "HcsOpenComputeSystem", id="web")


def _modify(bench: Bench) -> Ask:
    handle = bench.invoke("HcsCreateComputeSystem", {}, id="web").handle
    document = {"ResourceType": "Network", "RequestType": "Add", "Settings": _endpoint(bench)}
    return Ask(bench, "HcsModifyComputeSystem", document, handle=handle)


def _stopped(ask: Ask) -> None:
    handle = ask.bench.invoke("HcsOpenComputeSystem", id="web").handle
    assert ask.bench.invoke("HcsTerminateComputeSystem", handle=handle).ok


def _far(ask: Ask) -> None:
    network = ask.bench.network("L2Bridge", "10.9.0.0/16", Name="far")["ID"]
    ask.document["Settings"] = ask.bench.endpoint(network, Flags=1, IpConfigurations=[{"IpAddress": "10.9.0.9"}])["ID"]


MODIFY = Operation(
    "HcsModifyComputeSystem",
    _modify,
    [
        STALE,
        Check("the system runs", HResult.HCS_E_SYSTEM_ALREADY_STOPPED, "system", _stopped, source=STOPPED, how=CLIENT),
        NO_JSON,
        wrong_type("RequestType"),
        Check(
            "the resource is a network",
            HResult.ERROR_NOT_SUPPORTED,
            "ResourceType",
            setting("ResourceType", to="Memory"),
        ),
        Check(
            "the request is to add or remove",
            HResult.ERROR_NOT_SUPPORTED,
            "request",
            setting("RequestType", to="Update"),
        ),
        Check(
            "the endpoint's id is a GUID",
            HResult.HCN_E_GUID_CONVERSION_FAILURE,
            "Settings",
            setting("Settings", to="x"),
        ),
        Check("the endpoint is there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "Settings", setting("Settings", to=OTHER)),
        Check("the endpoint is of this node", HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION, "Settings", _far),
    ],
)


def _remove(bench: Bench) -> Ask:
    ask = _modify(bench)
    assert ask.send().ok
    ask.document["RequestType"] = "Remove"
    return ask


def _not_its(ask: Ask) -> None:
    network = ask.bench.network("L2Bridge", "10.9.0.0/16", Name="far")["ID"]
    ask.document["Settings"] = ask.bench.endpoint(network)["ID"]


REMOVE = Operation(
    "HcsModifyComputeSystem",
    _remove,
    [
        Check("the endpoint is there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "Settings", setting("Settings", to=OTHER)),
        Check("the endpoint is attached to it", HResult.ERROR_NOT_FOUND, "Settings", _not_its),
    ],
    on="Remove",
)


def _outlived(bench: Bench) -> Ask:
    """Return a request to attach an endpoint to a system in a namespace."""
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})["ID"]
    document = {"Container": {"Networking": {"Namespace": namespace}}}
    assert bench.invoke("HcsCreateComputeSystem", document, id="web").ok
    path = f"/endpoints/{_endpoint(bench)}/attach"
    request = {"SystemType": "Container", "ContainerID": "web"}
    return Ask(bench, "HNSCall", request, "POST", path, ids={"Namespace": namespace})


def _without_namespace(ask: Ask) -> None:
    handle = ask.bench.handle("Namespace", ask.ids["Namespace"])
    request = {"ResourceType": "Container", "RequestType": "Remove", "Settings": {"ContainerId": "web"}}
    assert ask.bench.invoke("HcnModifyNamespace", request, handle=handle).ok
    assert ask.bench.invoke("HcnDeleteNamespace", id=ask.ids["Namespace"]).ok


ATTACH = Operation(
    "POST /endpoints/{id}/attach",
    _outlived,
    [
        Check(
            "the container is there",
            HResult.HCS_E_SYSTEM_NOT_FOUND,
            "ContainerID",
            setting("ContainerID", to="gone"),
            source=GONE,
        ),
        Check(
            "its namespace is there",
            HResult.HCN_E_NAMESPACE_ATTACH_FAILED,
            "namespace",
            _without_namespace,
            source=DEGRADED,
            how=INFERRED,
        ),
    ],
    on="Container",
)
OPERATIONS = [CREATE, OPEN, MODIFY, REMOVE, ATTACH]
