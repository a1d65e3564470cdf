"""A packet capture inside a namespace that yields parsed frames."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
from collections.abc import Callable, Iterator
from threading import Condition

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine, Running
from hnsfake.workload.frames import VXLAN_PORT, Frame, parse

_ETH_P_ALL = 3
_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, _PACKET_STATISTICS, _PACKET_MR_PROMISC = 263, 1, 6, 1
_PACKET_OUTGOING, _PACKET_AUXDATA = 4, 8
_AUXDATA = struct.Struct("IIIHHHH")  # struct tpacket_auxdata; the last two are a VLAN's tag and type
_AUXDATA_SPACE, _VLAN_VALID = socket.CMSG_SPACE(_AUXDATA.size), 0x10
_SO_ATTACH_FILTER, _SO_RCVBUFFORCE = 26, 33
_RETURN_NOTHING = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # BPF_RET | BPF_K, 0 bytes
_TAKE_NO_MORE = struct.pack("HP", 1, ctypes.addressof(_RETURN_NOTHING))
_BUFFER = 32 << 20
_AT_ONCE = 256  # frames read before the loop's other sockets have their turn


class Capture(Running):
    """Captures from its making to ``close``; all interfaces of the namespace, or one.

    Promiscuous on the interfaces there at its making. ``lost`` says whether it is complete.
    """

    def __init__(
        self, engine: Engine, netns: NetNs, interface: str | None = None, vxlan_port: int = VXLAN_PORT
    ) -> None:
        self._vxlan_port = vxlan_port
        self._raw: list[tuple[bytes, bool]] = []
        self._frames: list[Frame] = []
        self._lost = 0
        self._grown = Condition()

        def prepare(made: socket.socket) -> None:
            _enlarge(made)
            made.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
            for name in [interface] if interface else [name for _, name in socket.if_nameindex()]:
                request = struct.pack("iHH8s", socket.if_nametoindex(name), _PACKET_MR_PROMISC, 0, b"")
                made.setsockopt(_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, request)
            if interface:
                made.bind((interface, _ETH_P_ALL))

        # With protocol 0 nothing is received before bind says where from.
        protocol = 0 if interface else socket.htons(_ETH_P_ALL)
        self._socket = engine.socket(netns, socket.AF_PACKET, socket.SOCK_RAW, protocol, prepare)
        self._socket.setblocking(False)
        engine.call(lambda: engine.loop.add_reader(self._socket, self._receive))
        super().__init__(engine)

    @property
    def lost(self) -> int:
        """How many frames were dropped for want of room: with 0, what isn't here was not there."""
        with self._grown:
            return self._lost

    def frames(self, condition: Callable[[Frame], bool] = lambda _: True, after: int = 0) -> list[Frame]:
        """Return the frames so far that meet ``condition``, from number ``after`` on."""
        with self._grown:
            return [frame for frame in self._parsed()[after:] if condition(frame)]

    def wait_for(self, condition: Callable[[Frame], bool], timeout: float = 5.0) -> Frame:
        """Return the first frame that meets ``condition``, captured already or within ``timeout`` seconds.

        Raises TimeoutError, which says what was seen instead.
        """
        found: list[Frame] = []
        looked_at = 0

        def look() -> bool:
            nonlocal looked_at
            fresh = self._parsed()[looked_at:]
            looked_at += len(fresh)
            found.extend(filter(condition, fresh))
            return bool(found)

        with self._grown:
            if self._grown.wait_for(look, timeout):
                return found[0]
            seen = "\n".join(map(str, self._frames[-20:])) or "nothing"
        raise TimeoutError(f"no such frame within {timeout} s ({self.lost} lost); seen:\n{seen}")

    def wait_for_more(self, after: int, timeout: float) -> list[Frame]:
        """Return the frames from number ``after`` on; wait up to ``timeout`` seconds for there to be one."""
        with self._grown:
            self._grown.wait_for(lambda: len(self._frames) + len(self._raw) > after, timeout)
            return self._parsed()[after:]

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames())

    async def _stop(self) -> None:
        self._engine.loop.remove_reader(self._socket)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, _TAKE_NO_MORE)
        while self._receive():
            await asyncio.sleep(0)
        self._socket.close()

    def _parsed(self) -> list[Frame]:
        """Parse what came since; the loop has better things to do. With the lock."""
        self._frames.extend(parse(data, outgoing, self._vxlan_port) for data, outgoing in self._raw)
        self._raw.clear()
        return self._frames

    def _receive(self) -> bool:
        """Read some frames; return whether there may be more."""
        got: list[tuple[bytes, bool]] = []
        more = True
        try:
            while len(got) < _AT_ONCE:
                data, details, _, (_, _, kind, _, _) = self._socket.recvmsg(65535, _AUXDATA_SPACE)
                got.append((_with_tag(data, details), kind == _PACKET_OUTGOING))
        except OSError:
            more = False  # all read; or the interface went away, and what was seen stays
        _, lost = struct.unpack("II", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        with self._grown:
            self._raw.extend(got)
            self._lost += lost
            self._grown.notify_all()
        return more


def _with_tag(data: bytes, details: list[tuple[int, int, bytes]]) -> bytes:
    """Put a VLAN's tag back into the frame; the kernel has taken it out."""
    for _, kind, value in details:
        if kind == _PACKET_AUXDATA and len(value) >= _AUXDATA.size:
            status, _, _, _, _, tag, protocol = _AUXDATA.unpack_from(value)
            if status & _VLAN_VALID:
                return data[:12] + struct.pack("!HH", protocol or 0x8100, tag) + data[12:]
    return data


def _enlarge(made: socket.socket) -> None:
    """Ask for room for a burst: beyond the machine's limit where we may."""
    try:
        made.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER)
    except PermissionError:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
