"""A client of HNS as thin as hcsshim: documents in, documents out, failures as exceptions."""

from __future__ import annotations

import json
from typing import Any

from suites.host import Host

Document = dict[str, Any]


QUERY: Document = {"SchemaVersion": {"Major": 2, "Minor": 0}, "Flags": 0}


class HnsFailureError(Exception):
    """A call that failed: ``code`` is the HRESULT, ``text`` the record's message."""

    def __init__(self, operation: str, code: int, text: str) -> None:
        super().__init__(f"{operation}: {text} ({code:#x})")
        self.code = code
        self.text = text


class Hns:
    """HNS of one host, by both faces."""

    def __init__(self, host: Host) -> None:
        self.host = host

    # v2, by handles as computenetwork.dll has them

    def create(self, noun: str, document: Document, *, network: str | None = None, object_id: str | None = None) -> str:
        """Create an object ("Network", "Endpoint", "Namespace"); return its id."""
        of = self._open("Network", network) if network is not None else None
        try:
            reply = self._v2(f"HcnCreate{noun}", document, handle=of, object_id=object_id)
        finally:
            if of is not None:
                self._v2("HcnCloseNetwork", handle=of)
        assert reply.handle is not None
        try:
            found: str = json.loads(self._v2(f"HcnQuery{noun}Properties", QUERY, handle=reply.handle).output or "")[
                "ID"
            ]
        finally:
            self._v2(f"HcnClose{noun}", handle=reply.handle)
        return found

    def query(self, noun: str, object_id: str, query: Document | None = None) -> Document:
        """Open an object, query it, close it."""
        handle = self._open(noun, object_id)
        try:
            answer: Document = json.loads(
                self._v2(f"HcnQuery{noun}Properties", query or QUERY, handle=handle).output or ""
            )
        finally:
            self._v2(f"HcnClose{noun}", handle=handle)
        return answer

    def enumerate(self, noun: str, **conditions: Any) -> list[str]:
        """Return the ids of objects that meet all conditions (v1 field names, as clients send them)."""
        query = {
            "SchemaVersion": {"Major": 2, "Minor": 0},
            "Flags": 0,
            "Filter": json.dumps(conditions) if conditions else "",
        }
        ids: list[str] = json.loads(self._v2(f"HcnEnumerate{noun}s", query).output or "[]")
        return ids

    def modify(self, noun: str, object_id: str, request: Document) -> None:
        """Open an object, modify it, close it."""
        handle = self._open(noun, object_id)
        try:
            self._v2(f"HcnModify{noun}", request, handle=handle)
        finally:
            self._v2(f"HcnClose{noun}", handle=handle)

    def delete(self, noun: str, object_id: str) -> None:
        """Delete an object."""
        self._v2(f"HcnDelete{noun}", object_id=object_id)

    def join(self, namespace: str, endpoint: str) -> None:
        """Put an endpoint into a namespace."""
        self._namespace_endpoint(namespace, endpoint, "Add")

    def leave(self, namespace: str, endpoint: str) -> None:
        """Take an endpoint out of a namespace."""
        self._namespace_endpoint(namespace, endpoint, "Remove")

    def compartment(self, namespace: str) -> int:
        """Return a namespace's compartment number."""
        number: int = self.query("Namespace", namespace)["NamespaceId"]
        return number

    # v1

    def call(self, method: str, path: str, document: Document | None = None) -> Any:
        """Call HNSCall; return the envelope's Output."""
        text = json.dumps(document) if document is not None else ""
        reply = self.host.invoke("HNSCall", text, method=method, path=path)
        envelope = json.loads(reply.output or "{}")
        if not envelope.get("Success"):
            raise HnsFailureError(f"{method} {path}", envelope.get("ErrorCode", 0), envelope.get("Error", ""))
        return envelope.get("Output")

    def _namespace_endpoint(self, namespace: str, endpoint: str, request: str) -> None:
        settings = {"EndpointId": endpoint}
        self.modify("Namespace", namespace, {"ResourceType": "Endpoint", "RequestType": request, "Settings": settings})

    def _open(self, noun: str, object_id: str) -> int:
        handle: int = self._v2(f"HcnOpen{noun}", object_id=object_id).handle
        return handle

    def _v2(
        self,
        operation: str,
        document: Document | None = None,
        *,
        object_id: str | None = None,
        handle: int | None = None,
    ) -> Any:
        text = json.dumps(document) if document is not None else ""
        reply = self.host.invoke(operation, text, object_id=object_id, handle=handle)
        if reply.hresult or reply.record:
            record = json.loads(reply.record or "{}")
            raise HnsFailureError(operation, reply.hresult, record.get("Error", ""))
        return reply
