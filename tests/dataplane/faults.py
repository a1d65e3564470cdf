"""Kernel steps that fail on purpose: one netlink message of a batch, or one nftables script."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from threading import current_thread

import pytest

from hnsfake.dataplane import messages, netlink, nftables
from hnsfake.dataplane.map_elements import Element, ElementLink

Elements = Sequence[Element]

_NOBODY = 0x7FFFFFFF


class InjectedError(nftables.NftError):
    """The refusal of a script that was made to fail."""


@dataclass
class Faults:
    """Counts kernel steps; the step number ``fail_at`` fails, and none after it.

    A batch with a failing message is sent: the kernel carries out the others, as it would with a real one.
    """

    fail_at: int | None = None
    steps: int = 0
    last: str = ""

    def arm(self, step: int | None) -> None:
        self.fail_at, self.steps, self.last = step, 0, ""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        send, run = netlink.Link.send, nftables.Context.run
        change = ElementLink.change

        def failing_send(link: netlink.Link, requests: Sequence[bytes], purpose: str) -> None:
            single = [message for request in requests for message in split(request)]
            for position in range(len(single)):
                if self._due(f"netlink: {purpose}, message {position}"):
                    single[position] = messages.configure(_NOBODY, {})
            send(link, single, purpose)

        def failing_run(context: nftables.Context, script: str) -> str:
            if not script.startswith("list ") and self._due(f"nftables: {script}"):
                raise InjectedError(f"injected at {self.last}")
            return run(context, script)

        def failing_change(link: ElementLink, family: str, table: str, removed: Elements, added: Elements) -> None:
            if self._due(f"elements of {table}"):
                raise InjectedError(f"injected at {self.last}")
            change(link, family, table, removed, added)

        monkeypatch.setattr(ElementLink, "change", failing_change)
        monkeypatch.setattr(netlink.Link, "send", failing_send)
        monkeypatch.setattr(nftables.Context, "run", failing_run)

    def _due(self, what: str) -> bool:
        if not current_thread().name.startswith("hnsfake-sandbox"):
            return False
        due = self.steps == self.fail_at
        if due:
            self.last = what
        self.steps += 1
        return due


def split(request: bytes) -> list[bytes]:
    """Return the single messages of a request."""
    single = []
    while request:
        length = (struct.unpack_from("=I", request)[0] + 3) & ~3
        single.append(request[:length])
        request = request[length:]
    return single
