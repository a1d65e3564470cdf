"""What HNS does with SDN routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.documents.translation.sdn_route import read_sdn_route, sdn_route_v1, sdn_route_v2
from hnsfake.service import backends
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = SdnRoute
not_found = HResult.ERROR_NOT_FOUND  # unverified: v2's code; v1's text for policy lists is "Element not found."


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a route from its document; return its id.

    hcsshim deletes one and makes it again under the id it had when endpoints are added (hcn/hcnroute.go).
    """
    asked = read_sdn_route(document, facts.unknown)
    network_id = backends.network_of(tx, asked.endpoints)  # unverified: that a route is refused as a load balancer is
    if not asked.routes:
        raise HnsError(HResult.HCN_E_INVALID_POLICY)  # unverified: the code
    route_id = object_id or asked.id or guids.new()
    if tx.find(SdnRoute, route_id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # as for networks
    tx.put(
        replace(
            asked,
            id=route_id,
            network_id=network_id,
            activity_id=guids.new(),
            version=facts.release.object_version,
            created=facts.now(),
        )
    )
    return route_id


def delete(tx: Transaction, route: SdnRoute) -> None:
    """Remove a route."""
    tx.drop(route)


def show_v1(_tx: Transaction, route: SdnRoute) -> dict[str, Any]:
    """Return the route's v1 document, a policy list."""
    return sdn_route_v1(route)


def show_v2(_tx: Transaction, route: SdnRoute, _detailed: bool) -> dict[str, Any]:
    """Return the route's v2 document."""
    return sdn_route_v2(route)
