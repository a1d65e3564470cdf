"""What networking sees of the Host Compute Service: containers, and the endpoints that are attached to them.

Functions: microsoft/hcsshim internal/vmcompute/vmcompute.go; how v1 clients use them: hnsendpoint.go
(HotAttachEndpoint, HotDetachEndpoint). No process runs in a compute system here: whoever tests starts them in its
compartment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from hnsfake.documents import guids
from hnsfake.documents.compute_system import ComputeSystem, SystemState, properties, read_modification, read_settings
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, NotFoundError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.text import is_text, read_object, read_optional_object
from hnsfake.service import endpoint as endpoints
from hnsfake.service import pools
from hnsfake.service.exchange import Exchange
from hnsfake.service.notifications import SystemNotification
from hnsfake.service.state import Transaction

_NETWORK = "network"


def create(exchange: Exchange) -> None:
    """Carry out HcsCreateComputeSystem: by version 2's document in a namespace, else with a compartment of its own."""
    system_id, tx = exchange.call.id, exchange.tx
    if not system_id or not is_text(system_id):
        raise HnsError(HResult.E_INVALIDARG)
    asked = read_settings(read_optional_object(exchange.call.document))
    namespace = _namespace(tx, asked.namespace) if asked.namespace else None
    shared = find(tx, asked.shares_with) if asked.shares_with else None
    asked_endpoints = [_endpoint(tx, endpoint_id) for endpoint_id in asked.EndpointList]
    for endpoint in asked_endpoints:
        endpoints.check_local(endpoint)
    if tx.find(ComputeSystem, system_id) is not None:
        raise HnsError(HResult.HCS_E_SYSTEM_ALREADY_EXISTS)
    place = namespace or shared
    system = ComputeSystem(
        system_id,
        asked.Owner,
        place.compartment if place is not None else pools.compartment(tx.taken_compartments()),
        namespace.id if namespace is not None else "",
        asked.shares_with,
    )
    tx.put(system)
    if namespace is not None and system_id not in namespace.containers:  # a client may have listed it before
        endpoints.set_containers(tx, namespace, (*namespace.containers, system_id))
    for endpoint in asked_endpoints:
        attach(tx, system, _endpoint(tx, endpoint.id))
    exchange.open(ComputeSystem, system_id)


def find(tx: Transaction, system_id: str) -> ComputeSystem:
    """Return the system with this id; raise NotFoundError."""
    system = tx.find(ComputeSystem, system_id)
    if system is None:
        raise NotFoundError(HResult.HCS_E_SYSTEM_NOT_FOUND)
    return system


def attach(tx: Transaction, system: ComputeSystem, endpoint: Endpoint) -> None:
    """Attach an endpoint: the first system gets its vNIC, each later one shares it."""
    endpoints.check_local(endpoint)
    if endpoint.compartment is None:
        endpoints.attach_container(tx, endpoint, system.compartment, system.id)
    elif system.id not in endpoint.containers:
        endpoints.share(tx, endpoint, system.id)


def detach(tx: Transaction, system: ComputeSystem, endpoint: Endpoint) -> None:
    """Detach an endpoint; its vNIC goes with the last system that has it."""
    if system.id not in endpoint.containers:
        raise NotFoundError(HResult.ERROR_NOT_FOUND)
    endpoints.unshare(tx, endpoint, system.id)


def _open(exchange: Exchange) -> None:
    exchange.open(ComputeSystem, find(exchange.tx, exchange.call.id or "").id)


def _enumerate(exchange: Exchange) -> None:
    exchange.output = json.dumps([properties(system) for system in exchange.tx.all(ComputeSystem)])


def _close(exchange: Exchange) -> None:
    exchange.close(ComputeSystem)


def _properties(exchange: Exchange) -> None:
    exchange.output = json.dumps(properties(_target(exchange)))


def _modify(exchange: Exchange) -> None:
    system = _target(exchange)
    request = read_modification(read_object(exchange.call.document))
    if request.ResourceType.lower() != _NETWORK or not isinstance(request.Settings, str):
        raise HnsError(HResult.ERROR_NOT_SUPPORTED)
    try:
        change = _CHANGES[request.RequestType.lower()]
    except KeyError:
        raise HnsError(HResult.ERROR_NOT_SUPPORTED) from None
    change(exchange.tx, system, _endpoint(exchange.tx, request.Settings))


