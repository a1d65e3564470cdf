"""The state of one node's HNS, and the transaction through which a call changes it.

Objects are immutable; a transaction collects their successors, derives what the data plane must do from the
difference, and becomes the state only after the data plane agreed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from immutables import Map

from hnsfake.dataplane.interface import HOST_COMPARTMENT, Change, Want
from hnsfake.documents.accelnet import ManagementMacs
from hnsfake.documents.compute_system import ComputeSystem
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.guest_network_service import GuestNetworkService, PortReservation
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.policies import Policy
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.service import address_sets, claims, wants
from hnsfake.service.claims import Claim, Holder
from hnsfake.service.tables import Table

Noun = (
    Network
    | Endpoint
    | Namespace
    | LoadBalancer
    | SdnRoute
    | GuestNetworkService
    | PortReservation
    | ManagementMacs
    | ComputeSystem
)
N = TypeVar(
    "N",
    bound=Network
    | Endpoint
    | Namespace
    | LoadBalancer
    | SdnRoute
    | GuestNetworkService
    | PortReservation
    | ManagementMacs
    | ComputeSystem,
)


@dataclass(frozen=True)
class State:
    """All objects by id, in the order of their creation (clients rely on a stable order)."""

    networks: Table[Network] = field(default_factory=Table)
    endpoints: Table[Endpoint] = field(default_factory=Table)
    namespaces: Table[Namespace] = field(default_factory=Table)
    load_balancers: Table[LoadBalancer] = field(default_factory=Table)
    sdn_routes: Table[SdnRoute] = field(default_factory=Table)
    guest_network_services: Table[GuestNetworkService] = field(default_factory=Table)
    port_reservations: Table[PortReservation] = field(default_factory=Table)
    management_macs: Table[ManagementMacs] = field(default_factory=Table)
    systems: Table[ComputeSystem] = field(default_factory=Table)
    claims: Map[Claim, frozenset[Holder]] = field(default_factory=Map)

    def find(self, kind: type[Noun], object_id: str) -> Noun | None:
        """Return the object with this id, or None."""
        found: Noun | None = getattr(self, _FIELDS[kind]).get(object_id)
        return found

    def compartments(self) -> set[int]:
        """Return the numbers of all compartments, the host's among them."""
        return compartments(self.namespaces, self.systems)


_FIELDS: Mapping[type[Noun], str] = {
    Network: "networks",
    Endpoint: "endpoints",
    Namespace: "namespaces",
    LoadBalancer: "load_balancers",
    SdnRoute: "sdn_routes",
    GuestNetworkService: "guest_network_services",
    PortReservation: "port_reservations",
    ManagementMacs: "management_macs",
    ComputeSystem: "systems",
}


def compartments(namespaces: Table[Namespace], systems: Table[ComputeSystem]) -> set[int]:
    """Return the numbers of the compartments that are there for these, and the host's."""
    own = {system.compartment for system in systems.in_any_order() if system.has_own_compartment}
    return {HOST_COMPARTMENT} | {namespace.compartment for namespace in namespaces.in_any_order()} | own


