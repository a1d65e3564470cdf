"""What HNS does with namespaces: compartments, and the endpoints and containers in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, NotFoundError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import NamespaceResource
from hnsfake.documents.namespace import Namespace, NamespaceType, ResourceEntry
from hnsfake.documents.translation.namespace import namespace_v1, namespace_v2, read_namespace
from hnsfake.service import endpoint as endpoints
from hnsfake.service import pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = Namespace
not_found = HResult.ERROR_NOT_FOUND  # antrea-io/antrea#2301
_ENDPOINT = "endpoint"


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a namespace; return its id."""
    asked, resources = read_namespace(document, facts.unknown)
    changes = [_change_of("Add", resource) for resource in resources]
    for resource in resources:
        if resource.Type.lower() == _ENDPOINT:
            endpoints.check_local(_endpoint(tx, resource.object_id))
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
    for change, resource in zip(changes, resources, strict=True):
        made = tx.find(Namespace, namespace_id)
        assert made is not None
        change(tx, made, resource.object_id)
    return namespace_id


def create_default(tx: Transaction, facts: NodeFacts) -> None:
    """Make the namespace of the host's own compartment, which is there from the start (projectcalico/calico#8465)."""
    if not any(namespace.type is NamespaceType.HOST_DEFAULT for namespace in tx.all(Namespace)):
        create(tx, facts, {"SchemaVersion": {}, "Type": NamespaceType.HOST_DEFAULT.value}, None)


def add_endpoint(tx: Transaction, facts: NodeFacts, namespace: Namespace, settings: dict[str, Any]) -> None:
    """Put an endpoint into the namespace (microsoft/hcsshim hcn/hcnnamespace.go)."""
    _add_endpoint(tx, namespace, NamespaceResource.read(settings, facts.unknown).EndpointId)


def remove_endpoint(tx: Transaction, facts: NodeFacts, namespace: Namespace, settings: dict[str, Any]) -> None:
    """Take an endpoint out of the namespace."""
    _remove_endpoint(tx, namespace, NamespaceResource.read(settings, facts.unknown).EndpointId)


def add_container(tx: Transaction, facts: NodeFacts, namespace: Namespace, settings: dict[str, Any]) -> None:
    """Note a container of the namespace."""
    _add_container(tx, namespace, NamespaceResource.read(settings, facts.unknown).ContainerId)


def remove_container(tx: Transaction, facts: NodeFacts, namespace: Namespace, settings: dict[str, Any]) -> None:
    """Forget a container of the namespace."""
    _remove_container(tx, namespace, NamespaceResource.read(settings, facts.unknown).ContainerId)


def change_v1(
    tx: Transaction, facts: NodeFacts, namespace: Namespace, action: str, document: Mapping[str, Any]
) -> None:
    """Carry out v1's addresource ("Add") and removeresource ("Remove") (internal/hns/namespace.go)."""
    resource = ResourceEntry.read(document, facts.unknown)
    _change_of(action, resource)(tx, namespace, resource.object_id)


def delete_unused(tx: Transaction, namespace: Namespace) -> None:
    """Remove a namespace at a caller's wish; raise HnsError where a container is still in it.

    microsoft/Windows-Containers#485, microsoft/hcsshim#2155: containerd can't delete the namespace of a sandbox whose
    container HNS still lists.
    """
    if namespace.containers:
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
    delete(tx, namespace)


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
    (_ENDPOINT, "Add"): _add_endpoint,
    (_ENDPOINT, "Remove"): _remove_endpoint,
    ("container", "Add"): _add_container,
    ("container", "Remove"): _remove_container,
}


def _change_of(action: str, resource: ResourceEntry) -> Callable[[Transaction, Namespace, str], None]:
    change = _CHANGES.get((resource.Type.lower(), action))
    if change is None:
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
    return change


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
