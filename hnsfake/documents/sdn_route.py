"""An SDN route: the noun itself, and its v2 (HostComputeRoute) and v1 (a policy list of ROUTEs) documents.

Fields: microsoft/hcsshim hcn/hcnroute.go and internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hnsfake.documents.policies import SdnRoute as SdnRoutePolicy
from hnsfake.documents.policies.record import PolicyRecord, table
from hnsfake.documents.schema import ObjectDocument

POLICIES = table((SdnRoutePolicy,))
ROUTE = SdnRoutePolicy.v1_type
"""The ``Type`` of a route in a v1 policy list."""


@dataclass(frozen=True)
class SdnRoute:
    """Routes that several endpoints have; each is what an SDNRoute policy is for one."""

    endpoints: tuple[str, ...]
    routes: tuple[PolicyRecord, ...]
    id: str = ""
    # filled in by the service
    network_id: str = ""
    version: int = 0
    activity_id: str = ""
    created: int = 0


class SdnRouteV2(ObjectDocument):
    """HostComputeRoute. The routes are ``Setting`` in hcsshim's document, ``Routes`` in Microsoft's schema."""

    HostComputeNetwork: str = ""
    HostComputeEndpoints: list[str] = []
    Setting: list[dict[str, Any]] = []
    Routes: list[dict[str, Any]] = []
