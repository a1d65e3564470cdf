"""DNS settings in both shapes: v1 has comma lists, v2 arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hnsfake.documents import schema


@dataclass(frozen=True, slots=True)
class DnsSettings:
    """Name servers and suffixes, as sent; order matters to the resolver."""

    domain: str = ""
    search: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @classmethod
    def from_v2(cls, dns: schema.DnsObject) -> DnsSettings:
        """Read the v2 ``Dns`` object."""
        return cls(dns.Domain, tuple(dns.Search), tuple(dns.ServerList), tuple(dns.Options))

    @classmethod
    def from_v1(cls, domain: str, suffix: str, server_list: str) -> DnsSettings:
        """Read v1's DNSDomain, DNSSuffix and DNSServerList."""
        return cls(domain, _split(suffix), _split(server_list))

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

    def v2(self) -> dict[str, Any]:
        """Return the v2 ``Dns`` object; empty parts are left out (Go's omitempty reads either)."""
        parts = {
            "Domain": self.domain,
            "Search": list(self.search),
            "ServerList": list(self.servers),
            "Options": list(self.options),
        }
        return {key: value for key, value in parts.items() if value}

    def v1(self) -> dict[str, str]:
        """Return v1's fields that have a value."""
        parts = {
            "DNSDomain": self.domain,
            "DNSSuffix": ",".join(self.search),
            "DNSServerList": ",".join(self.servers),
        }
        return {key: value for key, value in parts.items() if value}


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
