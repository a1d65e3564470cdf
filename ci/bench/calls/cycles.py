"""The ways in: how each creates, reads and deletes an endpoint, and how many calls that is.

A cycle is made for one client and run again and again; it raises BenchError where an answer isn't success.
"""

from __future__ import annotations

import ctypes
import json
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

from ci.bench.calls.documents import NETWORK, NETWORK_ID, QUERY, endpoint, endpoint_id, endpoint_v1
from ci.bench.calls.http_calls import Connection
from ci.bench.calls.servers import Address
from ci.bench.verdict import BenchError
from hnsfake.native import MissingLibraryError, find
from hnsfake.node import Node

Cycle = Callable[[], int]
"""Runs once; returns the number of its calls."""


Way = Callable[[Address, int], AbstractContextManager[Cycle]]
"""Makes a client's cycle, given the server and the client's number."""


@contextmanager
def by_http_v2(server: Address, number: int) -> Iterator[Cycle]:
    """Yield a cycle of four calls over one connection."""
    with Connection(server.port) as connection:
        network = _ok(connection.ask("POST", f"/hcn/HcnOpenNetwork?id={NETWORK_ID}"))["handle"]
        create = f"/hcn/HcnCreateEndpoint?id={endpoint_id(number)}&handle={network}"
        delete = f"/hcn/HcnDeleteEndpoint?id={endpoint_id(number)}"

        def cycle() -> int:
            handle = _ok(connection.ask("POST", create, endpoint(number)))["handle"]
            _ok(connection.ask("POST", f"/hcn/HcnQueryEndpointProperties?handle={handle}", QUERY))
            _ok(connection.ask("POST", f"/hcn/HcnCloseEndpoint?handle={handle}"))
            _ok(connection.ask("POST", delete))
            return 4

        yield cycle


@contextmanager
def by_http_v1(server: Address, number: int) -> Iterator[Cycle]:
    """Yield a cycle of three calls over one connection."""
    with Connection(server.port) as connection:

        def cycle() -> int:
            _ok_v1(connection.ask("POST", "/endpoints/", endpoint_v1(number)))
            _ok_v1(connection.ask("GET", f"/endpoints/{endpoint_id(number)}"))
            _ok_v1(connection.ask("DELETE", f"/endpoints/{endpoint_id(number)}"))
            return 3

        yield cycle


@contextmanager
def by_library(server: Address, number: int) -> Iterator[Cycle]:
    """Yield a cycle of four calls of the C library, each with a connection of its own."""
    os.environ["HNSFAKE_URL"] = server.url
    library, own = _library(), uuid.UUID(endpoint_id(number)).bytes_le
    document, query = _utf16(json.dumps(endpoint(number))), _utf16(json.dumps(QUERY))
    network = ctypes.c_void_p()
    _succeed(library.HcnOpenNetwork(uuid.UUID(NETWORK_ID).bytes_le, ctypes.byref(network), None))

    def cycle() -> int:
        handle, output = ctypes.c_void_p(), ctypes.c_void_p()
        _succeed(library.HcnCreateEndpoint(network, own, document, ctypes.byref(handle), None))
        _succeed(library.HcnQueryEndpointProperties(handle, query, ctypes.byref(output), None))
        _free(output)
        _succeed(library.HcnCloseEndpoint(handle))
        _succeed(library.HcnDeleteEndpoint(own, None))
        return 4

    yield cycle


@contextmanager
def in_process(node: Node, number: int) -> Iterator[Cycle]:
    """Yield a cycle of four calls in Python."""
    network = node.hcn("HcnOpenNetwork", object_id=NETWORK_ID).handle

    def cycle() -> int:
        handle = node.hcn("HcnCreateEndpoint", endpoint(number), object_id=endpoint_id(number), handle=network).handle
        node.hcn("HcnQueryEndpointProperties", QUERY, handle=handle)
        node.hcn("HcnCloseEndpoint", handle=handle)
        node.hcn("HcnDeleteEndpoint", object_id=endpoint_id(number))
        return 4

    yield cycle


def make_network(server: Address) -> None:
    """Make the network that all endpoints are of."""
    with Connection(server.port) as connection:
        _ok(connection.ask("POST", f"/hcn/HcnCreateNetwork?id={NETWORK_ID}", NETWORK))


def _ok(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["hresult"] != 0:
        raise BenchError(f"a call failed: {answer['record']}")
    return answer


def _ok_v1(answer: dict[str, Any]) -> None:
    if not answer["Success"]:
        raise BenchError(f"a call failed: {answer['Error']}")


@cache
def _library() -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(find("libcomputenetwork.so")))
    except MissingLibraryError as error:
        raise BenchError(str(error)) from error


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le") + b"\0\0"


def _succeed(hresult: int) -> None:
    if hresult != 0:
        raise BenchError(f"a call of the library failed: {hresult & 0xFFFFFFFF:#x}")


_free = ctypes.CDLL(None).free
_free.restype = None
_free.argtypes = [ctypes.c_void_p]
