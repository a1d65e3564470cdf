"""Connections that stay: a server that repeats what it is told, and clients that ask whether it still does."""

from __future__ import annotations

import asyncio
import socket

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine, Running
from hnsfake.workload.servers import TcpServer

_PIECE = b"still there?\n"


class EchoServer(TcpServer):
    """Answers every line of a connection with the same line, until the client ends it."""

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
            await writer.drain()


class Streams(Running):
    """Connections from one compartment to an echo server; raises OSError where one can't be made in time."""

    def __init__(self, engine: Engine, netns: NetNs, address: str, port: int, count: int, timeout: float = 5.0) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        made = [engine.socket(netns, family, socket.SOCK_STREAM) for _ in range(count)]
        self._streams: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        super().__init__(engine)
        try:
            engine.run(self._connect(made, address, port, timeout))
        except BaseException:
            self.close()
            for one in made:
                one.close()
            raise

    def alive(self, timeout: float = 3.0) -> int:
        """Return how many connections are answered within ``timeout`` seconds."""
        return self._engine.run(self._count(timeout))

    async def _connect(self, made: list[socket.socket], address: str, port: int, timeout: float) -> None:
        async with asyncio.timeout(timeout):
            for one in made:
                one.setblocking(False)
                await asyncio.get_running_loop().sock_connect(one, (address, port))
                self._streams.append(await asyncio.open_connection(sock=one))

    async def _count(self, timeout: float) -> int:
        answers = await asyncio.gather(*(_ask(*stream, timeout) for stream in self._streams))
        return sum(answers)

    async def _stop(self) -> None:
        for _, writer in self._streams:
            writer.transport.abort()


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: float) -> bool:
    try:
        async with asyncio.timeout(timeout):
            writer.write(_PIECE)
            await writer.drain()
            return await reader.readline() == _PIECE
    except (OSError, TimeoutError):
        return False
