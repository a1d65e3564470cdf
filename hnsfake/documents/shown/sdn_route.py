"""An SDN route as HNS shows it.

v2's shape: microsoft/hcsshim hcn/hcnroute.go. v1's: the frame of an output of Get-HnsPolicyList in
projectcalico/calico#8465 with the policies of internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.documents.shown.policy_list import endpoints_v2, policy_list_v1


def sdn_route_v1(route: SdnRoute) -> dict[str, Any]:
    """Return the route's policy list."""
    return policy_list_v1(route, [record.v1() for record in route.routes])


def sdn_route_v2(route: SdnRoute) -> dict[str, Any]:
    """Return HostComputeRoute."""
    return {
        "ID": route.id.lower(),  # unverified: as a load balancer's
        "HostComputeEndpoints": endpoints_v2(route),
        # unverified: hcsshim reads Setting; Microsoft's schema calls it Routes.
        "Setting": [dict(record.settings) for record in route.routes],
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }
