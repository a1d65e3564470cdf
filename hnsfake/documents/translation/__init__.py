"""What is what in v1 and in v2: one table a noun drives reading and showing, and ``rows`` lists all of them.

A new field is a field of the document's model and of the noun, and one row here. Policies name their v1 settings where
they are (``v1_names``), as they are given back just as they were sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hnsfake.documents.policies import ENDPOINT_POLICIES, NETWORK_POLICIES, Policy
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.translation.dns import ENDPOINT_DNS, NETWORK_DNS
from hnsfake.documents.translation.endpoint import ADDRESS, ENDPOINT
from hnsfake.documents.translation.endpoint import ROUTE as ENDPOINT_ROUTE
from hnsfake.documents.translation.load_balancer import LOAD_BALANCER, PORT_MAPPING, SHARED
from hnsfake.documents.translation.namespace import NAMESPACE
from hnsfake.documents.translation.network import NETWORK
from hnsfake.documents.translation.sdn_route import SDN_ROUTE
from hnsfake.documents.translation.subnet import IP_SUBNET, ROUTE, SUBNET
from hnsfake.documents.translation.table import Place, Table

TABLES: tuple[Table[Any], ...] = (
    *(NETWORK, NETWORK_DNS, SUBNET, ROUTE, IP_SUBNET),
    *(ENDPOINT, ENDPOINT_DNS, ADDRESS, ENDPOINT_ROUTE),
    *(NAMESPACE, LOAD_BALANCER, SHARED, PORT_MAPPING, SDN_ROUTE),
)
"""The tables of all nouns, each followed by those of its parts."""


@dataclass(frozen=True)
class Listed:
    """A row for readers: of what, which attribute, its places, the conversion, what gets lost, the source."""

    noun: str
    attribute: str
    v1: str
    v2: str
    conversion: str
    lost: str
    source: str


def rows() -> Iterator[Listed]:
    """Yield everything that either face has, noun by noun, then policy by policy."""
    for table in TABLES:
        for one in table.rows:
            v1, v2 = (_words(places, inside) for places, inside in zip((one.v1, one.v2), table.inside, strict=True))
            lost = one.lost or ("" if v1 and v2 else f"only {'v1' if v1 else 'v2'} has it")
            yield Listed(
                table.name, one.attribute, v1, v2, _conversion(one.v1, one.v2), lost, one.source or table.source
            )
    for policy in dict.fromkeys((*NETWORK_POLICIES, *ENDPOINT_POLICIES)):
        yield from _settings(policy)


def _words(places: tuple[Place, ...], inside: str) -> str:
    return ", ".join(f"{inside}{member}{_way(place)}" for place in places for member in place.members or ("…",))


def _way(place: Place) -> str:
    read, shown = place.codec.read is not None, place.codec.show is not None
    return "" if read and shown else " (read)" if read else " (shown)" if shown else " (neither read nor shown)"


def _conversion(*faces: tuple[Place, ...]) -> str:
    words = ["; ".join(dict.fromkeys(_codec(place) for place in places)) for places in faces]
    if len(set(filter(None, words))) <= 1:
        return words[0] or words[1]
    return f"v1: {words[0]}. v2: {words[1]}"


def _codec(place: Place) -> str:
    return f"{place.codec.name}, {place.codec.only}" if place.codec.only else place.codec.name


def _settings(policy: type[Policy]) -> Iterator[Listed]:
    name = f"policy {policy.v2_type}" + (f", v1: {policy.v1_type}" if policy.v1_type != policy.v2_type else "")
    source = "microsoft/hcsshim hcn/hcnpolicy.go, internal/hns/hnspolicy.go"
    for attribute, field in policy.model_fields.items():
        v2, *others = aliases(attribute, field)
        if (v2, *others) == (attribute,):
            continue  # it is read of another setting
        v1 = policy.v1_names.get(v2, v2)
        yield Listed(name, attribute, v1, v2, policy.v1_notes.get(v2, "as it is"), "", source)
    if not policy.model_fields:
        yield Listed(name, "", "", "", "no settings", "", source)
