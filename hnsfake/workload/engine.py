"""One event loop for all servers and captures of a lab.

A socket stays in the network namespace it was made in, whoever uses it afterwards. So sockets are made on a
sandbox thread inside the compartment, and served by this one asyncio loop in a thread of its own: hundreds of
servers cost no process and no thread each. Everything else in the lab is plain threads.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from threading import Thread
from types import TracebackType
from typing import Any, Self, TypeVar

from hnsfake.dataplane.sandbox import NetNs, Sandbox

R = TypeVar("R")


class Engine:
    """The loop, and the way to get a socket in a compartment."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="hnsfake-workload", daemon=True)
        self._thread.start()
        self._open: dict[int, Callable[[], None]] = {}

    def adopt(self, owner: object, close: Callable[[], None]) -> None:
        """Remember how to close something, should nobody do it before the engine closes."""
        self._open[id(owner)] = close

    def disown(self, owner: object) -> bool:
        """Forget it; return whether it was still open."""
        return self._open.pop(id(owner), None) is not None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that servers and captures run on."""
        return self._loop

    def socket(
        self,
        netns: NetNs,
        family: int,
        kind: int,
        protocol: int = 0,
        prepare: Callable[[socket.socket], None] | None = None,
    ) -> socket.socket:
        """Make a socket inside ``netns`` and let ``prepare`` bind it there; raise OSError."""
        return self._sandbox.run(netns, _make, family, kind, protocol, prepare)

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine on the loop and wait for what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def call(self, function: Callable[[], R]) -> R:
        """Call a function on the loop's thread and wait for what it returns."""

        async def work() -> R:
            return function()

        return self.run(work())

    def close(self) -> None:
        """Stop the loop; whatever still runs on it is cancelled."""
        if self._loop.is_closed():
            return
        with ExitStack() as stack:  # the loop ends even if something won't close
            stack.callback(self._end)
            for close in list(self._open.values()):
                stack.callback(close)

    def _end(self) -> None:
        self.run(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Running:
    """Something that runs on an engine until it is closed: a server, a capture. A context manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        engine.adopt(self, self.close)

    def close(self) -> None:
        """Stop it; what it saw stays. May be called twice."""
        if self._engine.disown(self):
            self._engine.run(self._stop())

    async def _stop(self) -> None:
        """Stop it, on the loop."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make(family: int, kind: int, protocol: int, prepare: Callable[[socket.socket], None] | None) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        if prepare is not None:
            prepare(made)
    except BaseException:
        made.close()
        raise
    return made


async def _cancel_all() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