class Transaction:
    """A call's view of the state: reads see its own writes, nothing else does until it is committed."""

    def __init__(self, state: State) -> None:
        self._kinds: dict[type, Table[Any]] = {kind: getattr(state, name) for kind, name in _FIELDS.items()}
        self._claims = state.claims
        self.changes: list[Change] = []
        self.records: dict[tuple[type[Noun], str], Noun | None] = {}

    def all(self, kind: type[N]) -> Iterator[N]:
        """Iterate over the objects of ``kind`` in the order of their creation."""
        yield from self._kinds[kind].in_order()

    def compartments(self) -> set[int]:
        """Return the numbers of all compartments, the host's among them."""
        return compartments(self._kinds[Namespace], self._kinds[ComputeSystem])

    def taken_compartments(self) -> set[int]:
        """Return the numbers that no new compartment may have: those in use, and those that a system outlived."""
        return self.compartments() | {system.compartment for system in self._kinds[ComputeSystem].in_any_order()}

    def find(self, kind: type[N], object_id: str) -> N | None:
        """Return the object with this id, or None."""
        found: N | None = self._kinds[kind].get(object_id)
        return found

    def network(self, network_id: str) -> Network:
        """Return a network that is known to exist."""
        network = self.find(Network, network_id)
        assert network is not None, network_id
        return network

    def endpoints_of(self, network_id: str) -> list[Endpoint]:
        """Return the endpoints of a network."""
        return [endpoint for endpoint in self.all(Endpoint) if endpoint.network_id == network_id]

    def claimed(self, claim: Claim, apart_from: Noun | None = None) -> bool:
        """Whether an object holds a claim, other than the one given."""
        holders = self._claims.get(claim, frozenset())
        return bool(holders - {claims.holder(apart_from)} if apart_from is not None else holders)

    def put(self, noun: Noun) -> None:
        """Create or replace an object."""
        replaced = self._kinds[type(noun)].get(noun.id)
        before = self._want(replaced)
        others = self._wants_of(self._dependents(replaced, noun))
        self._claim(replaced, noun)
        self._kinds[type(noun)] = self._kinds[type(noun)].with_(noun.id, noun)
        self._note(before, self._want(noun))
        self._note_others(others)
        self.records[type(noun), noun.id] = noun

    def drop(self, noun: Noun) -> None:
        """Remove an object."""
        before = self._want(noun)
        others = self._wants_of(self._dependents(noun, None))
        self._claim(noun, None)
        self._kinds[type(noun)] = self._kinds[type(noun)].without(noun.id)
        self._note_others(others)
        self._note(before, None)
        self.records[type(noun), noun.id] = None

    def result(self) -> State:
        """Return the state after this transaction."""
        return State(**{name: self._kinds[kind] for kind, name in _FIELDS.items()}, claims=self._claims)

    def _claim(self, before: Noun | None, after: Noun | None) -> None:
        old = set(claims.of(before)) if before is not None else set()
        new = set(claims.of(after)) if after is not None else set()
        if old == new:
            return
        holder = frozenset([claims.holder(after or before)])
        with self._claims.mutate() as table:
            for claim in old - new:
                left = table.pop(claim) - holder
                if left:
                    table[claim] = left
            for claim in new - old:
                table[claim] = table.get(claim, frozenset()) | holder
            self._claims = table.finish()

    def _note(self, before: Want | None, after: Want | None) -> None:
        if before != after:
            self.changes.append(Change(before, after))

    def _dependents(self, before: Noun | None, after: Noun | None) -> set[Holder]:
        """Return kind and id of the objects whose wants have something of one that changes."""
        either = after or before
        if isinstance(either, SdnRoute):
            return {
                (Endpoint, one) for route in (before, after) if isinstance(route, SdnRoute) for one in route.endpoints
            }
        if isinstance(either, Endpoint):
            alike = _as_backend(before) == _as_backend(after)
            return set() if alike else set(self._claims.get(claims.backend(either.id), ()))
        if isinstance(either, Network):
            both = [network for network in (before, after) if isinstance(network, Network)]
            rules = any(address_sets.ids(network) or wants.network_acls(network) for network in both)
            return self._dependents_of_network(either, rules=rules, gone=after is None)
        return set()

    def _dependents_of_network(self, network: Network, *, rules: bool, gone: bool) -> set[Holder]:
        dependents: set[Holder] = set()
        if rules:
            dependents |= {(Endpoint, endpoint.id) for endpoint in self.endpoints_of(network.id)}
        if gone:
            dependents |= {(LoadBalancer, one.id) for one in self.all(LoadBalancer) if one.network_id == network.id}
        return dependents

    def _wants_of(self, holders: Iterable[Holder]) -> dict[Holder, Want | None]:
        return {holder: self._want(self.find(*holder)) for holder in holders}

    def _note_others(self, before: Mapping[Holder, Want | None]) -> None:
        for holder, want in before.items():
            if want is not None:
                self._note(want, self._want(self.find(*holder)))

    def _shared_policies(self, endpoint: Endpoint) -> list[Policy]:
        routes = (route for route in self.all(SdnRoute) if endpoint.id in route.endpoints)
        return [record.typed for route in routes for record in route.routes if record.typed is not None]

    def _want_of_balancer(self, noun: LoadBalancer) -> Want | None:
        """Return what a load balancer needs: nothing when its network is gone, or where ports have no VFP."""
        network = self.find(Network, noun.network_id)
        if network is None or not wants.is_balanced(network):
            return None
        found = (self.find(Endpoint, endpoint) for endpoint in noun.endpoints)
        return wants.load_balancer(noun, network, [endpoint for endpoint in found if endpoint is not None])

    def _want(self, noun: Noun | None) -> Want | None:
        if isinstance(noun, Endpoint):
            return wants.endpoint(noun, self.network(noun.network_id), self._shared_policies(noun))
        if isinstance(noun, Network):
            return wants.network(noun)
        if isinstance(noun, LoadBalancer):
            return self._want_of_balancer(noun)
        if isinstance(noun, Namespace):
            return wants.compartment(noun)
        if isinstance(noun, ComputeSystem):
            return wants.system(noun)
        return None


def _as_backend(noun: Noun | None) -> object:
    """Return what load balancers have of an endpoint."""
    return (noun.addresses, noun.remote) if isinstance(noun, Endpoint) else None
