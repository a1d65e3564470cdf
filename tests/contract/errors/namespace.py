"""Namespaces: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.network_changes import request_checks
from tests.contract.errors.table import (
    CLIENT,
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    STALE,
    Ask,
    Check,
    Fault,
    Operation,
    document_id,
    gone,
    path_id,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

ID = "33333333-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
NOT_FOUND = "antrea-io/antrea#2301"
IN_USE = "microsoft/Windows-Containers#485, microsoft/hcsshim#2155"
SHIM = "microsoft/hcsshim internal/hns/namespace.go: the text"


def _endpoint(bench: Bench, **more: Any) -> str:
    network = bench.network("L2Bridge", "10.1.0.0/24")["ID"]
    return str(bench.endpoint(network, **more)["ID"])


def _create(bench: Bench) -> Ask:
    return Ask(bench, "HcnCreateNamespace", {"SchemaVersion": VERSION})


def _resource(kind: str, object_id: str) -> Fault:
    return setting("Resources", to=[{"Type": kind, "Data": {"Id": object_id}}])


def _remote_resource(ask: Ask) -> None:
    far = _endpoint(ask.bench, Flags=1, IpConfigurations=[{"IpAddress": "10.1.0.9"}])
    _resource("Endpoint", far)(ask)


def _taken(ask: Ask) -> None:
    ask.bench.made("Namespace", {"ID": ID, "SchemaVersion": VERSION})
    ask.document["ID"] = ID


def _joined_resource(ask: Ask) -> None:
    endpoint = _endpoint(ask.bench)
    entry = {"Type": "Endpoint", "Data": {"Id": endpoint}}
    ask.bench.made("Namespace", {"Resources": [entry], "SchemaVersion": VERSION})
    _resource("Endpoint", endpoint)(ask)


CREATE = Operation(
    "HcnCreateNamespace",
    _create,
    [
        NOT_A_GUID,
        NO_JSON,
        wrong_type("NamespaceId", "two"),
        document_id(),
        Check("the type is one of HNS's", HResult.E_INVALIDARG, "Type", setting("Type", to="Galaxy")),
        Check("resources are of a kind", HResult.HCN_E_REQUEST_UNSUPPORTED, "Resources", _resource("Weather", "x")),
        Check("endpoints are there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "Resources", _resource("Endpoint", OTHER)),
        Check(
            "endpoints are of this node",
            HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION,
            "Resources",
            _remote_resource,
        ),
        Check("no namespace has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _taken),
        Check(
            "endpoints are in no namespace",
            HResult.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS,
            "Resources",
            _joined_resource,
        ),
    ],
)


def _made(bench: Bench) -> str:
    return str(bench.made("Namespace", {"ID": ID, "SchemaVersion": VERSION})["ID"])


def _modify(kind: str, request: str) -> Any:
    def good(bench: Bench) -> Ask:
        namespace, endpoint = _made(bench), _endpoint(bench)
        settings = {"EndpointId": endpoint} if kind == "Endpoint" else {"ContainerId": "web"}
        document = {"ResourceType": kind, "RequestType": request, "Settings": settings}
        ids = {"Namespace": namespace, "Endpoint": endpoint}
        return Ask(bench, "HcnModifyNamespace", document, handle=bench.handle("Namespace", namespace), ids=ids)

    return good


def _names(endpoint: str) -> Fault:
    return setting("Settings", "EndpointId", to=endpoint)


def _names_a_remote_one(ask: Ask) -> None:
    network = ask.bench.network("L2Bridge", "10.6.0.0/24", Name="far")["ID"]
    far = ask.bench.endpoint(network, Flags=1, IpConfigurations=[{"IpAddress": "10.6.0.9"}])["ID"]
    ask.document["Settings"]["EndpointId"] = far


def _is_elsewhere(ask: Ask) -> None:
    entry = {"Type": "Endpoint", "Data": {"Id": ask.ids["Endpoint"]}}
    ask.bench.made("Namespace", {"Resources": [entry], "SchemaVersion": VERSION})


ADD = Operation(
    "HcnModifyNamespace",
    _modify("Endpoint", "Add"),
    [
        STALE,
        gone("Namespace", HResult.ERROR_NOT_FOUND, source=NOT_FOUND),
        *request_checks(),
        Check(
            "the settings have their types",
            HResult.HCN_E_INVALID_JSON,
            "endpoint",
            setting("Settings", "EndpointId", to=5),
            detail="EndpointId",
        ),
        Check("the endpoint's id is a GUID", HResult.HCN_E_GUID_CONVERSION_FAILURE, "endpoint", _names("pod")),
        Check("the endpoint is there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "endpoint", _names(OTHER)),
        Check(
            "the endpoint is of this node",
            HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION,
            "endpoint",
            _names_a_remote_one,
        ),
        Check(
            "the endpoint is in no other namespace",
            HResult.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS,
            "elsewhere",
            _is_elsewhere,
        ),
    ],
    on="Endpoint, Add",
)


def _joined(bench: Bench) -> Ask:
    ask: Ask = _modify("Endpoint", "Remove")(bench)
    request = {**ask.document, "RequestType": "Add"}
    assert bench.invoke("HcnModifyNamespace", request, handle=ask.handle).ok
    return ask


def _out_of_it(ask: Ask) -> None:
    settings = {"ResourceType": "Endpoint", "RequestType": "Remove", "Settings": {"EndpointId": ask.ids["Endpoint"]}}
    assert ask.bench.invoke("HcnModifyNamespace", settings, handle=ask.bench.handle("Namespace", ID)).ok


REMOVE = Operation(
    "HcnModifyNamespace",
    _joined,
    [
        Check("the endpoint is there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "endpoint", _names(OTHER)),
        Check("the endpoint is in it", HResult.ERROR_NOT_FOUND, "elsewhere", _out_of_it, source=SHIM, how=CLIENT),
    ],
    on="Endpoint, Remove",
)
ADD_CONTAINER = Operation(
    "HcnModifyNamespace",
    _modify("Container", "Add"),
    [
        Check(
            "a container is named",
            HResult.E_INVALIDARG,
            "container",
            setting("Settings", to={"ContainerId": ""}),
        ),
    ],
    on="Container, Add",
)


def _delete(bench: Bench) -> Ask:
    return Ask(bench, "HcnDeleteNamespace", id=_made(bench))


def _with_container(ask: Ask) -> None:
    request = {"ResourceType": "Container", "RequestType": "Add", "Settings": {"ContainerId": "web"}}
    assert ask.bench.invoke("HcnModifyNamespace", request, handle=ask.bench.handle("Namespace", ID)).ok


def _other_id(ask: Ask) -> None:
    ask.id = OTHER


def _other_path(ask: Ask) -> None:
    ask.path = f"/namespaces/{OTHER}"


DELETE = Operation(
    "HcnDeleteNamespace",
    _delete,
    [
        NOT_A_GUID,
        Check("the namespace is there", HResult.ERROR_NOT_FOUND, "id", _other_id, source=NOT_FOUND),
        Check("no container is in it", HResult.HCN_E_REQUEST_UNSUPPORTED, "container", _with_container, source=IN_USE),
    ],
)
DELETE_V1 = Operation(
    "DELETE /namespaces/{id}",
    lambda bench: Ask(bench, "HNSCall", method="DELETE", path=f"/namespaces/{_made(bench)}"),
    [
        *path_id("namespaces", HResult.ERROR_NOT_FOUND, source=SHIM, how=CLIENT),
        Check("no container is in it", HResult.HCN_E_REQUEST_UNSUPPORTED, "container", _with_container, source=IN_USE),
    ],
)


def _resource_call(action: str) -> Any:
    def good(bench: Bench) -> Ask:
        namespace, endpoint = _made(bench), _endpoint(bench)
        document = {"Type": "Endpoint", "Data": {"Id": endpoint}}
        ids = {"Namespace": namespace, "Endpoint": endpoint}
        return Ask(bench, "HNSCall", document, "POST", f"/namespaces/{namespace}/{action}", ids=ids)

    return good


ADD_V1 = Operation(
    "POST /namespaces/{id}/addresource",
    _resource_call("addresource"),
    [
        *path_id("namespaces", HResult.ERROR_NOT_FOUND, "addresource", source=SHIM, how=CLIENT),
        NO_JSON,
        wrong_type("Type"),
        Check("the resource is of a kind", HResult.HCN_E_REQUEST_UNSUPPORTED, "Type", setting("Type", to="Weather")),
        Check("the endpoint is there", HResult.HCN_E_ENDPOINT_NOT_FOUND, "Data", setting("Data", "Id", to=OTHER)),
        Check(
            "the endpoint is in no other namespace",
            HResult.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS,
            "elsewhere",
            _is_elsewhere,
        ),
    ],
)
OPERATIONS = [CREATE, ADD, REMOVE, ADD_CONTAINER, DELETE, ADD_V1, DELETE_V1]
