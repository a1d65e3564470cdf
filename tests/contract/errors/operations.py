"""All operations of the table, by what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.contract.errors import (
    compute_system,
    endpoint,
    endpoint_changes,
    guest_network_service,
    handles,
    load_balancer,
    namespace,
    network,
    network_changes,
    sdn_route,
    v1,
)
from tests.contract.errors.table import Operation

BY_NOUN: Mapping[str, Sequence[Operation]] = {
    "Networks": [*network.OPERATIONS, *network_changes.OPERATIONS],
    "Endpoints": [*endpoint.OPERATIONS, *endpoint_changes.OPERATIONS],
    "Namespaces": namespace.OPERATIONS,
    "Load balancers": load_balancer.OPERATIONS,
    "SDN routes": sdn_route.OPERATIONS,
    "Compute systems": compute_system.OPERATIONS,
    "Guest network services": guest_network_service.OPERATIONS,
    "All of v2": handles.OPERATIONS,
    "All of v1": v1.OPERATIONS,
}
OPERATIONS = [operation for operations in BY_NOUN.values() for operation in operations]
