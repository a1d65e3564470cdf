"""The servers: a node's, with packets and without, and the same web server giving one answer to everything.

Each is a process of its own, so that it has its processor to itself; it serves until its input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fastapi import FastAPI, Request, Response

from ci.bench.verdict import BenchError
from hnsfake import Lab
from hnsfake.frontends.calls import read_body
from hnsfake.frontends.carrier import HANDLE_HEADER, HRESULT_HEADER, RAW
from hnsfake.frontends.server import LabServer, web_server
from hnsfake.frontends.sockets import abstract_name, tcp_listener, unix_listener

OURS, PACKETS, CONSTANT = "ours", "packets", "constant"
_LAB = "bench-calls"
_OUTPUT = json.dumps({"ID": "be0c4000-0000-4000-8000-000000000000", "Filling": "-" * 300})
_ANSWER = json.dumps({"hresult": 0, "record": None, "output": _OUTPUT, "handle": 1, "Success": True})


@dataclass(frozen=True)
class Address:
    """Where a server is: its port on loopback, and its abstract Unix socket as the native libraries name it."""

    port: int
    url: str


@contextmanager
def served(kind: str) -> Iterator[Address]:
    """Start a server; raise BenchError."""
    command = [sys.executable, "-m", "ci.bench.calls.servers", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if len(words) != 2:
            raise BenchError(f"the server {kind!r} did not start: see above")
        try:
            yield Address(int(words[0]), words[1])
        finally:
            process.stdin.close()


def main() -> None:
    """Serve until standard input ends."""
    _SERVE[sys.argv[1]]()


def serve_lab(dataplane: Literal["linux", "none"]) -> None:
    """Serve a node."""
    with Lab(["n1"], dataplane=dataplane, name=f"{_LAB}-{dataplane}-{os.getpid()}") as lab, LabServer(lab) as server:
        address = server.addresses["n1"]
        _say(address.tcp, address.unix)
        sys.stdin.read()


async def serve_constant() -> None:
    """Serve one answer, after reading what was sent."""
    app = FastAPI(docs_url=None, redoc_url=None, redirect_slashes=False)

    async def answer(request: Request) -> Response:
        await read_body(request.receive)
        if RAW in request.headers.get("accept", ""):
            headers = {HRESULT_HEADER: "0x00000000", HANDLE_HEADER: "1"}
            return Response(f"\0{_OUTPUT}", media_type=RAW, headers=headers)
        return Response(_ANSWER, media_type="application/json", headers={HRESULT_HEADER: "0x00000000"})

    app.add_api_route("/{path:path}", answer, methods=["GET", "POST", "DELETE"], response_model=None)
    name = abstract_name(f"{_LAB}-{CONSTANT}", "n1")
    tcp, unix = tcp_listener(0), unix_listener(name)
    server = web_server(app)
    task = asyncio.create_task(server.serve([tcp, unix]))
    await asyncio.to_thread(server.ready.wait)
    _say(tcp.getsockname()[1], name.replace("\0", "@"))
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await task


def _say(port: int, unix: str) -> None:
    print(port, f"unix:{unix}", flush=True)


_SERVE: Mapping[str, Callable[[], None]] = {
    OURS: partial(serve_lab, "none"),
    PACKETS: partial(serve_lab, "linux"),
    CONSTANT: lambda: asyncio.run(serve_constant()),
}


if __name__ == "__main__":
    main()
