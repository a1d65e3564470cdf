"""The objects HNS has, each with its verbs, behind one protocol and in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, NotFoundError
from hnsfake.documents.guest_network_service import GuestNetworkService
from hnsfake.documents.guids import read as read_guid
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import ELB, LoadBalancer
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.policy_list import policy_types
from hnsfake.documents.sdn_route import ROUTE, SdnRoute
from hnsfake.service import (
    endpoint,
    guest_network_service,
    load_balancer,
    namespace,
    network,
    network_changes,
    sdn_route,
)
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Noun, Transaction

Document = Mapping[str, Any]


class Collection(Protocol):
    """What v1 does with the objects under one path."""

    @property
    def updatable(self) -> bool:
        """Whether there is a POST to an object."""
        ...

    def all(self, tx: Transaction) -> Iterator[Any]:
        """Iterate over the objects in the order of their creation."""
        ...

    def get(self, tx: Transaction, object_id: str | None) -> Any:
        """Return the object with this id; raise NotFoundError, or HnsError for an id that isn't a GUID."""
        ...

    def make(self, tx: Transaction, facts: NodeFacts, document: Document) -> str:
        """Make an object; return its id."""
        ...

    def update(self, tx: Transaction, facts: NodeFacts, noun: Any, document: Document) -> None:
        """Carry out v1's POST to an object that is ``updatable``."""
        ...

    def remove(self, tx: Transaction, noun: Any) -> None:
        """Delete an object."""
        ...

    def show(self, tx: Transaction, noun: Any) -> dict[str, Any]:
        """Return an object's v1 document."""
        ...


@dataclass(frozen=True)
class Verbs:
    """What can be done with one kind of object; as they are, the ``Collection`` of it."""

    kind: type[Noun]
    not_found: HResult
    create: Callable[[Transaction, NodeFacts, Document, str | None], str]
    delete: Callable[[Transaction, Any], None]
    show_v1: Callable[[Transaction, Any], dict[str, Any]]
    show_v2: Callable[[Transaction, Any, bool], dict[str, Any]]
    update_v1: Callable[[Transaction, NodeFacts, Any, Document], None] | None = None

    @property
    def updatable(self) -> bool:
        """Whether there is a POST to an object."""
        return self.update_v1 is not None

    def all(self, tx: Transaction) -> Iterator[Any]:
        """Iterate over the objects in the order of their creation."""
        return tx.all(self.kind)

    def get(self, tx: Transaction, object_id: str | None) -> Any:
        """Return the object with this id; raise NotFoundError, or HnsError for an id that isn't a GUID."""
        guid = read_guid(object_id)
        found = tx.find(self.kind, guid) if guid else None
        if found is None:
            raise NotFoundError(self.not_found)
        return found

    def make(self, tx: Transaction, facts: NodeFacts, document: Document) -> str:
        """Make an object; return its id."""
        return self.create(tx, facts, document, None)

    def update(self, tx: Transaction, facts: NodeFacts, noun: Any, document: Document) -> None:
        """Carry out v1's POST to an object that is ``updatable``."""
        assert self.update_v1 is not None
        self.update_v1(tx, facts, noun, document)

    def remove(self, tx: Transaction, noun: Any) -> None:
        """Delete an object."""
        self.delete(tx, noun)

    def show(self, tx: Transaction, noun: Any) -> dict[str, Any]:
        """Return an object's v1 document."""
        return self.show_v1(tx, noun)


NETWORKS = Verbs(
    Network,
    network.not_found,
    network.create,
    network.delete,
    network.show_v1,
    network.show_v2,
    network_changes.update_v1,
)
ENDPOINTS = Verbs(
    Endpoint,
    endpoint.not_found,
    endpoint.create,
    endpoint.delete,
    endpoint.show_v1,
    endpoint.show_v2,
    endpoint.update_v1,
)
NAMESPACES = Verbs(
    Namespace,
    namespace.not_found,
    namespace.create,
    namespace.delete_unused,
    namespace.show_v1,
    namespace.show_v2,
)

LOAD_BALANCERS = Verbs(
    LoadBalancer,
    load_balancer.not_found,
    load_balancer.create,
    load_balancer.delete,
    load_balancer.show_v1,
    load_balancer.show_v2,
)
SDN_ROUTES = Verbs(
    SdnRoute,
    sdn_route.not_found,
    sdn_route.create,
    sdn_route.delete,
    sdn_route.show_v1,
    sdn_route.show_v2,
)
GUEST_NETWORK_SERVICES = Verbs(
    GuestNetworkService,
    guest_network_service.not_found,
    guest_network_service.create,
    guest_network_service.delete,
    guest_network_service.show,
    lambda tx, noun, _detailed: guest_network_service.show(tx, noun),
)


class PolicyLists:
    """v1's policy lists: load balancers and SDN routes under one path, told apart by the type of their policies.

    Clients change none: they delete a list and make it again (microsoft/hcsshim internal/hns/hnspolicylist.go).
    """

    updatable = False

    def __init__(self, by_policy: Mapping[str, Verbs]) -> None:
        self._by_policy = {policy.lower(): verbs for policy, verbs in by_policy.items()}
        self._by_kind = {verbs.kind: verbs for verbs in by_policy.values()}

    def all(self, tx: Transaction) -> Iterator[Any]:
        """Iterate over all lists, one kind after the other."""
        for verbs in self._by_policy.values():
            yield from verbs.all(tx)

    def get(self, tx: Transaction, object_id: str | None) -> Any:
        """Return the list with this id; raise NotFoundError, or HnsError for an id that isn't a GUID."""
        guid = read_guid(object_id)
        found = [noun for kind in self._by_kind if guid and (noun := tx.find(kind, guid)) is not None]
        if not found:
            raise NotFoundError(HResult.ERROR_NOT_FOUND)
        return found[0]

    def make(self, tx: Transaction, facts: NodeFacts, document: Document) -> str:
        """Make what the list's policies are of; a mixed list is refused.  # unverified: the code."""
        verbs = [self._by_policy.get(policy) for policy in policy_types(document, facts.unknown)]
        if len(verbs) != 1 or verbs[0] is None:
            raise HnsError(HResult.HCN_E_INVALID_POLICY_TYPE)
        return verbs[0].make(tx, facts, document)

    def update(self, _tx: Transaction, _facts: NodeFacts, _noun: Any, _document: Document) -> None:
        """There is none."""
        raise NotImplementedError

    def remove(self, tx: Transaction, noun: Any) -> None:
        """Delete a list."""
        self._by_kind[type(noun)].remove(tx, noun)

    def show(self, tx: Transaction, noun: Any) -> dict[str, Any]:
        """Return the list's document."""
        return self._by_kind[type(noun)].show(tx, noun)


# v2: the word in the names of its functions, singular and plural.
BY_FUNCTION: Mapping[str, Verbs] = {
    "Network": NETWORKS,
    "Endpoint": ENDPOINTS,
    "Namespace": NAMESPACES,
    "LoadBalancer": LOAD_BALANCERS,
    "SdnRoute": SDN_ROUTES,
}
# v1: the first word of the path.
BY_PATH: Mapping[str, Collection] = {
    "networks": NETWORKS,
    "endpoints": ENDPOINTS,
    "namespaces": NAMESPACES,
    "policylists": PolicyLists({ELB: LOAD_BALANCERS, ROUTE: SDN_ROUTES}),
}
