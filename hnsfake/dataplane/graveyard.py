"""Where removed ports go.

Deleting one interface costs the kernel some 16 ms, deleting a hundred at once hardly more. A removed port is
made inert at once; a thread of its own then deletes all of them together.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from threading import Condition, Thread

from hnsfake.dataplane import messages, netlink
from hnsfake.dataplane.interface import DataplaneError
from hnsfake.dataplane.sandbox import NetNs, Sandbox, SandboxError

log = logging.getLogger("hnsfake.dataplane")

GROUP = 0x484E53
"""The interface group of ports that wait for their deletion."""


class Graveyard:
    """Deletes the interfaces of ``GROUP`` in one namespace; ``bury`` says that there are some."""

    def __init__(self, sandbox: Sandbox, netns: NetNs) -> None:
        self._sandbox = sandbox
        self._netns = netns
        self._changed = Condition()
        self._pending: list[Callable[[], None]] = []
        self._waiting = self._busy = self._closing = False
        self._thread = Thread(target=self._work, name="hnsfake-graveyard", daemon=True)
        self._thread.start()

    def bury(self, afterwards: Callable[[], None]) -> None:
        """Have the group deleted soon, and ``afterwards`` called on a sandbox thread then."""
        with self._changed:
            self._waiting = True
            self._pending.append(afterwards)
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until nothing is left to delete."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting and not self._busy)

    def close(self) -> None:
        """Delete what is left and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                self._waiting, self._busy = False, True
                pending, self._pending = self._pending, []
            try:
                self._sandbox.run(self._netns, self._delete, pending)
            except Exception:
                log.exception("deleting removed ports")
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _delete(self, pending: list[Callable[[], None]]) -> None:
        try:
            netlink.send([messages.delete_group(GROUP)], "delete removed ports")
        except netlink.NetlinkError as error:
            # None left: their compartments are gone, and they with them.
            if error.number not in (errno.ENODEV, errno.EINVAL):
                log.warning("%s", error)
        for afterwards in pending:
            try:
                afterwards()
            except (DataplaneError, SandboxError) as error:
                log.warning("%s", error)
