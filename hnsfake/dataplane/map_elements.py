"""Elements of nftables maps, put in and taken out without libnftables.

libnftables reads a table before it changes it, and keeps what it read: of what is changed for every service, and at
the port of every pod, that is nearly all the cost. Keys and values are the bytes that packets are compared with;
each part of a concatenation is padded to four of them (linux/netfilter/nf_tables.h, libnftnl).
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hnsfake.dataplane.interface import IPAddress
from hnsfake.dataplane.nftables import NftError

_NETLINK_NETFILTER, _NFTABLES = 12, 10
_BATCH_BEGIN, _BATCH_END, _NEW, _DELETE = 16, 17, _NFTABLES << 8 | 12, _NFTABLES << 8 | 14
_REQUEST, _ACK, _CREATE = 1, 4, 0x400
_NLMSG_ERROR = 2
_FAMILIES = {"inet": 1, "bridge": 7}
_HEADER = struct.Struct("=IHHII")
_GOTO = struct.pack(">i", -4)
_AT_ONCE = 256  # elements a message: the length of an attribute has 16 bits
_A_TRANSACTION = 1024  # elements a transaction: it must fit into the socket's buffer


class Element(NamedTuple):
    """An element of a map: its value is bytes, or the name of the chain that it leads to."""

    map: str
    key: bytes
    value: bytes | str


class ElementLink:
    """A way to the maps of the namespace that it was made in; usable from any thread, by one at a time. Close it."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_NETFILTER)
        self._socket.bind((0, 0))

    def change(self, family: str, table: str, removed: Sequence[Element], added: Sequence[Element]) -> None:
        """Take elements out of the maps of a table and put others in, all or nothing; raise NftError.

        What is too much for one transaction of the kernel is several, taken back where one of them fails.
        """
        steps = _steps(removed, added)
        for done, step in enumerate(steps):
            try:
                self._change(family, table, *step)
            except NftError:
                for back in reversed(steps[:done]):
                    self._change(family, table, back[1], back[0])
                raise

    def _change(self, family: str, table: str, removed: Sequence[Element], added: Sequence[Element]) -> None:
        head = struct.pack(">BBH", _FAMILIES[family], 0, 0)
        messages = [
            *(_message(_DELETE, _REQUEST | _ACK, head + body) for body in _bodies(table, removed, with_value=False)),
            *(
                _message(_NEW, _REQUEST | _ACK | _CREATE, head + body)
                for body in _bodies(table, added, with_value=True)
            ),
        ]
        subsystem = struct.pack(">BBH", 0, 0, _NFTABLES)
        batch = [_message(_BATCH_BEGIN, _REQUEST, subsystem), *messages, _message(_BATCH_END, _REQUEST, subsystem)]
        self._socket.send(b"".join(batch))
        self._read_answers(len(messages), f"change maps of {table}")

    def close(self) -> None:
        """Let go of the namespace; may be called twice."""
        self._socket.close()

    def _read_answers(self, count: int, purpose: str) -> None:
        """Read an answer a message; raise NftError for the first that is not good, when all are read."""
        failure = 0
        while count > 0:
            data = self._socket.recv(1 << 16)
            offset = 0
            while offset < len(data):
                length, kind, _, _, _ = _HEADER.unpack_from(data, offset)
                if kind == _NLMSG_ERROR:
                    failure = failure or -struct.unpack_from("=i", data, offset + _HEADER.size)[0]
                    count -= 1
                offset += length + 3 & ~3
        if failure:
            raise NftError(f"{purpose}: {os.strerror(failure)}")


def packed(ip: IPAddress) -> bytes:
    """Return an address as a part of a key or value."""
    return ip.packed


def protocol(number: int) -> bytes:
    """Return a protocol number as a part."""
    return struct.pack("=Bxxx", number)


def port(number: int) -> bytes:
    """Return a port as a part."""
    return struct.pack(">Hxx", number)


def mark(number: int) -> bytes:
    """Return a mark as a part."""
    return struct.pack("=I", number)


def _steps(removed: Sequence[Element], added: Sequence[Element]) -> list[tuple[Sequence[Element], Sequence[Element]]]:
    if len(removed) + len(added) <= _A_TRANSACTION:
        return [(removed, added)]
    out: list[tuple[Sequence[Element], Sequence[Element]]] = [(piece, ()) for piece in _pieces(removed)]
    return out + [((), piece) for piece in _pieces(added)]


def _pieces(elements: Sequence[Element]) -> Iterator[Sequence[Element]]:
    return (elements[start : start + _A_TRANSACTION] for start in range(0, len(elements), _A_TRANSACTION))


def _bodies(table: str, elements: Sequence[Element], *, with_value: bool) -> Iterator[bytes]:
    """Write the elements map by map, no more in one message than it may have."""
    by_map: dict[str, list[bytes]] = {}
    for one in elements:
        by_map.setdefault(one.map, []).append(_attribute(1, _element(one, with_value=with_value), nested=True))
    for name, written in by_map.items():
        for start in range(0, len(written), _AT_ONCE):
            listed = _attribute(3, b"".join(written[start : start + _AT_ONCE]), nested=True)
            yield _attribute(1, table.encode() + b"\0") + _attribute(2, name.encode() + b"\0") + listed


def _element(one: Element, *, with_value: bool) -> bytes:
    key = _attribute(1, _attribute(1, one.key), nested=True)
    if not with_value:
        return key
    if isinstance(one.value, bytes):
        return key + _attribute(2, _attribute(1, one.value), nested=True)
    verdict = _attribute(1, _GOTO) + _attribute(2, one.value.encode() + b"\0")
    return key + _attribute(2, _attribute(2, verdict, nested=True), nested=True)


def _attribute(kind: int, payload: bytes, *, nested: bool = False) -> bytes:
    head = struct.pack("=HH", len(payload) + 4, kind | (0x8000 if nested else 0))
    return head + payload + bytes(-len(payload) % 4)


def _message(kind: int, flags: int, payload: bytes) -> bytes:
    return _HEADER.pack(_HEADER.size + len(payload), kind, flags, 0, 0) + payload
