"""Batched rtnetlink: many messages, one send, one acknowledgement each.

Messages are encoded by pyroute2. Encoding one costs as much as the kernel's work on it, so what is sent for
every endpoint is encoded once, as a ``Template``, and filled in by copying bytes.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import struct
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from pyroute2.iproute.linux import IPBatch

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError

log = logging.getLogger("hnsfake.dataplane")

_NETLINK_EXT_ACK = 11
_SOL_NETLINK = 270
_NLMSG_ERROR = 2
_NLM_F_ACK = 4
_NLM_F_CAPPED = 0x100
_NLMSGERR_ATTR_MSG = 1
_HEADER = struct.Struct("=IHHII")
_AT_ONCE = 64
_PATIENCE = struct.pack("@ll", 30, 0)
_SO_ALREADY = {errno.EEXIST, errno.ENODEV, errno.ENOENT, errno.ESRCH, errno.EADDRNOTAVAIL}
_LACKS = {95: "operation not supported", 93: "protocol not supported", 97: "address family not supported"}


class NetlinkError(DataplaneError):
    """The kernel refused a message: ``number`` is the errno, ``position`` its place in the batch."""

    def __init__(self, number: int, position: int, purpose: str, detail: str) -> None:
        reason = detail or os.strerror(number)
        super().__init__(f"{purpose}: {reason} ({os.strerror(number)})")
        self.number = number
        self.position = position


def encode(build: Callable[[IPBatch], object]) -> bytes:
    """Return the message that ``build`` asks an IPBatch for."""
    batch = IPBatch()
    try:
        build(batch)
        return bytes(batch.batch)
    finally:
        batch.close()


class Template:
    """A message encoded once with marks in the place of what varies.

    ``marks`` says what bytes stand for each field; every one must occur exactly once.
    """

    def __init__(self, message: bytes, **marks: bytes) -> None:
        self._message = message
        self._places: dict[str, slice] = {}
        for name, mark in marks.items():
            if message.count(mark) != 1:
                raise ValueError(f"the mark of {name} occurs {message.count(mark)} times")
            start = message.index(mark)
            self._places[name] = slice(start, start + len(mark))

    def fill(self, **values: bytes) -> bytes:
        """Return the message with ``values`` in place; each must be as long as its mark."""
        message = bytearray(self._message)
        for name, value in values.items():
            place = self._places[name]
            if len(value) != place.stop - place.start:
                raise ValueError(f"{name} has {len(value)} bytes, not {place.stop - place.start}")
            message[place] = value
        return bytes(message)


class Link:
    """An rtnetlink socket in the namespace it was made in; usable from any thread, by one at a time.

    It keeps its namespace alive: close it.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._socket.setsockopt(_SOL_NETLINK, _NETLINK_EXT_ACK, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _PATIENCE)
        self._socket.bind((0, 0))
        self._sent = 0

    def send(self, messages: Sequence[bytes], purpose: str) -> None:
        """Send ``messages`` and read every acknowledgement.

        Raises NetlinkError for the first one that failed (the kernel carries on with the others: whoever
        sends a batch must be ready to undo all of it), KernelLacksError where the kernel has no such thing.
        """
        failures = self._exchange(messages)
        if failures:
            position, number, detail = failures[0]
            if number in _LACKS:
                raise KernelLacksError(f"kernel lacks what is needed to {purpose}: {detail or _LACKS[number]}")
            raise NetlinkError(number, position, purpose, detail)

    def revert(self, messages: Sequence[bytes]) -> None:
        """Send messages that put things as they were, some of which are so already."""
        for position, number, detail in self._exchange(messages):
            if number not in _SO_ALREADY:
                log.warning("taking back, message %d: %s (%s)", position, os.strerror(number), detail)

    def close(self) -> None:
        """Let go of the namespace; may be called twice."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, messages: Sequence[bytes]) -> list[tuple[int, int, str]]:
        """Return (position, errno, text) of the messages that failed, in order."""
        failures = []
        # The kernel answers while it reads, and an answer that finds no room is lost: not too many at once.
        for start in range(0, len(messages), _AT_ONCE):
            first = self._sent
            data, self._sent = _numbered(b"".join(messages[start : start + _AT_ONCE]), first)
            self._socket.send(data)
            answers = self._acknowledgements(first, self._sent - first)
            failures += [(start + number - first, error, text) for number, error, text in answers]
        return failures

    def _acknowledgements(self, first: int, count: int) -> list[tuple[int, int, str]]:
        """Read ``count`` acknowledgements from number ``first`` on; return those of failures, in order."""
        failures = []
        while count:
            data = self._socket.recv(1 << 18)
            offset = 0
            while offset + _HEADER.size <= len(data):
                length, kind, flags, number, _ = _HEADER.unpack_from(data, offset)
                if kind == _NLMSG_ERROR and number >= first:
                    count -= 1
                    code = struct.unpack_from("=i", data, offset + _HEADER.size)[0]
                    if code:
                        failures.append((number, -code, _text(data[offset : offset + length], flags)))
                offset += (length + 3) & ~3
        return sorted(failures)


def send(messages: Sequence[bytes], purpose: str) -> None:
    """Send ``messages`` in the calling thread's namespace, as ``Link.send``."""
    if messages:
        with Link() as link:
            link.send(messages, purpose)


def _numbered(messages: bytes, number: int) -> tuple[bytes, int]:
    """Return the messages numbered from ``number`` on, each to be acknowledged, and the next number."""
    data = bytearray(messages)
    offset = 0
    while offset < len(data):
        length, kind, flags, _, _ = _HEADER.unpack_from(data, offset)
        _HEADER.pack_into(data, offset, length, kind, flags | _NLM_F_ACK, number, 0)
        offset += (length + 3) & ~3
        number += 1
    return bytes(data), number


def _text(message: bytes, flags: int) -> str:
    """Return the kernel's own words in an error message, if it sent any."""
    original = struct.unpack_from("=I", message, _HEADER.size + 4)[0]
    offset = _HEADER.size + 4 + (_HEADER.size if flags & _NLM_F_CAPPED else (original + 3) & ~3)
    while offset + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, offset)
        if length < 4:
            break
        if kind & 0x3FFF == _NLMSGERR_ATTR_MSG:
            return message[offset + 4 : offset + length].rstrip(b"\0").decode(errors="replace")
        offset += (length + 3) & ~3
    return ""
