"""Two nodes with a network and pods, built as real clients build them; one builder a driver, in one table."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from suites import documents
from suites.hns import Hns
from suites.host import Host, Lane, Place

Document = dict[str, Any]

SERVICES = "10.96.0.0/16"
"""Where services have their addresses."""

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Pod:
    """A pod: its endpoint, its namespace and where its processes run."""

    endpoint: str
    namespace: str
    address: str
    mac: str
    compartment: int
    place: Place
    host: Host


@dataclass
class NodeNetwork:
    """One node's end of a topology."""

    host: Host
    hns: Hns
    network: str
    prefix: str
    gateway: str
    policies: list[Document] = field(default_factory=list)
    endpoint: Callable[..., Document] = documents.endpoint
    first: int = 10
    """The number, in its subnet, of the first address that it hands out."""
    _undo: ExitStack = field(default_factory=ExitStack)
    _addresses: itertools.count[int] = field(init=False)

    def __post_init__(self) -> None:
        self._addresses = itertools.count(self.first)

    def address(self) -> str:
        """Return an address of the node's subnet that was not handed out yet (host-local's part)."""
        return f"{self.prefix.rsplit('.', 1)[0]}.{next(self._addresses)}"

    def pod(self, *policies: Document, plain: bool = False, address: str = "", **more: Any) -> Pod:
        """Make a pod as a CNI plug-in does: namespace, endpoint, both joined.

        ``plain`` leaves out the policies that the topology gives every pod; without an address it gets a new one.
        """
        address = address or self.address()
        document = self.endpoint(
            f"{uuid.uuid4().hex[:12]}_{self.network}",
            address,
            self.gateway,
            [*([] if plain else self.policies), *policies],
            **more,
        )
        namespace = self.hns.create("Namespace", documents.CONTAINERD_NAMESPACE)
        self._undo.callback(self.hns.delete, "Namespace", namespace)
        endpoint = self.hns.create("Endpoint", document, network=self.network)
        self._undo.callback(self.hns.delete, "Endpoint", endpoint)
        self.hns.join(namespace, endpoint)
        compartment = self.hns.compartment(namespace)
        mac = self.hns.query("Endpoint", endpoint)["MacAddress"]
        return Pod(endpoint, namespace, address, mac, compartment, self.host.place(compartment), self.host)

    @contextmanager
    def pods(self) -> Iterator[NodeNetwork]:
        """Remove, at the end, the pods made since."""
        outer, self._undo = self._undo, ExitStack()
        try:
            yield self
        finally:
            self._undo.close()
            self._undo = outer

    def undo(self, action: Callable[..., object], *arguments: Any) -> None:
        """Have something undone when the topology goes."""
        self._undo.callback(action, *arguments)

    def close(self) -> None:
        """Take the network down."""
        self._undo.close()


@dataclass(frozen=True)
class Topology:
    """Two nodes of one driver, and the world around them."""

    driver: str
    lane: Lane
    nodes: tuple[NodeNetwork, NodeNetwork]

    @property
    def outside(self) -> Place:
        """The host beyond the router."""
        return self.lane.outside


@contextmanager
def build(driver: str, lane: Lane) -> Iterator[Topology]:
    """Build the topology of a driver; take it down at the end."""
    number = next(_numbers)
    with ExitStack() as stack:
        nodes = []
        for position, host in enumerate(lane.hosts, 1):
            node = _BUILDERS[driver](host, number, position)
            stack.callback(node.close)
            if driver == "L2Tunnel":
                stack.enter_context(lane.leading(node.prefix, host))
            nodes.append(node)
        first, second = nodes
        _connect(driver, first, second)
        _connect(driver, second, first)
        yield Topology(driver, lane, (first, second))


def _l2bridge(host: Host, number: int, position: int) -> NodeNetwork:
    """Flannel host-gw: a pod subnet a node, whose real gateway is the host's endpoint at .2."""
    base = f"10.{number}.{position}"
    hns, name = Hns(host), f"cbr{number}-{position}"
    network = hns.call("POST", "/networks/", documents.flannel_host_gw(name, f"{base}.0/24", f"{base}.1"))["ID"]
    node = NodeNetwork(host, hns, network, f"{base}.0/24", f"{base}.2", [_outbound_nat(host, number)])
    node.undo(hns.call, "DELETE", f"/networks/{network}")
    gateway = hns.call(
        "POST", "/endpoints/", {"Name": f"{name}_ep", "IPAddress": f"{base}.2", "VirtualNetwork": network}
    )["ID"]
    hns.call("POST", f"/endpoints/{gateway}/attach", {"SystemType": "Host", "CompartmentId": 1})
    for interface in host.interfaces():
        if any(text.split("/")[0] in (host.address, f"{base}.2") for text in interface.addresses):
            host.set_forwarding(interface.alias, True)
    return node


