"""Where removed ports go.

Deleting one interface costs the kernel some 16 ms, deleting a hundred at once hardly more. A removed port is
made inert at once; a thread of its own then deletes all of them together.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from threading import Condition, Thread

from hnsfake.dataplane import messages
from hnsfake.dataplane.netlink import Link, NetlinkError
from hnsfake.dataplane.sandbox import NetNs, enter

log = logging.getLogger("hnsfake.dataplane")

GROUP = 0x484E53
"""The interface group of ports that wait for their deletion."""


class Graveyard:
    """Deletes the interfaces of ``GROUP`` in one namespace; ``bury`` says that there are some."""

    def __init__(self, netns: NetNs) -> None:
        self._netns = netns
        self._changed = Condition()
        self._pending: list[Callable[[], None]] = []
        self._busy = self._closing = False
        self._thread = Thread(target=self._work, name="hnsfake-graveyard", daemon=True)
        self._thread.start()

    def bury(self, afterwards: Callable[[], None]) -> None:
        """Have the group deleted soon, and ``afterwards`` called then, on a thread that may change places."""
        with self._changed:
            self._pending.append(afterwards)
            self._changed.notify_all()

    def flush(self) -> None:
        """Wait until nothing is left to delete."""
        with self._changed:
            self._changed.wait_for(lambda: not self._pending and not self._busy)

    def close(self) -> None:
        """Delete what is left and stop; may be called twice."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        enter(self._netns)
        with Link() as link:
            while pending := self._wait():
                _delete(link)
                for afterwards in pending:
                    try:
                        afterwards()
                    except Exception:
                        log.exception("after deleting a port")
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _wait(self) -> list[Callable[[], None]]:
        """Wait for something to delete; return nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._closing)
            pending, self._pending = self._pending, []
            self._busy = bool(pending)
            return pending


def _delete(link: Link) -> None:
    try:
        link.send([messages.delete_group(GROUP)], "delete removed ports")
    except NetlinkError as error:
        # None left: their compartments are gone, and they with them.
        if error.number not in (errno.ENODEV, errno.EINVAL):
            log.warning("%s", error)
    except OSError as error:
        log.warning("delete removed ports: %s", error)
