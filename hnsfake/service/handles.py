"""Handles: what Create and Open return, and Close takes back."""

from __future__ import annotations

import itertools
from threading import Lock

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.service.state import Noun

Target = tuple[type[Noun], str]


class Handles:
    """The open handles of one node. A number is never given out twice, so that a stale one is known."""

    def __init__(self) -> None:
        self._open: dict[int, Target] = {}
        self._numbers = itertools.count(1)
        self._lock = Lock()

    def open(self, kind: type[Noun], object_id: str) -> int:
        """Return a new handle to an object."""
        with self._lock:
            number = next(self._numbers)
            self._open[number] = (kind, object_id)
            return number

    def target(self, kind: type[Noun], handle: int | None) -> str:
        """Return the id behind a handle of ``kind``; raise HnsError (E_HANDLE) for any other number."""
        with self._lock:
            target = self._open.get(handle) if handle is not None else None
        if target is None or target[0] is not kind:
            raise HnsError(HResult.E_HANDLE)
        return target[1]

    def close(self, kind: type[Noun], handle: int | None) -> None:
        """Close a handle; raise HnsError (E_HANDLE) where it isn't open."""
        self.target(kind, handle)
        with self._lock:
            self._open.pop(handle or 0, None)

    def __len__(self) -> int:
        with self._lock:
            return len(self._open)
