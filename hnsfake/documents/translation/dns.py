"""DNS settings in both shapes: v1 has comma lists among its own members, v2 an object of arrays."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.endpoint import EndpointV1
from hnsfake.documents.network import NetworkV1
from hnsfake.documents.schema import DnsObject, Document
from hnsfake.documents.translation.codecs import COMMA_LIST, IF_ANY, LIST, SHOWN_IF_ANY
from hnsfake.documents.translation.table import Around, Codec, Place, Row, Table, at


def _rows(domain: Codec) -> tuple[Row, ...]:
    return (
        Row("domain", at("DNSDomain", domain), at("Domain", IF_ANY)),
        Row("search", at("DNSSuffix", COMMA_LIST.unless_empty()), at("Search", LIST.unless_empty())),
        Row("servers", at("DNSServerList", COMMA_LIST.unless_empty()), at("ServerList", LIST.unless_empty())),
        Row("options", v2=at("Options", LIST.unless_empty()), lost="v1 has no member for it"),
    )


_HCSSHIM = "microsoft/hcsshim hcn/hcnnetwork.go"
ENDPOINT_DNS = Table(
    "endpoint's DNS",
    DnsSettings,
    _rows(IF_ANY),
    v1=EndpointV1,
    v2=DnsObject,
    inside=("", "Dns."),
    source=_HCSSHIM,
)
# hcsshim's HNSNetwork has no DNSDomain, so it is not read.  # unverified: whether HNS reads it
NETWORK_DNS = Table(
    "network's DNS",
    DnsSettings,
    _rows(SHOWN_IF_ANY),
    v1=NetworkV1,
    v2=DnsObject,
    inside=("", "Dns."),
    source=_HCSSHIM,
)


def dns_places(table: Table[DnsSettings]) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Return where a noun's DNS settings are in v1 and in v2."""
    return (
        at("", Codec(f"{table.name}, member by member", table.read, table.in_v1)),
        at("Dns", Codec(f"{table.name}, an object", table.read, table.v2)),
    )


def read_dns(document: Document) -> DnsSettings:
    """Read a v2 ``Dns`` object that is a document of its own."""
    return NETWORK_DNS.read(document)


def dns_v2(dns: DnsSettings) -> dict[str, Any]:
    """Return the v2 ``Dns`` object; empty parts are left out (Go's omitempty reads either)."""
    return NETWORK_DNS.v2(dns, Around(dns))
