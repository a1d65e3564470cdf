"""The objects HNS has, each with its verbs, behind one protocol and in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, NotFoundError
from hnsfake.documents.guids import read as read_guid
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import ModifyRequest
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.service import endpoint, namespace, network
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Noun, Transaction

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Verbs:
    """What can be done with one kind of object."""

    kind: type[Noun]
    not_found: HResult
    create: Callable[[Transaction, NodeFacts, Document, str | None], str]
    modify: Callable[[Transaction, NodeFacts, Any, ModifyRequest], None]
    delete: Callable[[Transaction, Any], None]
    show_v1: Callable[[Transaction, Any], dict[str, Any]]
    show_v2: Callable[[Transaction, Any, bool], dict[str, Any]]
    update_v1: Callable[[Transaction, NodeFacts, Any, Document], None] | None = None

    def get(self, tx: Transaction, object_id: str | None) -> Any:
        """Return the object with this id; raise NotFoundError, or HnsError for an id that isn't a GUID."""
        guid = read_guid(object_id)
        found = tx.find(self.kind, guid) if guid else None
        if found is None:
            raise NotFoundError(self.not_found)
        return found

    def modify_with(self, tx: Transaction, facts: NodeFacts, object_id: str, request: ModifyRequest) -> None:
        """Modify the object with this id."""
        self.modify(tx, facts, self.get(tx, object_id), request)

    def update(self, tx: Transaction, facts: NodeFacts, object_id: str, document: Document) -> None:
        """Carry out v1's POST to an object; raise HnsError where HNS has none."""
        if self.update_v1 is None:
            raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
        self.update_v1(tx, facts, self.get(tx, object_id), document)


NETWORKS = Verbs(
    Network,
    network.not_found,
    network.create,
    network.modify,
    network.delete,
    network.show_v1,
    network.show_v2,
    network.update_v1,
)
ENDPOINTS = Verbs(
    Endpoint,
    endpoint.not_found,
    endpoint.create,
    endpoint.modify,
    endpoint.delete,
    endpoint.show_v1,
    endpoint.show_v2,
    endpoint.update_v1,
)
NAMESPACES = Verbs(
    Namespace,
    namespace.not_found,
    namespace.create,
    namespace.modify,
    namespace.delete,
    namespace.show_v1,
    namespace.show_v2,
)

# v2: the word in the names of its functions, singular and plural.
BY_FUNCTION: Mapping[str, Verbs] = {"Network": NETWORKS, "Endpoint": ENDPOINTS, "Namespace": NAMESPACES}
# v1: the first word of the path.
BY_PATH: Mapping[str, Verbs] = {"networks": NETWORKS, "endpoints": ENDPOINTS, "namespaces": NAMESPACES}
