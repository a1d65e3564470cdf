"""Guest network services: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.network_changes import request_checks
from tests.contract.errors.table import (
    NO_JSON,
    NOT_A_GUID,
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

ID = "66666666-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
NO_BLOCK = "microsoft/WSL#12351"
_NOUN = "GuestNetworkService"


def _taken(ask: Ask) -> None:
    assert ask.bench.invoke("HcnCreateGuestNetworkService", {"ID": ID, "SchemaVersion": VERSION}).ok
    ask.document["ID"] = ID


CREATE = Operation(
    "HcnCreateGuestNetworkService",
    lambda bench: Ask(bench, "HcnCreateGuestNetworkService", {"SchemaVersion": VERSION}),
    [
        NOT_A_GUID,
        NO_JSON,
        wrong_type("Name"),
        document_id(),
        Check("no service has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _taken),
    ],
)


def _of_service(operation: str, document: Any) -> Any:
    def good(bench: Bench) -> Ask:
        handle = bench.invoke("HcnCreateGuestNetworkService", {"ID": ID, "SchemaVersion": VERSION}).handle
        return Ask(bench, operation, document, handle=handle, ids={_NOUN: ID})

    return good


def _reserved(ask: Ask) -> None:
    request = {"Protocol": 1, "Access": 1, "Port": 50000}
    assert ask.bench.invoke("HcnReserveGuestNetworkServicePort", request, handle=ask.handle).ok


GONE = gone(_NOUN, HResult.ERROR_NOT_FOUND)
MODIFY = Operation(
    "HcnModifyGuestNetworkService",
    _of_service(
        "HcnModifyGuestNetworkService",
        {"ResourceType": "State", "RequestType": "Update", "Settings": {"State": "Paused"}},
    ),
    [
        STALE,
        GONE,
        *request_checks(),
        Check("the state is one of HNS's", HResult.E_INVALIDARG, "State", setting("Settings", "State", to="Asleep")),
    ],
)
RESERVE = Operation(
    "HcnReserveGuestNetworkServicePort",
    _of_service("HcnReserveGuestNetworkServicePort", {"Protocol": 1, "Access": 1, "Port": 50000}),
    [
        STALE,
        GONE,
        NO_JSON,
        wrong_type("Access", "shared"),
        Check("the protocol is one of HNS's", HResult.E_INVALIDARG, "Protocol", setting("Protocol", to=4)),
        Check("the port is one", HResult.E_INVALIDARG, "Port", setting("Port", to=0)),
        Check("the port is free", HResult.HCN_E_PORT_ALREADY_EXISTS, "reserved", _reserved),
    ],
)
RESERVE_RANGE = Operation(
    "HcnReserveGuestNetworkServicePortRange",
    _of_service("HcnReserveGuestNetworkServicePortRange", {"PortCount": 16}),
    [
        STALE,
        GONE,
        NO_JSON,
        Check("some are asked for", HResult.E_INVALIDARG, "PortCount", setting("PortCount", to=0)),
        Check(
            "so many in a row are free",
            HResult.ERROR_INTERNAL_ERROR,
            "PortCount",
            setting("PortCount", to=65535),
            source=NO_BLOCK,
        ),
    ],
)
OPERATIONS = [CREATE, MODIFY, RESERVE, RESERVE_RANGE]