def _l2tunnel(host: Host, number: int, position: int) -> NodeNetwork:
    """Azure CNI: a pod subnet of the cloud's, whose gateway is the cloud's; services are handed to the node."""
    base = f"10.{number}.{position}"
    hns = Hns(host)
    subnet = documents.network("L2Tunnel", f"azure{number}-{position}", f"{base}.0/24", f"{base}.1")
    network = hns.create("Network", subnet)
    node = NodeNetwork(
        host, hns, network, f"{base}.0/24", f"{base}.1", [_outbound_nat(host, number)], _with_way_to_services
    )
    node.undo(hns.delete, "Network", network)
    return node


def _with_way_to_services(
    name: str, address: str = "", gateway: str = "", policies: list[Document] | None = None, **more: Any
) -> Document:
    """Return an endpoint whose gateway knows no services: they are the node's to balance (plugins/vpc-bridge)."""
    services = documents.policy("SDNRoute", DestinationPrefix=SERVICES, NeedEncap=True)
    return documents.endpoint(name, address, gateway, [*(policies or []), services], **more)


def _overlay(host: Host, number: int, position: int) -> NodeNetwork:
    """Flannel vxlan: a pod subnet a node, one VNI, the distributed router as gateway, HostRoute."""
    base = f"10.{number}.{position}"
    hns = Hns(host)
    document = documents.flannel_vxlan(
        f"vxlan{number}-{position}", f"{base}.0/24", f"{base}.1", 4096 + number, host.adapter
    )
    network = hns.create("Network", document)
    policies = [_outbound_nat(host, number), documents.policy("ProviderAddress", ProviderAddress=host.address)]
    node = NodeNetwork(host, hns, network, f"{base}.0/24", f"{base}.1", policies, documents.win_overlay)
    node.undo(hns.delete, "Network", network)
    hns.modify("Network", network, documents.add_policies(documents.policy("HostRoute")))
    return node


def _transparent(host: Host, number: int, position: int) -> NodeNetwork:
    """Pods in the nodes' own subnet, with the nodes' gateway; a part of the addresses is each node's."""
    hns, gateway = Hns(host), next(route.next_hop for route in host.routes() if route.destination == "0.0.0.0/0")
    document = documents.network("Transparent", f"transparent{number}-{position}", host.subnet, gateway)
    node = NodeNetwork(host, hns, hns.create("Network", document), host.subnet, gateway, first=90 * position - 40)
    node.undo(hns.delete, "Network", node.network)
    return node


def _nat(host: Host, number: int, position: int) -> NodeNetwork:
    """One internal network a node, as microsoft/windows-container-networking's nat plug-in makes it."""
    base = f"172.{16 + number % 16}.{number // 16 * 2 + position}"
    hns = Hns(host)
    document = documents.network("NAT", f"nat{number}-{position}", f"{base}.0/24", f"{base}.1")
    network = hns.create("Network", document)
    node = NodeNetwork(host, hns, network, f"{base}.0/24", f"{base}.1")
    node.undo(hns.delete, "Network", network)
    return node


_BUILDERS: dict[str, Callable[[Host, int, int], NodeNetwork]] = {
    "L2Bridge": _l2bridge,
    "L2Tunnel": _l2tunnel,
    "Overlay": _overlay,
    "NAT": _nat,
    "Transparent": _transparent,
}
DRIVERS = ("L2Bridge", "L2Tunnel", "Overlay", "NAT")
"""The drivers of tests that don't say which."""
ALONE = ("Transparent",)
"""The drivers that suffer no other network on an adapter."""


def _outbound_nat(host: Host, number: int) -> Document:
    """The cluster's pods, services and nodes see the pod's address (Microsoft's example of exceptions)."""
    return documents.policy("OutBoundNAT", Exceptions=[f"10.{number}.0.0/16", SERVICES, host.subnet])


def _connect(driver: str, here: NodeNetwork, there: NodeNetwork) -> None:
    """Tell a node of the other one's pods, as flannel does from its leases."""
    if driver == "L2Bridge":
        here.host.add_route(there.prefix, there.host.address)
        here.undo(here.host.delete_route, there.prefix, there.host.address)
    elif driver == "Overlay":
        here.hns.modify("Network", here.network, documents.add_policies(remote_subnet_route(there)))


def remote_subnet_route(there: NodeNetwork) -> Document:
    """Return the policy that leads to another node's pods."""
    subnet = there.hns.query("Network", there.network)["Ipams"][0]["Subnets"][0]
    vni = subnet["Policies"][0]["Settings"]["IsolationId"]
    return documents.flannel_lease(there.prefix, vni, there.host.address, dr_mac(there))


def dr_mac(node: NodeNetwork) -> str:
    """Return the MAC of an overlay network's distributed router, as flannel reads it."""
    policies = node.hns.query("Network", node.network)["Policies"]
    found: str = next(p["Settings"]["Address"] for p in policies if p["Type"] == "DrMacAddress")
    return found
