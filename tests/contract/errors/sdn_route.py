"""SDN routes: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.load_balancer import REQUIRED, endpoint_of
from tests.contract.errors.table import (
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    STALE,
    Ask,
    Check,
    Operation,
    document_id,
    gone,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

ID = "55555555-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
_SETTING = {"DestinationPrefix": "10.5.0.0/16", "NextHop": "10.1.0.3"}


def _document(endpoint: str) -> dict[str, Any]:
    return {"HostComputeEndpoints": [endpoint], "Setting": [_SETTING], "SchemaVersion": VERSION}


def _v2(bench: Bench) -> Ask:
    endpoint = endpoint_of(bench)
    return Ask(bench, "HcnCreateSdnRoute", _document(endpoint), ids={"Endpoint": endpoint})


def _v1(bench: Bench) -> Ask:
    endpoint = endpoint_of(bench)
    document = {"References": [f"/endpoints/{endpoint}"], "Policies": [{"Type": "ROUTE", **_SETTING}]}
    return Ask(bench, "HNSCall", document, "POST", "/policylists/", ids={"Endpoint": endpoint})


def _id_taken(ask: Ask) -> None:
    ask.bench.made("SdnRoute", {**_document(ask.ids["Endpoint"]), "ID": ID})
    ask.document["ID"] = ID


def _backends(nothing: Any, gone_one: Any) -> list[Check]:
    required = HResult.HCN_E_INVALID_JSON_REFERENCE
    return [
        Check("an endpoint is named", required, "endpoints", nothing, detail=REQUIRED),
        Check("the endpoints are there", HResult.HCN_E_PORT_NOT_FOUND, "endpoints", gone_one),
    ]


_TAKEN = Check("no route has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _id_taken)
CREATE = Operation(
    "HcnCreateSdnRoute",
    _v2,
    [
        NOT_A_GUID,
        NO_JSON,
        wrong_type("HostComputeNetwork"),
        document_id(),
        Check(
            "endpoints' ids are GUIDs",
            HResult.HCN_E_GUID_CONVERSION_FAILURE,
            "endpoints",
            setting("HostComputeEndpoints", to=["pod"]),
        ),
        Check("routes can be read", HResult.HCN_E_INVALID_POLICY, "Setting", setting("Setting", 0, "NextHop", to="x")),
        *_backends(setting("HostComputeEndpoints", to=[]), setting("HostComputeEndpoints", to=[OTHER])),
        Check("a route is named", HResult.HCN_E_INVALID_POLICY, "Setting", setting("Setting", to=[])),
        _TAKEN,
    ],
)
CREATE_V1 = Operation(
    "POST /policylists/",
    _v1,
    [
        NO_JSON,
        document_id(),
        Check(
            "the references are to endpoints",
            HResult.HCN_E_INVALID_JSON_REFERENCE,
            "endpoints",
            setting("References", to=["/networks/" + OTHER]),
        ),
        Check("routes can be read", HResult.HCN_E_INVALID_POLICY, "route", setting("Policies", 0, "NextHop", to="x")),
        *_backends(setting("References", to=[]), setting("References", to=[f"/endpoints/{OTHER}"])),
        _TAKEN,
    ],
    on="ROUTE",
)


def _query(bench: Bench) -> Ask:
    made = bench.made("SdnRoute", _document(endpoint_of(bench)))["ID"]
    handle = bench.handle("SdnRoute", made)
    return Ask(bench, "HcnQuerySdnRouteProperties", {}, handle=handle, ids={"SdnRoute": made})


QUERY = Operation(
    "HcnQuerySdnRouteProperties",
    _query,
    [STALE, gone("SdnRoute", HResult.ERROR_NOT_FOUND), NO_JSON, wrong_type("Flags", "all")],
)
OPERATIONS = [CREATE, CREATE_V1, QUERY]
