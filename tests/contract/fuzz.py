"""What fuzzing needs: a node with one object of every kind, and a check that any call gets a proper answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hnsfake.documents.hresults import HResult
from tests.contract.service import VERSION, Bench

_RECORD_FIELDS = {"Success", "Error", "ErrorCode"}
_SYSTEM_RECORD_FIELDS = {"Error", "ErrorMessage"}
_WORDS = ("Network", "Endpoint", "Namespace", "LoadBalancer", "SdnRoute")


@dataclass
class Target:
    """A node whose journal is kept in memory, with an object of every kind and a handle to each."""

    bench: Bench
    ids: dict[str, str] = field(default_factory=dict)
    handles: dict[str, int] = field(default_factory=dict)

    def call(self, operation: str, document: Any = "", **parts: Any) -> None:
        """Call, and check the answer: proper JSON, no fault of ours, and after a refusal the very same state."""
        service = self.bench.service
        before, open_before = service.state, len(service._handles)
        reply = self.bench.invoke(operation, document, **parts)
        answer = strict_json(reply.output) if reply.output is not None else None
        if operation == "HNSCall":
            assert answer is not None
            failed, code = not answer["Success"], answer.get("ErrorCode", 0)
        else:
            failed, code = not reply.ok, reply.hresult
            assert (reply.record is not None) == failed
            if reply.record is not None:
                fields = _SYSTEM_RECORD_FIELDS if operation.startswith("Hcs") else _RECORD_FIELDS
                assert set(strict_json(reply.record)) == fields
        assert code != HResult.E_UNEXPECTED, (operation, document, parts)
        if failed:
            assert service.state is before
            assert len(service._handles) == open_before

    def show_all(self) -> None:
        """Ask for everything there is, by both faces: whatever was taken can be shown, and is read back the same."""
        for path in ("networks", "endpoints", "namespaces", "policylists"):
            self.call("HNSCall", method="GET", path=f"/{path}/")
        for word in _WORDS:
            for object_id in json.loads(self.bench.invoke(f"HcnEnumerate{word}s").output or ""):
                opened = self.bench.invoke(f"HcnOpen{word}", id=object_id)
                self.call(f"HcnQuery{word}Properties", {"Flags": 1, "SchemaVersion": VERSION}, handle=opened.handle)
        self.call("HcsEnumerateComputeSystems")
        self.call("HcnEnumerateGuestNetworkPortReservations")
        kept = {(type(noun), noun.id): noun for noun in self.bench.service._journal.read()}
        state = self.bench.service.state
        known = (state.networks, state.endpoints, state.load_balancers, state.sdn_routes, state.guest_network_services)
        for noun in (noun for nouns in known for noun in nouns.values()):
            assert kept[type(noun), noun.id] == noun


def target() -> Target:
    """Return a node with one object of every kind."""
    bench = Bench("ws2025", Path(":memory:"))
    made = Target(bench)
    version = {"SchemaVersion": VERSION}
    network = bench.network("L2Bridge", Name="own")
    endpoint = bench.endpoint(network["ID"])["ID"]
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}]
    documents: dict[str, Any] = {
        "Namespace": version,
        "LoadBalancer": {**version, "HostComputeEndpoints": [endpoint], "PortMappings": ports},
        "SdnRoute": {**version, "HostComputeEndpoints": [endpoint], "Setting": [{"DestinationPrefix": "10.9.0.0/16"}]},
    }
    made.ids = {"Network": network["ID"], "Endpoint": endpoint, "system": "web"}
    made.ids |= {word: bench.made(word, document)["ID"] for word, document in documents.items()}
    made.handles = {word: bench.handle(word, made.ids[word]) for word in _WORDS}
    for word, operation, parts in (
        ("GuestNetworkService", "HcnCreateGuestNetworkService", {"document": version}),
        ("system", "HcsCreateComputeSystem", {"id": "web"}),
        ("registration", "HcnRegisterServiceCallback", {}),
    ):
        made.handles[word] = bench.invoke(operation, **parts).handle or 0
    reserved = {"Protocol": 1, "Access": 1, "Port": 50000}
    service = made.handles["GuestNetworkService"]
    reservation = bench.invoke("HcnReserveGuestNetworkServicePort", reserved, handle=service)
    made.handles["reservation"] = reservation.handle or 0
    return made


def strict_json(text: str) -> Any:
    """Read JSON as strict readers do: UTF-8, no NaN, no infinity, no half of a surrogate pair."""
    value = json.loads(text.encode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _refuse(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    assert abs(number) != float("inf"), text
    return number


_ODD_TEXTS = st.sampled_from(
    [
        '"\\ud800"',
        '"\\udfff\\ud800"',
        '"\\ud83e\\udd84"',
        '"\\u0000"',
        '"\u202e\ufeff"',
        '"\U0001d7d8"',
        '"١٢"',
        '"%s%n"',
        '"²"',
    ]
)
_ODD_NUMBERS = st.sampled_from(
    ["1e999", "-1e999", "1e308", "-0", "-0.0", "1E400", "0.1", str(2**31), str(2**63), str(-(2**64)), "9" * 400, "1e5"]
)


def _wrapped(name: str) -> Any:
    return lambda inner: f'{{"{name}": {inner}, "{name}": {inner}}}'


def raw_json(names: list[str]) -> st.SearchStrategy[str]:
    """Return JSON as text, as no serialiser writes it: duplicate keys, huge numbers, half characters, deep nesting."""
    leaves = _ODD_TEXTS | _ODD_NUMBERS | st.sampled_from(["null", "true", "[]", "{}", '""', '"a"', "0", "1"])
    keys = st.sampled_from(names)
    members = st.lists(st.tuples(keys, st.deferred(lambda: values)), max_size=5)
    objects = members.map(lambda pairs: "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}")
    arrays = st.lists(st.deferred(lambda: values), max_size=3).map(lambda items: "[" + ",".join(items) + "]")
    deep = st.tuples(st.integers(1, 70), leaves).map(lambda pair: "[" * pair[0] + pair[1] + "]" * pair[0])
    values = leaves | objects | arrays | deep
    return objects
