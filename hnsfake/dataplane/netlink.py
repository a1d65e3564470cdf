"""Batched rtnetlink: many messages, one send, one acknowledgement each.

Messages are encoded by pyroute2. Encoding one costs as much as the kernel's work on it, so what is sent for
every endpoint is encoded once, as a ``Template``, and filled in by copying bytes.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Callable, Sequence

from pyroute2.iproute.linux import IPBatch

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError

NO_DEVICE = errno.ENODEV

_NETLINK_EXT_ACK = 11
_SOL_NETLINK = 270
_NLMSG_ERROR = 2
_NLM_F_ACK = 4
_NLM_F_CAPPED = 0x100
_NLMSGERR_ATTR_MSG = 1
_HEADER = struct.Struct("=IHHII")
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


def send(messages: Sequence[bytes], purpose: str) -> None:
    """Send ``messages`` in the calling thread's namespace and read every acknowledgement.

    Raises NetlinkError for the first one that failed (the kernel carries on with the others: whoever sends a
    batch must be ready to undo all of it), KernelLacksError where the kernel has no such thing.
    """
    if not messages:
        return
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.setsockopt(_SOL_NETLINK, _NETLINK_EXT_ACK, 1)
        link.bind((0, 0))
        data, count = _numbered(b"".join(messages))
        link.send(data)
        failures = _acknowledgements(link, count)
    if failures:
        position, number, detail = failures[0]
        if number in _LACKS:
            raise KernelLacksError(f"kernel lacks what is needed to {purpose}: {detail or _LACKS[number]}")
        raise NetlinkError(number, position, purpose, detail)


def _numbered(messages: bytes) -> tuple[bytes, int]:
    """Return the messages numbered, each asking for an acknowledgement, and their count."""
    data = bytearray(messages)
    offset = count = 0
    while offset < len(data):
        length, kind, flags, _, _ = _HEADER.unpack_from(data, offset)
        _HEADER.pack_into(data, offset, length, kind, flags | _NLM_F_ACK, count, 0)
        offset += (length + 3) & ~3
        count += 1
    return bytes(data), count


def _acknowledgements(link: socket.socket, count: int) -> list[tuple[int, int, str]]:
    """Read ``count`` acknowledgements; return (position, errno, text) of those that failed, in order."""
    failures = []
    left = count
    while left:
        data = link.recv(1 << 18)
        offset = 0
        while offset + _HEADER.size <= len(data):
            length, kind, flags, number, _ = _HEADER.unpack_from(data, offset)
            if kind == _NLMSG_ERROR:
                left -= 1
                code = struct.unpack_from("=i", data, offset + _HEADER.size)[0]
                if code:
                    failures.append((number, -code, _text(data[offset : offset + length], flags)))
            offset += (length + 3) & ~3
    return sorted(failures)


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
