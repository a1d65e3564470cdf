"""An SDN route in both shapes.

v2's: HostComputeRoute (microsoft/hcsshim hcn/hcnroute.go). v1's: a policy list of ROUTEs
(internal/hns/hnspolicylist.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hnsfake.documents.policies import SdnRoute as SdnRoutePolicy
from hnsfake.documents.policy_list import PolicyListV1
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.sdn_route import POLICIES, SdnRoute, SdnRouteV2
from hnsfake.documents.translation.codecs import of_all, policies_v1, settings_v2
from hnsfake.documents.translation.policy_list import HEAD
from hnsfake.documents.translation.table import Row, Table, about, at

_SETTINGS = settings_v2(SdnRoutePolicy)

SDN_ROUTE = Table(
    "SDN route",
    SdnRoute,
    (
        *HEAD,
        # unverified: hcsshim reads Setting; Microsoft's schema calls it Routes.
        Row(
            "routes",
            at("Policies", policies_v1(POLICIES)),
            at("Setting", _SETTINGS) + at("Routes", _SETTINGS.only_read()),
        ),
        *of_all(),
    ),
    v1=PolicyListV1,
    v2=SdnRouteV2,
    source="microsoft/hcsshim hcn/hcnroute.go, internal/hns/hnspolicylist.go",
)


def read_sdn_route(document: Mapping[str, Any], unknown: UnknownFields) -> SdnRoute:
    """Read a route's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_POLICY, HCN_E_GUID_CONVERSION_FAILURE.
    """
    return SDN_ROUTE.read(SDN_ROUTE.parse(document, unknown))


def sdn_route_v1(route: SdnRoute) -> dict[str, Any]:
    """Return the route's policy list."""
    return SDN_ROUTE.v1(route, about(route))


def sdn_route_v2(route: SdnRoute) -> dict[str, Any]:
    """Return HostComputeRoute."""
    return SDN_ROUTE.v2(route, about(route))
