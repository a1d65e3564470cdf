"""A node's HNS in memory, and short ways to call it, for the contract tests."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from hnsfake.dataplane.interface import Change, DataplaneError, HostAdapter
from hnsfake.dataplane.none import NoDataplane
from hnsfake.releases import release
from hnsfake.service.call import Call, Reply
from hnsfake.service.hns import HnsService
from hnsfake.service.journal import Journal

VERSION = {"Major": 2, "Minor": 0}
ADAPTER = HostAdapter("Ethernet", "00-15-5D-00-00-0B", (ip_interface("10.127.0.11/24"),))


class WatchedDataplane(NoDataplane):
    """Remembers what it was asked for, and refuses when told to."""

    def __init__(self) -> None:
        super().__init__([ADAPTER])
        self.asked: list[Sequence[Change]] = []
        self.refusal: Exception | None = None

    def apply(self, changes: Sequence[Change]) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.asked.append(list(changes))


class Bench:
    """One HNS on a watched data plane."""

    def __init__(
        self,
        release_name: str = "ws2022",
        journal: Path | None = None,
        seed: int = 1,
        plane: WatchedDataplane | None = None,
        strict: bool = False,
    ) -> None:
        self.plane = plane or WatchedDataplane()
        kept = Journal(journal, "n1") if journal is not None else None
        self.release = release(release_name)
        self.service = HnsService("n1", self.release, self.plane, kept, random.Random(seed), strict)

    def invoke(self, operation: str, document: Any = "", **parts: Any) -> Reply:
        """Call with a document as an object, text or bytes."""
        text = document if isinstance(document, (str, bytes)) else json.dumps(document)
        return self.service.invoke(Call(operation, text, **parts))

    def made(self, noun: str, document: Any, **parts: Any) -> dict[str, Any]:
        """Create an object and return its v2 document."""
        reply = self.invoke(f"HcnCreate{noun}", document, **parts)
        assert reply.ok, reply.record
        return self.shown(noun, reply.handle)

    def shown(self, noun: str, handle: int | None) -> dict[str, Any]:
        """Return the v2 document behind a handle."""
        reply = self.invoke(f"HcnQuery{noun}Properties", {"SchemaVersion": VERSION}, handle=handle)
        document: dict[str, Any] = json.loads(reply.output or "{}")
        return document

    def handle(self, noun: str, object_id: str) -> int:
        """Open an object."""
        handle = self.invoke(f"HcnOpen{noun}", id=object_id).handle
        assert handle is not None
        return handle

    def v1(self, method: str, path: str, document: Any = "") -> Any:
        """Call HNSCall; return the whole envelope."""
        return json.loads(self.invoke("HNSCall", document, method=method, path=path).output or "")

    def network(self, kind: str = "NAT", prefix: str = "10.1.0.0/24", **more: Any) -> dict[str, Any]:
        """Create a network of one subnet."""
        subnet: dict[str, Any] = {"IpAddressPrefix": prefix, "Routes": []}
        if kind == "Overlay":
            subnet["Policies"] = [{"Type": "VSID", "Settings": {"IsolationId": 4096}}]
        document = {
            "Type": kind,
            "Name": f"{kind} {prefix}",
            "Ipams": [{"Subnets": [subnet]}],
            "SchemaVersion": VERSION,
        }
        return self.made("Network", {**document, **more})

    def endpoint(self, network: str, **more: Any) -> dict[str, Any]:
        """Create an endpoint."""
        handle = self.handle("Network", network)
        return self.made("Endpoint", {"SchemaVersion": VERSION, **more}, handle=handle)


def refused(error: str = "no room") -> DataplaneError:
    """Return what a data plane refuses with."""
    return DataplaneError(error)
