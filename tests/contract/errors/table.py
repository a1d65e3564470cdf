"""What the table is made of: operations, the checks of each in their order, and requests with faults in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Reply
from tests.contract.service import Bench

Document = dict[str, Any]
RELEASES = ("ws2019", "ws2022", "ws2025")
BEFORE_2025 = ("ws2019", "ws2022")
PUBLISHED = "published output"
CLIENT = "client code"
DOCUMENTED = "documentation"
INFERRED = "inferred"
NO_GUID = "no guid"
OTHER = "99999999-8888-7777-6666-555555555555"
"""The id of nothing."""


@dataclass
class Ask:
    """A request, good until faults are put into it, and the node that it goes to."""

    bench: Bench
    operation: str
    document: Document = field(default_factory=dict)
    method: str = ""
    path: str = ""
    id: str | None = None
    handle: int | None = None
    broken: bool = False
    """Whether the document's text is cut off."""
    ids: dict[str, str] = field(default_factory=dict)
    """The objects that were made for it."""

    def send(self) -> Reply:
        text = json.dumps(self.document)
        parts = {"method": self.method, "path": self.path, "id": self.id, "handle": self.handle}
        return self.bench.invoke(self.operation, text[:-1] if self.broken else text, **parts)


Fault = Callable[[Ask], None]


@dataclass(frozen=True)
class Check:
    """One check of an operation: what makes it fail, alone, and what it says then.

    ``part`` is what of a request the fault is in: two faults in one part are not put into one request.
    """

    name: str
    hresult: HResult
    part: str
    fault: Fault
    detail: str = ""
    source: str = ""
    how: str = PUBLISHED
    releases: Sequence[str] = RELEASES

    @property
    def known(self) -> tuple[str, str]:
        """How it is known, and where it is published, or what it is inferred from."""
        return (self.how, self.source) if self.source else (INFERRED, "the text of the code")


@dataclass(frozen=True)
class Operation:
    """A function, or v1's method and path, with its checks in the order in which they are made."""

    name: str
    good: Callable[[Bench], Ask]
    checks: Sequence[Check]
    releases: Sequence[str] = RELEASES
    on: str = ""
    """What is special about the request."""

    @property
    def title(self) -> str:
        return f"{self.name} ({self.on})" if self.on else self.name

    def of(self, release: str) -> list[Check]:
        """Return the checks that a release makes."""
        return [check for check in self.checks if release in check.releases]

    def pairs(self, release: str) -> Iterator[tuple[Check, Check]]:
        """Iterate over the pairs of faults that can be in one request, the one found first before the other."""
        for first, second in combinations(self.of(release), 2):
            if first.part != second.part:
                yield first, second


def with_faults(operation: Operation, release: str, checks: Iterable[Check]) -> Ask:
    """Return a request with these faults; the last first, for a fault may take away what a later one is about."""
    ask = operation.good(Bench(release))
    ask.document = deepcopy(ask.document)
    for check in reversed(list(checks)):
        check.fault(ask)
    return ask


def setting(*names: str | int, to: Any) -> Fault:
    """Return a fault: a member of the document, given by its way there, has another value."""

    def fault(ask: Ask) -> None:
        place: Any = ask.document
        for name in names[:-1]:
            place = place[name]
        place[names[-1]] = deepcopy(to)

    return fault


def adding(*names: str | int, item: Any) -> Fault:
    """Return a fault: a list of the document, given by its way there, has one more item."""

    def fault(ask: Ask) -> None:
        place: Any = ask.document
        for name in names[:-1]:
            place = place[name]
        place.setdefault(names[-1], []).append(deepcopy(item))

    return fault


def _break(ask: Ask) -> None:
    ask.broken = True


def _no_guid(ask: Ask) -> None:
    ask.id = NO_GUID


def _no_handle(ask: Ask) -> None:
    ask.handle = 1


NOT_A_GUID = Check("the id is a GUID", HResult.HCN_E_GUID_CONVERSION_FAILURE, "id", _no_guid)
NO_JSON = Check(
    "the document is JSON",
    HResult.HCN_E_INVALID_JSON,
    "text",
    _break,
    source="microsoft/windows-container-networking#69 has the code",
    how=INFERRED,
)
STALE = Check("the handle is open", HResult.E_HANDLE, "handle", _no_handle)


def wrong_type(name: str, value: Any = 5) -> Check:
    """Return the check of the types of the document's members, failed by one of them."""
    text = f"{name} has its type"
    return Check(text, HResult.HCN_E_INVALID_JSON, name, setting(name, to=value), detail=name)


def document_id() -> Check:
    """Return the check of the id that the document names."""
    return Check("ID is a GUID", HResult.HCN_E_GUID_CONVERSION_FAILURE, "ID", setting("ID", to=NO_GUID))


def gone(noun: str, hresult: HResult, source: str = "", how: str = PUBLISHED) -> Check:
    """Return the check that the object behind the handle is still there."""

    def fault(ask: Ask) -> None:
        assert ask.bench.invoke(f"HcnDelete{noun}", id=ask.ids[noun]).ok

    return Check("the object behind the handle is there", hresult, "object", fault, source=source, how=how)


def path_id(collection: str, hresult: HResult, action: str = "", source: str = "", how: str = PUBLISHED) -> list[Check]:
    """Return the checks of the object that v1's path names."""

    def put(object_id: str) -> Fault:
        def fault(ask: Ask) -> None:
            ask.path = "/".join(["", collection, object_id, action]).rstrip("/")

        return fault

    return [
        Check("the path's id is a GUID", HResult.HCN_E_GUID_CONVERSION_FAILURE, "path", put(NO_GUID)),
        Check("the path's object is there", hresult, "path", put(OTHER), source=source, how=how),
    ]


def calls(operation: str, **parts: Any) -> Fault:
    """Return a fault: something was done before that is in the way."""

    def fault(ask: Ask) -> None:
        reply = ask.bench.invoke(operation, **parts)
        assert reply.ok, reply.record

    return fault
