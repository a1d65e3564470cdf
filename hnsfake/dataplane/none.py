"""The data plane without packets: the whole API in memory, on any operating system, with no privileges."""

from __future__ import annotations

from collections.abc import Sequence

from hnsfake.dataplane.interface import Change, HostAdapter, PortCounters


class NoDataplane:
    """Accepts every change and does nothing; the node's adapters are what the lab says they are."""

    in_memory = True
    thread = None

    def __init__(self, adapters: Sequence[HostAdapter]) -> None:
        self._adapters = tuple(adapters)

    def adapters(self) -> Sequence[HostAdapter]:
        """Return the adapters given at construction."""
        return self._adapters

    def apply(self, changes: Sequence[Change]) -> None:
        """Accept ``changes``."""

    def counters(self, endpoint_id: str) -> PortCounters:  # noqa: ARG002 - the protocol's signature
        """Return zeros: no packet ever flows."""
        return PortCounters()

    def close(self) -> None:
        """Nothing is held."""
