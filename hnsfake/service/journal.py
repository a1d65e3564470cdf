"""The journal: what HNS knows, on disk, so that a restart of the service finds it again.

One row an object, written in the transaction of the call that changed it: kill the service at any instant
and the journal holds either the state before the call or the one after.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import TypeAdapter

from hnsfake.documents import endpoint as endpoint_document
from hnsfake.documents import network as network_document
from hnsfake.documents import sdn_route as sdn_route_document
from hnsfake.documents.accelnet import ManagementMacs
from hnsfake.documents.compute_system import ComputeSystem
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.guest_network_service import GuestNetworkService
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.policies import Policy
from hnsfake.documents.policies.record import PolicyRecord, read_v2
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.service.state import Noun

Records = Mapping[tuple[type[Noun], str], Noun | None]

ORDER: tuple[type[Noun], ...] = (
    Network,
    Namespace,
    ComputeSystem,
    Endpoint,
    LoadBalancer,
    SdnRoute,
    GuestNetworkService,
    ManagementMacs,
)
"""The kinds that are kept, each after those it speaks of. A port reservation ends with its holder's handle."""
_KINDS: Mapping[str, type[Noun]] = {kind.__name__: kind for kind in ORDER}
_SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    node TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
    PRIMARY KEY (node, kind, id)
)
"""


class JournalError(Exception):
    """The journal's file can't be used; the text says why in one line."""


class NoJournal:
    """Keeps nothing: the state lives as long as the service."""

    in_memory = True

    def write(self, records: Records) -> None:
        """Forget ``records``."""

    def read(self) -> list[Noun]:
        """Return nothing."""
        return []

    def close(self) -> None:
        """Nothing is held."""


class Journal:
    """The journal of one node in a SQLite file; several nodes may share the file."""

    in_memory = False

    def __init__(self, path: Path, node: str) -> None:
        self._node = node
        self._lock = Lock()
        try:
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            # Power loss may take the last calls, never a part of one.
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise JournalError(f"{path}: {error}") from error

    def write(self, records: Records) -> None:
        """Write the objects of one call, None for those removed, all or nothing."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                for (kind, object_id), noun in records.items():
                    if kind in ORDER:
                        self._write_one(kind.__name__, object_id, noun)
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def read(self) -> list[Noun]:
        """Return all objects, in the order they were first written; raise JournalError."""
        rows = self._database.execute("SELECT kind, document FROM objects WHERE node = ? ORDER BY rowid", (self._node,))
        try:
            return [_load(_KINDS[kind], document) for kind, document in rows]
        except (KeyError, ValueError) as error:
            raise JournalError(f"the journal of node {self._node} can't be read: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _write_one(self, kind: str, object_id: str, noun: Noun | None) -> None:
        key = (self._node, kind, object_id)
        if noun is None:
            self._database.execute("DELETE FROM objects WHERE node = ? AND kind = ? AND id = ?", key)
            return
        document = _adapter(type(noun)).dump_json(noun).decode()
        self._database.execute(
            "INSERT INTO objects VALUES (?, ?, ?, ?) "
            "ON CONFLICT (node, kind, id) DO UPDATE SET document = excluded.document",
            (*key, document),
        )


_ADAPTERS: Mapping[type[Noun], TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in _KINDS.values()}


def _adapter(kind: type[Noun]) -> TypeAdapter[Any]:
    return _ADAPTERS[kind]


def _load(kind: type[Noun], document: str) -> Noun:
    noun: Noun = _adapter(kind).validate_json(document)
    if isinstance(noun, Network):
        subnets = tuple(
            replace(subnet, policies=_reread(subnet.policies, network_document.POLICIES)) for subnet in noun.subnets
        )
        return replace(noun, policies=_reread(noun.policies, network_document.POLICIES), subnets=subnets)
    if isinstance(noun, Endpoint):
        return replace(noun, policies=_reread(noun.policies, endpoint_document.POLICIES))
    if isinstance(noun, SdnRoute):
        return replace(noun, routes=_reread(noun.routes, sdn_route_document.POLICIES))
    return noun


def _reread(records: tuple[PolicyRecord, ...], models: Mapping[str, type[Policy]]) -> tuple[PolicyRecord, ...]:
    """Give policies their typed reading again: the journal holds them as they were sent."""
    return tuple(replace(record, typed=read_v2(record.type, record.settings, models).typed) for record in records)
