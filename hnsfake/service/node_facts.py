"""What the service knows of the node it runs on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hnsfake.dataplane.interface import HostAdapter, PortCounters
from hnsfake.documents.schema import UnknownFields
from hnsfake.releases import Release

_FILETIME_EPOCH = 116_444_736_000_000_000  # 1601 to 1970, in 100 ns


def _filetime() -> int:
    """Return now as a Windows FILETIME."""
    return _FILETIME_EPOCH + time.time_ns() // 100


@dataclass(frozen=True)
class NodeFacts:
    """Release, adapters, endpoints' counters; the sources of chance and time, so that a test can fix them."""

    name: str
    release: Release
    adapters: Callable[[], Sequence[HostAdapter]]
    counters: Callable[[str], PortCounters] = lambda _: PortCounters()
    chooser: random.Random = field(default_factory=random.Random)
    now: Callable[[], int] = _filetime
    unknown: UnknownFields = field(default_factory=UnknownFields)
    unenforced: set[type | str] = field(default_factory=set)  # what was said already to have no effect on packets
