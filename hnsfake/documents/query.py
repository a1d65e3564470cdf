"""The query of Enumerate and Query: schema version, flags, and a filter that is JSON inside a string."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hnsfake.documents.schema import Document, DocumentVersion, UInt32, UnknownFields
from hnsfake.documents.text import read_optional_object


class Query(Document):
    """A query (microsoft/hcsshim hcn/hcn.go HostComputeQuery). A filter may be pretty-printed JSON."""

    SchemaVersion: DocumentVersion | None = None
    Flags: UInt32 = 0
    Filter: str = ""

    @property
    def wants_v1(self) -> bool:
        """Whether the answer is asked for in v1's shape: by version 1.0, or by none.

        microsoft/SDN hns.v2.psm1 sends version 1.0; a query without one is answered with the v1 document
        (seen on build 26200).
        """
        return self.SchemaVersion is None or self.SchemaVersion.Major == 1

    def conditions(self) -> Mapping[str, Any]:
        """Return the filter's fields; keys are v1 names (microsoft/hcsshim hcn/*.go)."""
        return read_optional_object(self.Filter)


def read_query(document: bytes | str, unknown: UnknownFields) -> Query:
    """Read a query; none at all asks for everything."""
    return Query.read(read_optional_object(document), unknown)


def matches(view: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    """Whether an object, in v1's shape, meets all ``conditions``.

    Ids and types are compared without regard to case, other text exactly: hcsshim filters by the id in whatever case
    it got, and by Name exactly; a type is shown as a client once sent it. A condition with an empty id matches
    nothing: kube-proxy deletes with "". A field that an object doesn't have meets no condition, but that an endpoint
    that doesn't say it is remote isn't.  # unverified, as is that the case of fields' names is no matter
    """
    return all(_equal(_field(view, name), wanted, name.lower()) for name, wanted in conditions.items())


_IDS = frozenset({"id", "virtualnetwork", "namespaceid"})


def _field(view: Mapping[str, Any], name: str) -> Any:
    if name in view:
        return view[name]
    return next((value for own, value in view.items() if own.lower() == name.lower()), None)


def _equal(actual: Any, wanted: Any, name: str) -> bool:
    if isinstance(actual, str) and isinstance(wanted, str):
        if name in _IDS:
            return actual.lower() == wanted.strip("{}").lower()
        if name == "type":
            return actual.lower() == wanted.lower()
    if name == "isremoteendpoint" and actual is None:
        actual = False
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return actual is wanted
    return actual is not None and bool(actual == wanted)
