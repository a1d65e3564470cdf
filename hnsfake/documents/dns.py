"""DNS settings in both shapes: v1 has comma lists, v2 arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DnsSettings:
    """Name servers and suffixes, as sent; order matters to the resolver."""

    domain: str = ""
    search: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def with_added(self, more: DnsSettings) -> DnsSettings:
        """Return these and ``more``; its domain, where it has one, takes the place of this one."""
        lists = {name: (*mine, *(x for x in theirs if x not in mine)) for name, mine, theirs in self._lists(more)}
        return DnsSettings(more.domain or self.domain, **lists)

    def without(self, less: DnsSettings) -> DnsSettings:
        """Return these without what ``less`` has."""
        lists = {name: tuple(x for x in mine if x not in theirs) for name, mine, theirs in self._lists(less)}
        return DnsSettings("" if self.domain == less.domain else self.domain, **lists)

    def _lists(self, other: DnsSettings) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        for name in ("search", "servers", "options"):
            yield name, getattr(self, name), getattr(other, name)
