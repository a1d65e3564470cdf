"""What v1's paths have in common: lists, objects, and what is no path at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.table import CLIENT, PUBLISHED, Ask, Check, Fault, Operation, path_id, setting
from tests.contract.service import VERSION, Bench

NOT_FOUND = {
    "networks": HResult.HCN_E_NETWORK_NOT_FOUND,
    "endpoints": HResult.HCN_E_ENDPOINT_NOT_FOUND,
    "namespaces": HResult.ERROR_NOT_FOUND,
    "policylists": HResult.ERROR_NOT_FOUND,
}
KNOWN = {
    ("DELETE", "endpoints"): (PUBLISHED, "Azure/azure-container-networking#715"),
    ("GET", "namespaces"): (CLIENT, "microsoft/hcsshim internal/hns/namespace.go: the text"),
}


def _at(method: str, path: str) -> Fault:
    def fault(ask: Ask) -> None:
        ask.method, ask.path = method, path

    return fault


def made(bench: Bench, collection: str) -> str:
    """Make an object of a collection; return its id."""
    if collection == "namespaces":
        return str(bench.made("Namespace", {"SchemaVersion": VERSION})["ID"])
    network = bench.network("L2Bridge", "10.1.0.0/16")["ID"]
    if collection == "networks":
        return str(network)
    endpoint = bench.endpoint(network)["ID"]
    if collection == "endpoints":
        return str(endpoint)
    policy = {"Type": "ELB", "Protocol": 6, "InternalPort": 80, "ExternalPort": 80, "VIPs": ["10.96.0.1"]}
    document = {"References": [f"/endpoints/{endpoint}"], "Policies": [policy]}
    return str(bench.v1("POST", "/policylists/", document)["Output"]["ID"])


def _good(method: str, collection: str) -> Any:
    def good(bench: Bench) -> Ask:
        return Ask(bench, "HNSCall", method=method, path=f"/{collection}/{made(bench, collection)}")

    return good


def _of_each() -> Iterator[Operation]:
    for collection, code in NOT_FOUND.items():
        for method in ("GET", "DELETE"):
            if (method, collection) != ("DELETE", "namespaces"):
                how, source = KNOWN.get((method, collection), (PUBLISHED, ""))
                checks = path_id(collection, code, source=source, how=how)
                yield Operation(f"{method} /{collection}/{{id}}", _good(method, collection), checks)


PATHS = Operation(
    "HNSCall",
    lambda bench: Ask(bench, "HNSCall", method="GET", path="/networks/"),
    [
        Check("there is such a path", HResult.HCN_E_REQUEST_UNSUPPORTED, "path", _at("GET", "/weather/")),
        Check("the path takes the method", HResult.HCN_E_REQUEST_UNSUPPORTED, "path", _at("PUT", "/networks/")),
    ],
)
ACCELNET = Operation(
    "POST /accelnet/",
    lambda bench: Ask(bench, "HNSCall", {"MacAddressList": []}, "POST", "/accelnet/"),
    [
        Check(
            "MACs can be read",
            HResult.E_INVALIDARG,
            "MACs",
            setting("MacAddressList", to=[{"MacAddress": "x"}]),
        ),
    ],
    releases=("ws2025",),
)
OPERATIONS = [PATHS, *_of_each(), ACCELNET]
