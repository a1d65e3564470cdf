"""What HNS does with namespaces: compartments, and the endpoints and containers in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, InvalidDocumentError, NotFoundError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import ModifyRequest, NamespaceResource
from hnsfake.documents.namespace import Namespace, NamespaceResourceV1, NamespaceType, read_namespace
from hnsfake.documents.shown.namespace import namespace_v1, namespace_v2
from hnsfake.service import endpoint as endpoints
from hnsfake.service import pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = Namespace
not_found = HResult.ERROR_NOT_FOUND  # antrea-io/antrea#2301


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a namespace; return its id."""
    asked = read_namespace(document, facts.unknown)
    namespace_id = object_id or asked.id or guids.new()
    if tx.find(Namespace, namespace_id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # as for networks
    tx.put(
        replace(
            asked,
            id=namespace_id,
            compartment=_compartment(tx, asked),
            compartment_guid=guids.new(),
            activity_id=guids.new(),
            version=facts.release.object_version,
            created=facts.now(),
        )
    )
    return namespace_id


def create_default(tx: Transaction, facts: NodeFacts) -> None:
    """Make the namespace of the host's own compartment, which is there from the start (projectcalico/calico#8465)."""
    if not any(namespace.type is NamespaceType.HOST_DEFAULT for namespace in tx.all(Namespace)):
        create(tx, facts, {"SchemaVersion": {}, "Type": NamespaceType.HOST_DEFAULT.value}, None)


def modify(tx: Transaction, facts: NodeFacts, namespace: Namespace, request: ModifyRequest) -> None:
    """Carry out HcnModifyNamespace (microsoft/hcsshim hcn/hcnnamespace.go)."""
    settings = NamespaceResource.read(request.Settings, facts.unknown)
    _change(tx, namespace, request.ResourceType, request.RequestType, settings.EndpointId, settings.ContainerId)


def change_v1(
    tx: Transaction, facts: NodeFacts, namespace: Namespace, action: str, document: Mapping[str, Any]
) -> None:
    """Carry out v1's addresource ("Add") and removeresource ("Remove") (internal/hns/namespace.go)."""
    resource = NamespaceResourceV1.read(document, facts.unknown)
    object_id = resource.Data.get("Id", resource.Data.get("ID", ""))
    if not isinstance(object_id, str):
        raise InvalidDocumentError("Data.Id")
    _change(tx, namespace, resource.Type, action, object_id, object_id)


def delete(tx: Transaction, namespace: Namespace) -> None:
    """Remove a namespace; endpoints still in its compartment stay, detached (containerd deletes after a failed DEL)."""
    for endpoint_id in namespace.endpoints:
        endpoint = tx.find(Endpoint, endpoint_id)
        if endpoint is not None:
            endpoints.leave_namespace(tx, endpoint)
    endpoints.vacate(tx, namespace.compartment)
    left = tx.find(Namespace, namespace.id)
    assert left is not None
    tx.drop(left)


def show_v1(_tx: Transaction, namespace: Namespace) -> dict[str, Any]:
    """Return the namespace's v1 document."""
    return namespace_v1(namespace)


def show_v2(_tx: Transaction, namespace: Namespace, _detailed: bool) -> dict[str, Any]:
    """Return the namespace's v2 document."""
    return namespace_v2(namespace)


def _change(
    tx: Transaction, namespace: Namespace, resource: str, request: str, endpoint_id: str, container_id: str
) -> None:
    try:
        change = _CHANGES[resource.lower(), request.lower()]
    except KeyError:
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED) from None
    change(tx, namespace, endpoint_id if resource.lower() == "endpoint" else container_id)


def _add_endpoint(tx: Transaction, namespace: Namespace, object_id: str) -> None:
    endpoints.join_namespace(tx, _endpoint(tx, object_id), namespace)


def _remove_endpoint(tx: Transaction, namespace: Namespace, object_id: str) -> None:
    endpoint = _endpoint(tx, object_id)
    if endpoint.namespace_id != namespace.id:
        raise NotFoundError(HResult.ERROR_NOT_FOUND)
    endpoints.leave_namespace(tx, endpoint)


def _add_container(tx: Transaction, namespace: Namespace, object_id: str) -> None:
    if not object_id:
        raise HnsError(HResult.E_INVALIDARG)
    if object_id not in namespace.containers:
        endpoints.set_containers(tx, namespace, (*namespace.containers, object_id))


def _remove_container(tx: Transaction, namespace: Namespace, object_id: str) -> None:
    if object_id not in namespace.containers:
        raise NotFoundError(HResult.ERROR_NOT_FOUND)
    endpoints.set_containers(tx, namespace, tuple(c for c in namespace.containers if c != object_id))


_CHANGES = {
    ("endpoint", "add"): _add_endpoint,
    ("endpoint", "remove"): _remove_endpoint,
    ("container", "add"): _add_container,
    ("container", "remove"): _remove_container,
}


def _endpoint(tx: Transaction, object_id: str) -> Endpoint:
    guid = guids.read(object_id)
    endpoint = tx.find(Endpoint, guid) if guid else None
    if endpoint is None:
        raise NotFoundError(HResult.HCN_E_ENDPOINT_NOT_FOUND)
    return endpoint


def _compartment(tx: Transaction, asked: Namespace) -> int:
    """Choose the compartment: the host's for HostDefault, else the one asked for or the lowest free one."""
    taken = tx.taken_compartments()
    if asked.type is NamespaceType.HOST_DEFAULT:
        # A second one can be made and deleted (microsoft/hcsshim hcn/hcnnamespace_test.go).
        return HOST_COMPARTMENT
    if asked.compartment > HOST_COMPARTMENT and asked.compartment not in taken:
        return asked.compartment
    return pools.compartment(taken)
