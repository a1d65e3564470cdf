"""A packet capture inside a namespace that yields parsed frames."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from threading import Condition

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.workload.engine import Engine, Running
from hnsfake.workload.frames import VXLAN_PORT, Frame, parse

_ETH_P_ALL = 3
_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, _PACKET_MR_PROMISC = 263, 1, 1
_PACKET_OUTGOING = 4
_BUFFER = 8 << 20


class Capture(Running):
    """Captures from its making to ``close``; all interfaces of the namespace, or one."""

    def __init__(
        self, engine: Engine, netns: NetNs, interface: str | None = None, vxlan_port: int = VXLAN_PORT
    ) -> None:
        self._vxlan_port = vxlan_port
        self._frames: list[Frame] = []
        self._grown = Condition()

        def prepare(made: socket.socket) -> None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            names = [interface] if interface else [name for _, name in socket.if_nameindex()]
            if interface:
                made.bind((interface, _ETH_P_ALL))
            for name in names:
                request = struct.pack("iHH8s", socket.if_nametoindex(name), _PACKET_MR_PROMISC, 0, b"")
                made.setsockopt(_SOL_PACKET, _PACKET_ADD_MEMBERSHIP, request)

        self._socket = engine.socket(netns, socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL), prepare)
        self._socket.setblocking(False)
        engine.call(lambda: engine.loop.add_reader(self._socket, self._receive))
        super().__init__(engine)

    def frames(self, condition: Callable[[Frame], bool] = lambda _: True) -> list[Frame]:
        """Return the frames so far that meet ``condition``."""
        with self._grown:
            return [frame for frame in self._frames if condition(frame)]

    def wait_for(self, condition: Callable[[Frame], bool], timeout: float = 5.0) -> Frame:
        """Return the first frame that meets ``condition``, captured already or within ``timeout`` seconds.

        Raises TimeoutError, which says what was seen instead.
        """
        with self._grown:
            if self._grown.wait_for(lambda: any(map(condition, self._frames)), timeout):
                return next(filter(condition, self._frames))
            seen = "\n".join(map(str, self._frames[-20:])) or "nothing"
        raise TimeoutError(f"no such frame within {timeout} s; seen:\n{seen}")

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames())

    async def _stop(self) -> None:
        self._engine.loop.remove_reader(self._socket)
        self._receive()
        self._socket.close()

    def _receive(self) -> None:
        got = []
        try:
            while True:
                data, (_, _, kind, _, _) = self._socket.recvfrom(65535)
                got.append(parse(data, kind == _PACKET_OUTGOING, self._vxlan_port))
        except BlockingIOError:
            pass  # all read
        except OSError:
            return  # the interface went away; what was seen stays
        finally:
            with self._grown:
                self._frames.extend(got)
                self._grown.notify_all()
