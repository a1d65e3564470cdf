"""What clients branch on: each row is a call of theirs, in a situation of theirs, and the condition they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import Hns, HnsFailureError

NOWHERE = "11111111-2222-3333-4444-555555555555"
E_NOTIMPL = 0x80004001
_WIN32 = 0x80070000
_MODIFIES_LOAD_BALANCERS = (15, 4)
HCSSHIM = "microsoft/hcsshim hcn/hcnerrors.go"
SHIM = "microsoft/hcsshim internal/hns/namespace.go"
WCN = "microsoft/windows-container-networking common/core/network.go, network/manager.go"


def win32(code: int) -> int:
    """Return the Win32 error in an HRESULT that has one, or the HRESULT itself (hcsshim internal/hcserror)."""
    return code & 0xFFFF if code & 0xFFFF0000 == _WIN32 else code


def is_element_not_found(error: HnsFailureError) -> bool:
    """hcsshim's IsElementNotFoundError."""
    return win32(error.code) == 0x490


def is_port_already_exists(error: HnsFailureError) -> bool:
    """hcsshim's IsPortAlreadyExistsError."""
    return win32(error.code) == codes.PORT_ALREADY_EXISTS


def is_not_implemented(error: HnsFailureError) -> bool:
    """hcsshim's IsNotImplemented."""
    return win32(error.code) == E_NOTIMPL


def contains(text: str) -> Callable[[HnsFailureError], bool]:
    """Return strings.Contains of an error's text, as hcsshim's v1 calls write it."""
    return lambda error: text in f"hns failed with error : {error.text}"


def contains_in_lower_case(text: str) -> Callable[[HnsFailureError], bool]:
    return lambda error: text in f"hns failed with error : {error.text}".lower()


@dataclass(frozen=True)
class Row:
    """A client's call that fails; ``act`` makes it, ``wants`` is the client's condition."""

    name: str
    source: str
    act: Callable[[Workshop], Any]
    wants: Callable[[HnsFailureError], bool]


def _mapped_twice(shop: Workshop) -> None:
    network = shop.network()
    mapping = documents.policy("PortMapping", Protocol=17, InternalPort=45678, ExternalPort=56789)
    shop.endpoint(network, documents.endpoint("one", policies=[mapping]))
    shop.endpoint(network, documents.endpoint("two", policies=[mapping]))


def _load_balancer_on_a_mapped_port(shop: Workshop) -> None:
    mapping = documents.policy("PortMapping", Protocol=6, InternalPort=80, ExternalPort=31080)
    endpoint = shop.endpoint(shop.network(), documents.endpoint("pod", policies=[mapping]))
    document = documents.load_balancer([endpoint], "", 31080)
    shop.adopt("LoadBalancer", shop.hns.create("LoadBalancer", {**document, "FrontendVIPs": []}))


def _joined_in_v1(shop: Workshop, request: str) -> None:
    path = f"/namespaces/{NOWHERE}/{request}"
    shop.hns.call("POST", path, {"Type": "Endpoint", "Data": {"Id": NOWHERE}})


def _left_twice(shop: Workshop) -> None:
    namespace, endpoint = shop.namespace(), shop.endpoint(shop.network())
    shop.hns.join(namespace, endpoint)
    path = f"/namespaces/{namespace}/removeresource"
    for _ in range(2):
        shop.hns.call("POST", path, {"Type": "Endpoint", "Data": {"Id": endpoint}})


def _attached_twice(shop: Workshop) -> None:
    path = f"/endpoints/{shop.endpoint(shop.network())}/attach"
    for _ in range(2):
        shop.hns.call("POST", path, {"SystemType": "Host", "CompartmentID": 1})


def _attached_to_no_container(shop: Workshop) -> None:
    path = f"/endpoints/{shop.endpoint(shop.network())}/attach"
    shop.hns.call("POST", path, {"SystemType": "Container", "ContainerID": NOWHERE})


def _deleted_twice_in_v1(shop: Workshop) -> None:
    path = f"/endpoints/{shop.endpoint(shop.network())}"
    for _ in range(2):
        shop.hns.call("DELETE", path)


