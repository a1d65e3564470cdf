"""The releases a node can be created as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hnsfake.releases.features import Feature, Version, supports


class UnknownReleaseError(ValueError):
    """No release of that name; the text lists those there are."""


@dataclass(frozen=True, slots=True)
class Release:
    """A Windows Server release as its HNS shows itself.

    ``hns`` is what ``/globals/version`` answers; ``build`` is the OS build, ``update`` the number behind it.
    """

    name: str
    title: str
    build: int
    hns: Version
    update: int  # unverified: which update is the first with this HNS version; programs show it, nothing depends on it
    display_version: str
    release_id: str
    canonical_exceptions: bool  # OutBoundNAT exceptions must be true prefixes (microsoft/hcsshim#1951)
    modifies_subnets: bool  # several subnets and IP subnets a network (Virtualization-Documentation multi-subnet)
    max_destinations: int  # endpoints of one load balancer: 64 before the updates of mid 2022 (kubernetes#98680)

    def supports(self, feature: Feature) -> bool:
        """Whether this release's HNS has ``feature``."""
        return supports(self.hns, feature)

    @property
    def object_version(self) -> int:
        """The ``Version`` of v1 objects: Major in the upper half (rancher/rke2#3925)."""
        major, minor = self.hns
        return major << 32 | minor


# HNS versions and limits with current updates.  # unverified: 2019's and 2022's minors move with updates; see features.
RELEASES: Mapping[str, Release] = {
    release.name: release
    for release in (
        Release("ws2019", "Windows Server 2019", 17763, (9, 5), 1697, "1809", "1809", False, False, 1024),
        Release("ws2022", "Windows Server 2022", 20348, (13, 3), 1006, "21H2", "2009", True, True, 1024),
        Release("ws2025", "Windows Server 2025", 26100, (15, 4), 1742, "24H2", "2009", True, True, 1024),
    )
}

_ALIASES = {"2019": "ws2019", "2022": "ws2022", "2025": "ws2025"}


def release(name: str) -> Release:
    """Return the release called ``name`` ("ws2022", or "2022"); raise UnknownReleaseError."""
    try:
        return RELEASES[_ALIASES.get(name, name)]
    except KeyError:
        raise UnknownReleaseError(f"no release {name!r}: choose one of {', '.join(RELEASES)}") from None
