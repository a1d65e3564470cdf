"""What HNS should know, in plain Python: the reference that the service is held against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from hnsfake.documents.hresults import HResult

HOST = 1
UNMAPPED = ("Transparent", "Private")
EXTERNAL = ("L2Bridge", "Overlay", "Transparent")
"""Networks on the node's one adapter; a Transparent one has it for itself."""
CREATED, ATTACHED, SHARING, DETACHED = 1, 2, 3, 4
Mapping = tuple[int, int, int, str]
"""Protocol, internal port, external port, VIP ("" for the node's own address)."""
Refusals = set[HResult]


@dataclass
class Network:
    id: str
    kind: str
    name: str
    prefix: str

    @property
    def gateway(self) -> str:
        return str(ip_network(self.prefix)[1])


@dataclass
class Endpoint:
    id: str
    network: str
    address: str
    mac: str
    remote: bool = False
    mappings: tuple[Mapping, ...] = ()
    namespace: str = ""
    compartment: int | None = None
    containers: tuple[str, ...] = ()
    state: int = CREATED

    def leave(self) -> None:
        """Be attached to nothing any more."""
        self.namespace, self.compartment, self.containers, self.state = "", None, (), DETACHED


@dataclass
class Namespace:
    id: str
    compartment: int
    endpoints: list[str] = field(default_factory=list)
    containers: tuple[str, ...] = ()


@dataclass
class Balancer:
    id: str
    network: str
    endpoints: tuple[str, ...]
    vip: str
    port: int


@dataclass
class Route:
    id: str
    endpoints: tuple[str, ...]
    prefix: str


@dataclass
class System:
    id: str
    compartment: int
    namespace: str = ""
    shares_with: str = ""

    @property
    def own(self) -> bool:
        return not self.namespace and not self.shares_with


