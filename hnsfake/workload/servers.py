"""Servers that say which peer they saw: to the peer itself, and to the test afterwards."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from dataclasses import dataclass
from typing import Any

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine, Running

Endpoint = tuple[str, int]

_IP_PKTINFO = 8  # the socket module names it since 3.14 only
_PKTINFO = struct.Struct("i4s4s")  # interface, our address, the header's destination


@dataclass(frozen=True, slots=True)
class Seen:
    """One visitor: the peer's address and port, and the server's own as the visitor used it."""

    peer: Endpoint
    local: Endpoint

    def line(self) -> bytes:
        """Return it as the line of JSON that a server answers with."""
        return json.dumps({"peer": self.peer, "local": self.local}).encode() + b"\n"


class _Server(Running):
    """What the servers share: an address, and what they saw."""

    def __init__(self, engine: Engine, address: Endpoint) -> None:
        super().__init__(engine)
        self.address = address
        self._seen: list[Seen] = []

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.address[1]

    def seen(self) -> list[Seen]:
        """Return the visitors so far."""
        return self._engine.call(lambda: list(self._seen))


class TcpServer(_Server):
    """Answers every connection with one line of JSON, and ends it."""

    def __init__(self, engine: Engine, netns: NetNs, address: str, port: int) -> None:
        listening = engine.socket(netns, socket.AF_INET, socket.SOCK_STREAM, 0, _bind(address, port))
        super().__init__(engine, listening.getsockname()[:2])
        self._visits: set[asyncio.Task[None]] = set()
        self._server = engine.run(self._start(listening))

    async def _start(self, listening: socket.socket) -> asyncio.Server:
        return await asyncio.start_server(self._visit, sock=listening)

    async def _stop(self) -> None:
        self._server.close()
        # A client may stay for ever, or its FIN be lost; and wait_closed (3.12+) waits for every one.
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await self._server.wait_closed()

    def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.create_task(self._serve(reader, writer))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen = Seen(writer.get_extra_info("peername")[:2], writer.get_extra_info("sockname")[:2])
        self._seen.append(seen)
        try:
            await self._answer(reader, writer)
        except OSError:
            return  # the client went away; it was seen
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(self._seen[-1].line())
        await writer.drain()
        writer.write_eof()
        await reader.read()  # until the client ends it, so that nothing is reset


class UdpServer(_Server):
    """Answers every datagram with one of JSON, from the address that it was sent to."""

    def __init__(self, engine: Engine, netns: NetNs, address: str, port: int) -> None:
        bound = engine.socket(netns, socket.AF_INET, socket.SOCK_DGRAM, 0, _bind_udp(address, port))
        super().__init__(engine, bound.getsockname()[:2])
        self._socket = bound
        bound.setblocking(False)
        engine.call(lambda: engine.loop.add_reader(bound, self._receive))

    async def _stop(self) -> None:
        self._engine.loop.remove_reader(self._socket)
        self._socket.close()

    def _receive(self) -> None:
        try:
            _, details, _, peer = self._socket.recvmsg(65535, socket.CMSG_SPACE(_PKTINFO.size))
            used = _address_used(details)
            seen = Seen(peer[:2], (socket.inet_ntoa(used), self.port))
            self._seen.append(seen)
            back = (socket.IPPROTO_IP, _IP_PKTINFO, _PKTINFO.pack(0, used, bytes(4)))
            self._socket.sendmsg([seen.line()], [back], 0, peer)
        except OSError:
            return  # an ICMP error of an earlier answer; the next datagram is what matters


def _bind(address: str, port: int) -> Any:
    def prepare(made: socket.socket) -> None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(64)

    return prepare


def _bind_udp(address: str, port: int) -> Any:
    def prepare(made: socket.socket) -> None:
        made.setsockopt(socket.IPPROTO_IP, _IP_PKTINFO, 1)
        made.bind((address, port))

    return prepare


def _address_used(details: list[tuple[int, int, bytes]]) -> bytes:
    """Return which of our addresses a datagram was sent to: a server on all of them must be told."""
    (packed,) = (data for level, kind, data in details if (level, kind) == (socket.IPPROTO_IP, _IP_PKTINFO))
    address: bytes = _PKTINFO.unpack(packed)[1]
    return address
