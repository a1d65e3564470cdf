"""Windows Server releases as data: build, HNS version, and the features that follow from it."""

from hnsfake.releases.features import Feature, supports
from hnsfake.releases.table import RELEASES, Release, UnknownReleaseError, release

__all__ = ["RELEASES", "Feature", "Release", "UnknownReleaseError", "release", "supports"]