@dataclass
class Reference:
    """All objects by id, and what a call about them must be refused with (nothing: it must succeed)."""

    networks: dict[str, Network] = field(default_factory=dict)
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    balancers: dict[str, Balancer] = field(default_factory=dict)
    routes: dict[str, Route] = field(default_factory=dict)
    systems: dict[str, System] = field(default_factory=dict)

    def of(self, network: str) -> Iterator[Endpoint]:
        return (endpoint for endpoint in self.endpoints.values() if endpoint.network == network)

    def compartments(self) -> set[int]:
        """The compartments that are there."""
        systems = {system.compartment for system in self.systems.values() if system.own}
        return {HOST, *systems, *(namespace.compartment for namespace in self.namespaces.values())}

    # networks

    def new_network(self, new: Network) -> Refusals:
        refusals = set()
        if new.id in self.networks:
            refusals.add(HResult.ERROR_ALREADY_EXISTS)
        if self._name_taken(new.name):
            refusals.add(HResult.HCN_E_NETWORK_ALREADY_EXISTS)
        if new.kind == "NAT" and any(
            ip_network(other.prefix).overlaps(ip_network(new.prefix)) for other in self.networks.values()
        ):
            refusals.add(HResult.ERROR_DUP_NAME)
        on_adapter = {n.kind for n in [new, *self.networks.values()] if n.kind in EXTERNAL}
        alone = sum(n.kind in EXTERNAL for n in self.networks.values()) == 0
        if new.kind in EXTERNAL and "Transparent" in on_adapter and not alone:
            refusals.add(HResult.HCN_E_ADAPTER_NOT_FOUND)
        return refusals

    def renamed(self, network: Network, name: str) -> Refusals:
        return {HResult.HCN_E_NETWORK_ALREADY_EXISTS} if self._name_taken(name, network.id) else set()

    def delete_network(self, network: Network) -> None:
        for endpoint in list(self.of(network.id)):
            self.delete_endpoint(endpoint)
        del self.networks[network.id]

    def _name_taken(self, name: str, apart_from: str = "") -> bool:
        others = (network for network in self.networks.values() if network.id != apart_from)
        return any(network.name.lower() == name.lower() for network in others)

    # endpoints

    def new_endpoint(self, new: Endpoint) -> Refusals:
        network = self.networks[new.network]
        refusals = self._port_refusals(new)
        if new.id in self.endpoints:
            refusals.add(HResult.ERROR_ALREADY_EXISTS)
        if new.remote:
            return refusals | (set() if new.address else {HResult.HCN_E_INVALID_ENDPOINT})
        if not self._address_fits(new.address, network):
            refusals.add(HResult.HCN_E_ADDR_INVALID_OR_RESERVED)
        if new.mac and same_mac(new.mac) in self.macs(new.network):
            refusals.add(HResult.ERROR_OBJECT_ALREADY_EXISTS)
        return refusals

    def remapped(self, endpoint: Endpoint, mappings: tuple[Mapping, ...]) -> Refusals:
        wanted = Endpoint(endpoint.id, endpoint.network, endpoint.address, endpoint.mac, mappings=mappings)
        return self._port_refusals(wanted)

    def delete_endpoint(self, endpoint: Endpoint) -> None:
        self.leave_namespace(endpoint)
        del self.endpoints[endpoint.id]

    def macs(self, network: str) -> list[str]:
        """The MACs that a network has given out."""
        return [same_mac(endpoint.mac) for endpoint in self.of(network) if not endpoint.remote]

    def addresses(self, network: str) -> list[str]:
        """The addresses that a network has given out."""
        return [endpoint.address for endpoint in self.of(network) if not endpoint.remote]

    def mapped_ports(self, apart_from: str = "") -> list[tuple[str, int, int]]:
        """The ports of the node that lead somewhere: VIP, protocol, port."""
        endpoints = (endpoint for endpoint in self.endpoints.values() if endpoint.id != apart_from)
        mapped = [(vip, protocol, port) for e in endpoints for protocol, _, port, vip in e.mappings]
        return mapped + [("", 6, balancer.port) for balancer in self.balancers.values() if not balancer.vip]

    def _address_fits(self, address: str, network: Network) -> bool:
        prefix = ip_network(network.prefix)
        hosts = {str(host) for host in prefix.hosts()} - {network.gateway} - set(self.addresses(network.id))
        if address:
            return address in hosts
        return bool(hosts - {endpoint.address for endpoint in self.of(network.id)})

    def _port_refusals(self, endpoint: Endpoint) -> Refusals:
        refusals = set()
        if endpoint.mappings and self.networks[endpoint.network].kind in UNMAPPED:
            refusals.add(HResult.HCN_E_MAPPING_NOT_SUPPORTED)
        taken = self.mapped_ports(apart_from=endpoint.id if endpoint.id in self.endpoints else "")
        for protocol, internal, external, vip in endpoint.mappings:
            if internal == 0:
                refusals.add(HResult.HCN_E_INVALID_INTERNAL_PORT)
            if external and (vip, protocol, external) in taken:
                refusals.add(HResult.HCN_E_PORT_ALREADY_EXISTS)
            taken.append((vip, protocol, external))
        return refusals

    # namespaces

    def join(self, endpoint: Endpoint, namespace: Namespace) -> Refusals:
        if endpoint.remote:
            return {HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION}
        if endpoint.namespace == namespace.id:
            return set()
        if endpoint.compartment is not None:
            return {HResult.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS}
        return set()

    def joined(self, endpoint: Endpoint, namespace: Namespace) -> None:
        if endpoint.namespace == namespace.id:
            return
        namespace.endpoints.append(endpoint.id)
        endpoint.namespace, endpoint.compartment, endpoint.state = namespace.id, namespace.compartment, SHARING
        endpoint.containers = namespace.containers

    def leave_namespace(self, endpoint: Endpoint) -> None:
        if endpoint.namespace:
            self.namespaces[endpoint.namespace].endpoints.remove(endpoint.id)
            endpoint.leave()

    def set_containers(self, namespace: Namespace, containers: Iterable[str]) -> None:
        namespace.containers = tuple(containers)
        for endpoint in namespace.endpoints:
            self.endpoints[endpoint].containers = namespace.containers

    def delete_namespace(self, namespace: Namespace) -> None:
        for endpoint in list(namespace.endpoints):
            self.leave_namespace(self.endpoints[endpoint])
        del self.namespaces[namespace.id]
        self._vacate(namespace.compartment)

    # load balancers

    def new_balancer(self, new: Balancer, apart_from: str = "") -> Refusals:
        refusals = set()
        if not apart_from and new.id in self.balancers:
            refusals.add(HResult.ERROR_ALREADY_EXISTS)
        if not new.endpoints:
            return refusals | {HResult.HCN_E_INVALID_JSON_REFERENCE}
        if any(endpoint not in self.endpoints for endpoint in new.endpoints):
            return refusals | {HResult.HCN_E_PORT_NOT_FOUND}
        others = [other for other in self.balancers.values() if other.id != apart_from]
        if any(self._front_end(other) == self._front_end(new) for other in others):
            refusals.add(HResult.ERROR_ALREADY_EXISTS)
        elif not new.vip and any(
            ("", 6, new.port) == (vip, protocol, port)
            for endpoint in self.endpoints.values()
            for protocol, _, port, vip in endpoint.mappings
        ):
            refusals.add(HResult.HCN_E_PORT_ALREADY_EXISTS)
        return refusals

    def _front_end(self, balancer: Balancer) -> tuple[str, str, int]:
        return (balancer.network if balancer.vip else "", balancer.vip, balancer.port)

    # compute systems

    def attach(self, endpoint: Endpoint, system: System) -> Refusals:
        if endpoint.remote:
            return {HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION}
        if endpoint.compartment is None and system.compartment not in self.compartments():
            return {HResult.HCN_E_NAMESPACE_ATTACH_FAILED}
        return set()

    def attached(self, endpoint: Endpoint, system: System) -> None:
        if endpoint.compartment is None:
            endpoint.compartment, endpoint.state = system.compartment, ATTACHED
            endpoint.containers = (system.id,)
        elif system.id not in endpoint.containers:
            endpoint.containers, endpoint.state = (*endpoint.containers, system.id), SHARING

    def unshare(self, endpoint: Endpoint, system: str) -> None:
        left = tuple(container for container in endpoint.containers if container != system)
        if left or endpoint.namespace:
            endpoint.containers = left
        else:
            endpoint.leave()

    def end(self, system: System) -> None:
        for endpoint in self.endpoints.values():
            if system.id in endpoint.containers:
                self.unshare(endpoint, system.id)
        if system.namespace in self.namespaces:
            namespace = self.namespaces[system.namespace]
            self.set_containers(namespace, (c for c in namespace.containers if c != system.id))
        del self.systems[system.id]
        if system.own:
            self._vacate(system.compartment)

    def _vacate(self, compartment: int) -> None:
        """A compartment is gone: whatever was attached to it is attached to nothing."""
        for endpoint in self.endpoints.values():
            if endpoint.compartment == compartment != HOST:
                self.leave_namespace(endpoint)
                endpoint.leave()


def same_mac(text: str) -> str:
    """Write a MAC in one form, however it was sent."""
    return text.upper().replace(":", "-")


def in_subnet(address: str, prefix: str) -> bool:
    return ip_address(address) in ip_network(prefix)
