"""A client that tries to reach a server and says how it ended."""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine

_UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH)


class Result(StrEnum):
    """How a probe ended."""

    CONNECTED = "connected"
    REFUSED = "refused"
    TIMED_OUT = "timed out"
    UNREACHABLE = "unreachable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a probe ended; ``seen`` is the peer as the server saw it, ``local`` the probe's own end.

    ``replied_from`` is where the answer came from. A TCP or UDP client takes answers from its target alone, as
    programs do; a ping takes anyone's, so there it differs where a translation is wrong.
    """

    result: Result
    seen: tuple[str, int] | None = None
    local: tuple[str, int] | None = None
    replied_from: tuple[str, int] | None = None
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether the server answered."""
        return self.result is Result.CONNECTED


def tcp(engine: Engine, netns: NetNs, address: str, port: int, timeout: float, source: str = "") -> Outcome:
    """Connect and read the server's line."""
    with engine.socket(netns, _family(address), socket.SOCK_STREAM, 0, _from(source)) as client:
        client.settimeout(timeout)
        try:
            client.connect((address, port))
            local = client.getsockname()[:2]
            line = b""
            while not line.endswith(b"\n") and (part := client.recv(4096)):
                line += part
        except OSError as error:
            return _failed(error)
        return _connected(line, local, (address, port))


def udp(
    engine: Engine, netns: NetNs, address: str, port: int, timeout: float, source: str = "", size: int = 5
) -> Outcome:
    """Send a datagram of ``size`` bytes again and again until one is answered or the time is over."""
    deadline = time.monotonic() + timeout
    with engine.socket(netns, _family(address), socket.SOCK_DGRAM, 0, _from(source)) as client:
        client.connect((address, port))
        while (left := deadline - time.monotonic()) > 0:
            client.settimeout(min(left, 0.25))
            try:
                client.send(b"probe".ljust(size))
                line, replied_from = client.recvfrom(65535)
            except TimeoutError:
                continue
            except OSError as error:
                return _failed(error)
            return _connected(line, client.getsockname()[:2], replied_from[:2])
    return Outcome(Result.TIMED_OUT)


def ping(engine: Engine, netns: NetNs, address: str, timeout: float) -> Outcome:
    """Send ICMP echo requests until one is answered or the time is over."""
    deadline = time.monotonic() + timeout
    identifier = struct.unpack("=H", os.urandom(2))[0]
    with engine.socket(netns, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        sequence = 0
        while (left := deadline - time.monotonic()) > 0:
            sequence += 1
            try:
                raw.sendto(_echo(identifier, sequence), (address, 0))
            except OSError as error:
                return _failed(error)
            if source := _echo_reply(raw, identifier, min(left, 0.25)):
                return Outcome(Result.CONNECTED, replied_from=(source, 0))
    return Outcome(Result.TIMED_OUT)


def _echo(identifier: int, sequence: int) -> bytes:
    body = struct.pack("!BBHHH", 8, 0, 0, identifier, sequence) + b"hnsfake!" * 4
    return body[:2] + struct.pack("!H", _checksum(body)) + body[4:]


def _echo_reply(raw: socket.socket, identifier: int, timeout: float) -> str | None:
    """Wait for the answer to one of our requests; return who sent it."""
    deadline = time.monotonic() + timeout
    while (left := deadline - time.monotonic()) > 0:
        raw.settimeout(left)
        try:
            packet, source = raw.recvfrom(65535)
        except TimeoutError:
            return None
        header = (packet[0] & 15) * 4
        kind, _, _, answered = struct.unpack_from("!BBHH", packet, header)
        if kind == 0 and answered == identifier:
            return str(source[0])
    return None


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def _connected(line: bytes, local: tuple[str, int], replied_from: tuple[str, int]) -> Outcome:
    try:
        peer = json.loads(line)["peer"]
        seen = (str(peer[0]), int(peer[1]))
    except (ValueError, KeyError, IndexError, TypeError):
        return Outcome(Result.CONNECTED, None, local, replied_from, "not one of our servers")
    return Outcome(Result.CONNECTED, seen, local, replied_from)


def _failed(error: OSError) -> Outcome:
    if isinstance(error, TimeoutError):
        return Outcome(Result.TIMED_OUT)
    if isinstance(error, ConnectionRefusedError):
        return Outcome(Result.REFUSED)
    result = Result.UNREACHABLE if error.errno in _UNREACHABLE else Result.FAILED
    return Outcome(result, detail=error.strerror or str(error))


def _family(address: str) -> int:
    return socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET


def _from(source: str) -> Callable[[socket.socket], None] | None:
    return (lambda made: made.bind((source, 0))) if source else None