ROWS = [
    Row("the same mapping on two endpoints", f"{HCSSHIM}, {WCN}", _mapped_twice, is_port_already_exists),
    Row("a node port that an endpoint has", HCSSHIM, _load_balancer_on_a_mapped_port, is_port_already_exists),
    Row("opening no namespace", HCSSHIM, lambda shop: shop.hns.query("Namespace", NOWHERE), is_element_not_found),
    Row("deleting no namespace", HCSSHIM, lambda shop: shop.hns.delete("Namespace", NOWHERE), is_element_not_found),
    Row(
        "the namespace of a sandbox that is gone",
        SHIM,
        lambda shop: shop.hns.call("DELETE", f"/namespaces/{NOWHERE}"),
        contains("Element not found."),
    ),
    Row(
        "a resource of a namespace that is gone",
        SHIM,
        lambda shop: _joined_in_v1(shop, "removeresource"),
        contains("Element not found."),
    ),
    Row("a resource that is gone from its namespace", SHIM, _left_twice, contains("Element not found.")),
    Row(
        "a host attach that was made already",
        "flannel-io/flannel pkg/backend/hostgw",
        _attached_twice,
        contains("This endpoint is already attached to the switch."),
    ),
    Row(
        "the delete of an endpoint that is gone",
        "Azure/azure-container-networking network/endpoint_windows.go",
        _deleted_twice_in_v1,
        contains_in_lower_case("not found"),
    ),
    Row(
        "the delete of an endpoint that is gone, in words",
        "antrea-io/antrea pkg/agent/cniserver/interface_configuration_windows.go",
        _deleted_twice_in_v1,
        contains("The endpoint was not found"),
    ),
    Row(
        "a container that has not started",
        "moby/moby daemon/libnetwork/drivers/windows",
        _attached_to_no_container,
        contains("A Compute System with the specified identifier does not exist."),
    ),
]
PARAMS = [pytest.param(row, id=row.name, marks=pytest.mark.known("client code", row.source)) for row in ROWS]


@pytest.mark.parametrize("row", PARAMS)
def test_a_failure_is_of_the_kind_that_the_client_looks_for(overlay: Workshop, row: Row) -> None:
    with pytest.raises(HnsFailureError) as failed:
        row.act(overlay)
    assert row.wants(failed.value), failed.value


@pytest.mark.known("client code", f"{HCSSHIM}: NotFound errors are made of empty lists")
@pytest.mark.parametrize("noun", ["Network", "Endpoint", "Namespace", "LoadBalancer", "SdnRoute"])
def test_looking_for_what_is_not_there_finds_nothing_and_does_not_fail(hns: Hns, noun: str) -> None:
    assert hns.enumerate(noun, ID=NOWHERE) == []


@pytest.mark.known("client code", "kubernetes/kubernetes pkg/proxy/winkernel/proxier.go: deletes and creates then")
def test_a_load_balancer_that_can_not_be_updated_is_not_implemented(overlay: Workshop) -> None:
    version = overlay.hns.call("GET", "/globals/version")
    document = documents.load_balancer([overlay.endpoint(overlay.network())], "10.96.21.1", 80)
    balancer = overlay.adopt("LoadBalancer", overlay.hns.create("LoadBalancer", document))
    if (version["Major"], version["Minor"]) >= _MODIFIES_LOAD_BALANCERS:
        overlay.hns.modify("LoadBalancer", balancer, document)
        return
    with pytest.raises(HnsFailureError) as failed:
        overlay.hns.modify("LoadBalancer", balancer, document)
    assert is_not_implemented(failed.value)


@pytest.mark.known("published output", "kubernetes/kubernetes#100384, projectcalico/calico#5762")
def test_a_load_balancer_of_nothing_lacks_a_reference(hns: Hns) -> None:
    with pytest.raises(HnsFailureError) as failed:
        hns.create("LoadBalancer", documents.load_balancer([], "10.96.21.2", 80))
    assert failed.value.code == codes.INVALID_JSON_REFERENCE
    assert failed.value.text == "The reference is invalid in the JSON document. A Reference is required"


@pytest.mark.known("published output", "microsoft/Windows-Containers#485, microsoft/hcsshim#2155")
def test_a_namespace_with_a_container_is_not_deleted(nat: Workshop) -> None:
    namespace = nat.namespace()
    settings = {"ContainerId": "291cd4892b99"}
    request = {"ResourceType": "Container", "RequestType": "Add", "Settings": settings}
    nat.hns.modify("Namespace", namespace, request)
    with pytest.raises(HnsFailureError) as failed:
        nat.hns.delete("Namespace", namespace)
    assert (failed.value.code, failed.value.text) == (
        codes.REQUEST_UNSUPPORTED,
        "The specified request is unsupported. ",
    )
    nat.hns.modify("Namespace", namespace, {**request, "RequestType": "Remove"})


TEXTS = [
    ("DELETE", f"/endpoints/{NOWHERE}", "The endpoint was not found. ", "Azure/azure-container-networking#715"),
    ("GET", f"/namespaces/{NOWHERE}", "Element not found. ", "antrea-io/antrea#2301, in v2"),
]


@pytest.mark.parametrize(
    ("method", "path", "text"),
    [pytest.param(*row[:3], id=row[2], marks=pytest.mark.known("published output", row[3])) for row in TEXTS],
)
def test_a_v1_failure_has_windows_sentence_and_a_blank(hns: Hns, method: str, path: str, text: str) -> None:
    with pytest.raises(HnsFailureError) as failed:
        hns.call(method, path)
    assert failed.value.text == text