_CHANGES = {"add": attach, "remove": detach}


def _become(state: SystemState, notification: SystemNotification, exchange: Exchange) -> None:
    exchange.tx.put(replace(_target(exchange), state=state))
    exchange.notes.append((notification, exchange.target(ComputeSystem)))


def end(tx: Transaction, system: ComputeSystem) -> None:
    """Stop a system: it is gone, and its endpoints are detached.

    unverified: what becomes of a compartment that other systems share; here it goes with the system whose it is.
    """
    for endpoint in [one for one in tx.all(Endpoint) if system.id in one.containers]:
        endpoints.unshare(tx, endpoint, system.id)
    namespace = tx.find(Namespace, system.namespace_id)
    if namespace is not None:
        endpoints.set_containers(tx, namespace, tuple(c for c in namespace.containers if c != system.id))
    if system.has_own_compartment:
        endpoints.vacate(tx, system.compartment)
    tx.drop(system)


def _end(exchange: Exchange) -> None:
    system = _target(exchange)
    end(exchange.tx, system)
    exchange.notes.append((SystemNotification.SYSTEM_EXITED, system.id))


def _service_properties(exchange: Exchange) -> None:
    exchange.output = json.dumps({"Properties": []})


def _not_here(_exchange: Exchange) -> None:
    """Say that no process can be started or managed in a compute system."""
    raise HnsError(HResult.ERROR_NOT_SUPPORTED)


def _target(exchange: Exchange) -> ComputeSystem:
    """Return the system behind the caller's handle; raise HnsError where it has stopped."""
    system = exchange.tx.find(ComputeSystem, exchange.target(ComputeSystem))
    if system is None:
        raise HnsError(HResult.HCS_E_SYSTEM_ALREADY_STOPPED)
    return system


def _namespace(tx: Transaction, namespace_id: str) -> Namespace:
    guid = guids.read(namespace_id)
    namespace = tx.find(Namespace, guid) if guid else None
    if namespace is None:
        raise NotFoundError(HResult.ERROR_NOT_FOUND)
    return namespace


def _endpoint(tx: Transaction, endpoint_id: str) -> Endpoint:
    guid = guids.read(endpoint_id)
    endpoint = tx.find(Endpoint, guid) if guid else None
    if endpoint is None:
        raise NotFoundError(HResult.HCN_E_ENDPOINT_NOT_FOUND)
    return endpoint


FUNCTIONS: Mapping[str, Callable[[Exchange], None]] = {
    "HcsEnumerateComputeSystems": _enumerate,
    "HcsCreateComputeSystem": create,
    "HcsOpenComputeSystem": _open,
    "HcsCloseComputeSystem": _close,
    "HcsStartComputeSystem": partial(_become, SystemState.RUNNING, SystemNotification.START_COMPLETED),
    "HcsPauseComputeSystem": partial(_become, SystemState.PAUSED, SystemNotification.PAUSE_COMPLETED),
    "HcsResumeComputeSystem": partial(_become, SystemState.RUNNING, SystemNotification.RESUME_COMPLETED),
    "HcsShutdownComputeSystem": _end,
    "HcsTerminateComputeSystem": _end,
    "HcsSaveComputeSystem": _not_here,
    "HcsGetComputeSystemProperties": _properties,
    "HcsModifyComputeSystem": _modify,
    "HcsModifyServiceSettings": _not_here,
    "HcsGetServiceProperties": _service_properties,
    **dict.fromkeys(
        (
            "HcsCreateProcess",
            "HcsOpenProcess",
            "HcsCloseProcess",
            "HcsTerminateProcess",
            "HcsSignalProcess",
            "HcsGetProcessInfo",
            "HcsGetProcessProperties",
            "HcsModifyProcess",
            "HcsRegisterProcessCallback",
            "HcsUnregisterProcessCallback",
        ),
        _not_here,
    ),
}
