"""Quirks as data: which updates of which releases have them, what is seen, and who says so."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.releases.quirks import kubernetes_page, objects, ports, services
from hnsfake.releases.quirks.quirk import Quirk, Span

QUIRKS: Mapping[str, Quirk] = {
    quirk.id: quirk for part in (kubernetes_page, services, ports, objects) for quirk in part.QUIRKS
}


class UnknownQuirkError(ValueError):
    """No quirk of that id, or none that can be switched; the text says which there are."""


def quirks_of(release: str, update: int) -> frozenset[str]:
    """Return the quirks that an update of a release has, of those that are shown."""
    return frozenset(
        quirk.id for quirk in QUIRKS.values() if quirk.shown and any(s.has(release, update) for s in quirk.spans)
    )


def switched(quirks: frozenset[str], switches: Mapping[str, bool]) -> frozenset[str]:
    """Return quirks with some switched on or off; raise UnknownQuirkError."""
    for name in switches:
        if name not in QUIRKS:
            raise UnknownQuirkError(f"no quirk {name!r}: docs/limits.md lists them")
        if not QUIRKS[name].shown:
            raise UnknownQuirkError(f"quirk {name} can't be switched: {QUIRKS[name].unshown}")
        if not switches[name] and QUIRKS[name].always:
            raise UnknownQuirkError(f"quirk {name} can't be switched off: {QUIRKS[name].always}")
    on = frozenset(name for name, is_on in switches.items() if is_on)
    return (quirks | on) - (switches.keys() - on)


__all__ = ["QUIRKS", "Quirk", "Span", "UnknownQuirkError", "quirks_of", "switched"]
