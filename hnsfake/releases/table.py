"""The releases a node can be created as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hnsfake.releases.features import Feature, Version, supports
from hnsfake.releases.quirks import quirks_of, switched
from hnsfake.releases.quirks.services import MAY_2020


class UnknownReleaseError(ValueError):
    """No release, or no update, of that name; the text lists those there are."""


@dataclass(frozen=True, slots=True)
class Release:
    """A Windows Server release, with its updates, as its HNS shows itself.

    ``hns`` is what ``/globals/version`` answers; ``build`` is the OS build, ``update`` the number behind it;
    ``quirks`` are ids of ``hnsfake.releases.quirks``.
    """

    name: str
    title: str
    build: int
    hns: Version
    update: int
    display_version: str
    release_id: str
    modifies_subnets: bool  # several subnets and IP subnets a network (Virtualization-Documentation multi-subnet)
    quirks: frozenset[str] = frozenset()

    def supports(self, feature: Feature) -> bool:
        """Whether this release's HNS has ``feature``."""
        return supports(self.hns, feature)

    def has(self, quirk: str) -> bool:
        """Whether this release has a quirk."""
        return quirk in self.quirks

    @property
    def object_version(self) -> int:
        """The ``Version`` of v1 objects: Major in the upper half (rancher/rke2#3925)."""
        major, minor = self.hns
        return major << 32 | minor

    @property
    def canonical_exceptions(self) -> bool:
        """Whether OutBoundNAT exceptions must be true prefixes."""
        return self.has("outboundnat-noncanonical")

    @property
    def max_destinations(self) -> int:
        """How many endpoints a load balancer may have."""
        return 64 if self.has("lb-backends-64") else 1024

    def updated(self, update: int) -> Release:
        """Return the release with other updates: its HNS, and its quirks."""
        hns = next((version for before, version in _EARLIER.get(self.name, ()) if update < before), self.hns)
        return replace(self, update=update, hns=hns, quirks=quirks_of(self.name, update))

    def switched(self, switches: Mapping[str, bool]) -> Release:
        """Return the release with quirks switched on or off; raise UnknownQuirkError."""
        return replace(self, quirks=switched(self.quirks, switches))


# Before an update HNS was older. (kubernetes/enhancements 5100: DSR with May 2020.)
_EARLIER: Mapping[str, Sequence[tuple[int, Version]]] = {"ws2019": ((MAY_2020, (9, 2)),)}

# With the updates of January 2025.  # unverified: 2019's and 2022's HNS minors move with updates; see features.
RELEASES: Mapping[str, Release] = {
    release.name: release.updated(release.update)
    for release in (
        Release("ws2019", "Windows Server 2019", 17763, (9, 5), 6775, "1809", "1809", False),
        Release("ws2022", "Windows Server 2022", 20348, (13, 3), 3091, "21H2", "2009", True),
        Release("ws2025", "Windows Server 2025", 26100, (15, 4), 2894, "24H2", "2009", True),
    )
}

_ALIASES = {"2019": "ws2019", "2022": "ws2022", "2025": "ws2025"}


def release(name: str) -> Release:
    """Return the release called ``name``: "ws2022", "2022", or with certain updates "ws2022@20348.288".

    Raises UnknownReleaseError.
    """
    plain, has_update, update = name.partition("@")
    try:
        found = RELEASES[_ALIASES.get(plain, plain)]
    except KeyError:
        raise UnknownReleaseError(f"no release {plain!r}: choose one of {', '.join(RELEASES)}") from None
    if not has_update:
        return found
    build, _, number = update.rpartition(".")
    if build not in ("", str(found.build)) or not (number.isascii() and number.isdecimal()):
        raise UnknownReleaseError(f"no update {update!r} of {found.name}: say which as {found.build}.{found.update}")
    return found.updated(int(number))
