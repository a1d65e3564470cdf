"""Writes a node's exchanges to a file, in the order in which its HNS carried them out."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Lock

from hnsfake.recording.lines import Header, RecordingError, exchange_line, header_line
from hnsfake.recording.names import Names
from hnsfake.recording.normal import exchange
from hnsfake.service.call import Call, Reply

log = logging.getLogger("hnsfake.recording")


class Recorder:
    """An observer of a node's HNS. Thread safe.

    A line is written at once and as a whole, before the caller has its answer, so that a killed process leaves
    whole lines. What can't be written ends the recording and not the call: ``close`` tells of it.

    Raises FileExistsError: recordings are not written over.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._file = path.open("xb", buffering=0)
        self._names = Names()
        self._lock = Lock()
        self._problem: Exception | None = None
        self._write(header_line(header))

    def __call__(self, call: Call, reply: Reply) -> None:
        """Write an exchange."""
        with self._lock:
            if self._problem is not None or self._file.closed:
                return
            try:
                self._write(exchange_line(exchange(call, reply, self._names)))
            except Exception as error:
                log.exception("%s: the recording ends here", self._path)
                self._problem = error

    def close(self) -> None:
        """Close the file; raise RecordingError where exchanges are missing in it."""
        with self._lock:
            self._file.close()
        if self._problem is not None:
            raise RecordingError(f"{self._path}: not complete: {self._problem}") from self._problem

    def _write(self, line: bytes) -> None:
        """Write a line, or nothing of it."""
        start = self._file.tell()
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            os.ftruncate(self._file.fileno(), start)
            raise
