"""What a quirk is: behaviour of some updates of some releases that is no part of the design."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Updates of a release that have a quirk: from ``first`` on, and no more from ``cured`` on (None: still there).

    An update is the number behind the build, as 1432 in 17763.1432; 0 is the release as it came out.
    """

    release: str
    first: int = 0
    cured: int | None = None

    def has(self, release: str, update: int) -> bool:
        """Whether an update of a release is among them."""
        return release == self.release and self.first <= update and (self.cured is None or update < self.cured)


@dataclass(frozen=True, slots=True)
class Quirk:
    """A quirk; its texts are whole sentences for ``docs/limits.md``.

    ``where`` is what it takes: a driver, DSR, a family. ``seen`` is what a test asserts. ``unshown`` says why the
    emulator doesn't show it; empty where it does, and suites prove it. ``always`` says why it can't be switched off.
    """

    id: str
    where: str
    seen: str
    spans: tuple[Span, ...]
    sources: tuple[str, ...]
    way_round: str = ""
    unshown: str = ""
    always: str = ""

    @property
    def shown(self) -> bool:
        """Whether the emulator behaves so."""
        return not self.unshown


def everywhere() -> tuple[Span, ...]:
    """Return the spans of what all releases have in all updates."""
    return (Span("ws2019"), Span("ws2022"), Span("ws2025"))


_NOT_OURS = "It is the client's behaviour, not that of HNS."
CLIENTS_OWN = _NOT_OURS
"""Why a quirk of a client isn't shown."""
