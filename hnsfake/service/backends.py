"""The endpoints that load balancers and SDN routes name."""

from __future__ import annotations

from collections.abc import Sequence

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.service.state import Transaction


def network_of(tx: Transaction, endpoints: Sequence[str]) -> str:
    """Return the id of the network of these endpoints; raise HnsError where there are none, or one of them is gone.

    Without any, HNS says that a reference is required (kubernetes/kubernetes#100384, projectcalico/calico#5762). It
    looks for an endpoint's port at its switch, so that this is what it misses (microsoft/hcsshim#1043). An endpoint
    that goes later stays named: HNS's own health check looks for such load balancers (microsoft/SDN
    Kubernetes/windows/debug).
    """
    if not endpoints:
        raise HnsError(HResult.HCN_E_INVALID_JSON_REFERENCE, "A Reference is required")
    found = [tx.find(Endpoint, endpoint) for endpoint in endpoints]
    networks = [endpoint.network_id for endpoint in found if endpoint is not None]
    if len(networks) < len(found):
        raise HnsError(HResult.HCN_E_PORT_NOT_FOUND)
    return networks[0]
