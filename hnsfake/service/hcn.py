"""v2: the exported functions of computenetwork.dll, as a table from name to what they do.

Functions and arguments: microsoft/hcsshim hcn/hcn.go; guest network services: ComputeNetwork.h, as in
microsoft/windows-rs Win32/System/HostComputeNetwork.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hnsfake.documents.guids import read as read_guid
from hnsfake.documents.query import matches, read_query
from hnsfake.documents.text import read_object
from hnsfake.service import guest_network_service
from hnsfake.service.exchange import Exchange
from hnsfake.service.modifications import modify
from hnsfake.service.nouns import (
    BY_FUNCTION,
    ENDPOINTS,
    GUEST_NETWORK_SERVICES,
    LOAD_BALANCERS,
    NETWORKS,
    SDN_ROUTES,
    Verbs,
)

Function = Callable[[Exchange], None]
_DETAILED = 1
_LOWER_CASE = (ENDPOINTS, LOAD_BALANCERS, SDN_ROUTES)
_OWN_NAMES = {"id": "id", "name": "name"}
"""Fields of v1's shape that are an object's own attributes."""
_NETWORK_NAMES = ("hostcomputenetwork", "virtualnetwork")


def _enumerate(verbs: Verbs, exchange: Exchange) -> None:
    conditions = read_query(exchange.call.document, exchange.facts.unknown).conditions()
    # To show an object costs more than all else: only those are shown that their names don't rule out.
    by_name = {name: wanted for name, wanted in conditions.items() if name.lower() in _OWN_NAMES}
    found = (noun for noun in exchange.tx.all(verbs.kind) if matches(_own_names(noun), by_name))
    if len(by_name) < len(conditions):
        found = (noun for noun in found if matches(_filtered_view(verbs, exchange, noun), conditions))
    exchange.output = json.dumps([_shown_id(verbs, noun.id) for noun in found])


def _shown_id(verbs: Verbs, object_id: str) -> str:
    """Write an id as v2 enumerations do: some kinds' in lower case (kubernetes-sigs/sig-windows-tools#84)."""
    return object_id.lower() if verbs in _LOWER_CASE else object_id


def _own_names(noun: Any) -> Mapping[str, str]:
    return {name: getattr(noun, attribute) for name, attribute in _OWN_NAMES.items() if hasattr(noun, attribute)}


def _filtered_view(verbs: Verbs, exchange: Exchange, noun: object) -> Mapping[str, object]:
    """v1's shape with the v2 names that filters use as well."""
    view = verbs.show_v1(exchange.tx, noun)
    if verbs is ENDPOINTS:
        view["NamespaceID"] = view.get("Namespace", {}).get("ID", "")
    return view


def _create(verbs: Verbs, exchange: Exchange) -> None:
    asked_id = read_guid(exchange.call.id)
    network_id = NETWORKS.get(exchange.tx, exchange.target(NETWORKS.kind)).id if verbs is ENDPOINTS else ""
    document = read_object(exchange.call.document)
    if network_id:
        # The network comes as a handle; the document names it too, and the handle wins.
        document = {k: v for k, v in document.items() if k.lower() not in _NETWORK_NAMES}
        versioned = any(key.lower() == "schemaversion" for key in document)
        document["HostComputeNetwork" if versioned else "VirtualNetwork"] = network_id
    exchange.open(verbs.kind, verbs.create(exchange.tx, exchange.facts, document, asked_id))


def _open(verbs: Verbs, exchange: Exchange) -> None:
    noun = verbs.get(exchange.tx, exchange.call.id)
    exchange.open(verbs.kind, noun.id)


def _modify(verbs: Verbs, exchange: Exchange) -> None:
    noun = verbs.get(exchange.tx, exchange.target(verbs.kind))
    modify(exchange.tx, exchange.facts, noun, exchange.call.document)


def _query(verbs: Verbs, exchange: Exchange) -> None:
    noun = verbs.get(exchange.tx, exchange.target(verbs.kind))
    query = read_query(exchange.call.document, exchange.facts.unknown)
    if query.wants_v1:
        exchange.output = json.dumps(verbs.show_v1(exchange.tx, noun))
    else:
        exchange.output = json.dumps(verbs.show_v2(exchange.tx, noun, bool(query.Flags & _DETAILED)))


def _delete(verbs: Verbs, exchange: Exchange) -> None:
    verbs.delete(exchange.tx, verbs.get(exchange.tx, exchange.call.id))


def _close(verbs: Verbs, exchange: Exchange) -> None:
    exchange.close(verbs.kind)


_FORMS: Mapping[str, Callable[[Verbs, Exchange], None]] = {
    "HcnEnumerate{}s": _enumerate,
    "HcnCreate{}": _create,
    "HcnOpen{}": _open,
    "HcnModify{}": _modify,
    "HcnQuery{}Properties": _query,
    "HcnDelete{}": _delete,
    "HcnClose{}": _close,
}

FUNCTIONS: Mapping[str, Function] = {
    form.format(word): partial(function, verbs)
    for word, verbs in BY_FUNCTION.items()
    for form, function in _FORMS.items()
} | {
    # A guest network service is neither listed, opened nor queried by any documented function.
    **{
        form.format("GuestNetworkService"): partial(_FORMS[form], GUEST_NETWORK_SERVICES)
        for form in ("HcnCreate{}", "HcnModify{}", "HcnDelete{}", "HcnClose{}")
    },
    "HcnReserveGuestNetworkServicePort": guest_network_service.reserve_port,
    "HcnReserveGuestNetworkServicePortRange": guest_network_service.reserve_range,
    "HcnReleaseGuestNetworkServicePortReservationHandle": guest_network_service.release,
    "HcnEnumerateGuestNetworkPortReservations": guest_network_service.enumerate_reservations,
}
