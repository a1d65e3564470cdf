"""What load balancers and SDN routes have in common where HNS shows them as v1 policy lists.

An output of Get-HnsPolicyList (HNS 15.0) is published in projectcalico/calico#8465.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.documents.shown.form import is_new, ordered, resources

_APPLIED = 2  # v1 ``State`` of a list whose rules are in place
_MODIFIABLE = 15 << 32 | 4  # unverified: where between HNS 13 and 15.4 the letter case changed


def policy_list_v1(noun: LoadBalancer | SdnRoute, policies: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the list; its references are in lower case, its own id is not."""
    view: dict[str, Any] = {
        "ActivityId": noun.activity_id,
        "AdditionalParams": {},
        "Flags": 0,
        "Health": {"LastErrorCode": 0, "LastUpdateTime": noun.created},
        "HostComputeNetwork": noun.network_id,
        "ID": noun.id,
        "IsApplied": False,
        "Policies": list(policies),
        "References": [f"/endpoints/{_endpoint(noun, endpoint)}" for endpoint in noun.endpoints],
        "Resources": resources(noun.activity_id, "", noun.created, noun.version),
        "State": _APPLIED,
        "Version": noun.version,
    }
    del view["Resources"]["parentId"]
    return ordered(view, noun.version)


def _endpoint(noun: LoadBalancer | SdnRoute, endpoint: str) -> str:
    """Write a reference in the letter case in which the release writes v1 endpoint ids."""
    return endpoint.lower() if is_new(noun.version) else endpoint


def endpoints_v2(noun: LoadBalancer | SdnRoute) -> list[str]:
    """Return HostComputeEndpoints.

    Upper case: kube-proxy took them as they came and compared them with ids it had put into upper case
    (kubernetes/kubernetes pkg/proxy/winkernel/hns.go, hashEndpoints; newer code changes both). Where a load
    balancer can be modified they are written as an endpoint's own id is: hcsshim takes a backend out of the
    document that Update returned by that id (microsoft/hcsshim hcn/hcnloadbalancer_test.go).
    """
    as_endpoints_are = noun.version >= _MODIFIABLE
    return [endpoint.lower() if as_endpoints_are else endpoint for endpoint in noun.endpoints]
