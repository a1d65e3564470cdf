"""What v2's functions have in common: ids and handles, queries and filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.table import (
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    STALE,
    Ask,
    Check,
    Operation,
    gone,
    setting,
    wrong_type,
)
from tests.contract.errors.v1 import made
from tests.contract.service import Bench

NOUNS = {
    "Network": ("networks", HResult.HCN_E_NETWORK_NOT_FOUND, ""),
    "Endpoint": ("endpoints", HResult.HCN_E_ENDPOINT_NOT_FOUND, ""),
    "Namespace": ("namespaces", HResult.ERROR_NOT_FOUND, "antrea-io/antrea#2301"),
    "LoadBalancer": ("policylists", HResult.ERROR_NOT_FOUND, ""),
}


def _by_id(verb: str, noun: str) -> Any:
    def good(bench: Bench) -> Ask:
        return Ask(bench, f"Hcn{verb}{noun}", id=made(bench, NOUNS[noun][0]))

    return good


def _by_handle(form: str, noun: str) -> Any:
    def good(bench: Bench) -> Ask:
        object_id = made(bench, NOUNS[noun][0])
        return Ask(bench, form.format(noun), {}, handle=bench.handle(noun, object_id), ids={noun: object_id})

    return good


def _elsewhere(ask: Ask) -> None:
    ask.id = OTHER


def _of_each() -> Iterator[Operation]:
    for noun, (_, code, source) in NOUNS.items():
        missing = Check("the object is there", code, "id", _elsewhere, source=source)
        yield Operation(f"HcnOpen{noun}", _by_id("Open", noun), [NOT_A_GUID, missing])
        if noun != "Namespace":
            yield Operation(f"HcnDelete{noun}", _by_id("Delete", noun), [NOT_A_GUID, missing])
        query = [STALE, gone(noun, code, source), NO_JSON, wrong_type("Flags", "all")]
        yield Operation(f"HcnQuery{noun}Properties", _by_handle("HcnQuery{}Properties", noun), query)
        yield Operation(f"HcnClose{noun}", _by_handle("HcnClose{}", noun), [STALE])
        yield Operation(
            f"HcnEnumerate{noun}s",
            _by_handle("HcnEnumerate{}s", noun),
            [
                NO_JSON,
                wrong_type("Flags", "all"),
                Check("the filter is JSON", HResult.HCN_E_INVALID_JSON, "Filter", setting("Filter", to="{")),
            ],
        )


OPERATIONS = list(_of_each())
