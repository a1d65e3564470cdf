"""Windows Server releases as data: build, HNS version, features, and quirks."""

from hnsfake.releases.features import Feature, supports
from hnsfake.releases.quirks import QUIRKS, Quirk, UnknownQuirkError
from hnsfake.releases.table import RELEASES, Release, UnknownReleaseError, release

__all__ = [
    "QUIRKS",
    "RELEASES",
    "Feature",
    "Quirk",
    "Release",
    "UnknownQuirkError",
    "UnknownReleaseError",
    "release",
    "supports",
]
