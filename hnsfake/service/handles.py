"""Handles: what Create and Open return, and Close takes back."""

from __future__ import annotations

import itertools
import secrets
from dataclasses import dataclass
from threading import Lock

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult

_FIRST_BITS = 40


@dataclass(frozen=True, slots=True)
class _Target:
    kind: type
    id: str
    client: str


class Handles:
    """The open handles of one node.

    A number is never given out twice, nor again after the service's restart, so that a stale one is known; and
    it is good for the client that opened it alone, as handles of RPC are.
    """

    def __init__(self) -> None:
        self._open: dict[int, _Target] = {}
        self._numbers = itertools.count(1 + secrets.randbits(_FIRST_BITS))
        self._lock = Lock()

    def open(self, kind: type, object_id: str, client: str) -> int:
        """Return a new handle to an object."""
        with self._lock:
            number = next(self._numbers)
            self._open[number] = _Target(kind, object_id, client)
            return number

    def target(self, kind: type, handle: int | None, client: str) -> str:
        """Return the id behind a handle of ``kind``; raise HnsError (E_HANDLE) for any other number."""
        with self._lock:
            target = self._open.get(handle) if handle is not None else None
        if target is None or target.kind is not kind or target.client != client:
            raise HnsError(HResult.E_HANDLE)
        return target.id

    def id_of(self, handle: int | None, client: str) -> str | None:
        """Return the id behind a handle of any kind, or None where it isn't open."""
        with self._lock:
            target = self._open.get(handle) if handle is not None else None
        return target.id if target is not None and target.client == client else None

    def close(self, kind: type, handle: int | None, client: str) -> None:
        """Close a handle; raise HnsError (E_HANDLE) where it isn't open."""
        self.target(kind, handle, client)
        with self._lock:
            self._open.pop(handle or 0, None)

    def forget(self) -> None:
        """Make all of them stale: the service begins again."""
        with self._lock:
            self._open.clear()

    def __len__(self) -> int:
        with self._lock:
            return len(self._open)
