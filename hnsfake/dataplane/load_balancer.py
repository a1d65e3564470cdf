"""A node's load balancers in the kernel: at the host's port, at the external port, and with DSR at each pod's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from hnsfake.dataplane import nftables
from hnsfake.dataplane.drivers import NetworkDriver
from hnsfake.dataplane.endpoint import Port
from hnsfake.dataplane.interface import EndpointWant, LoadBalancerWant
from hnsfake.dataplane.kernel import Kernel, Place
from hnsfake.dataplane.map_elements import ElementLink
from hnsfake.dataplane.messages import mac_text
from hnsfake.dataplane.sandbox import enter
from hnsfake.dataplane.switch import NIC_NAME
from hnsfake.dataplane.vfp import host_port, pod_port, steering
from hnsfake.dataplane.vfp.balancing import BalancingTable, Content, joined

V = TypeVar("V")
Change = tuple[LoadBalancerWant | None, LoadBalancerWant | None]
"""What a load balancer was and what it shall be; None: not there."""
_NOTHING = Content()


@dataclass(frozen=True)
class _Pod:
    """An endpoint with a port on this node, and the MAC by which the external port reaches it."""

    endpoint: EndpointWant
    port: Port
    mac: str


@dataclass
class _Network:
    """What is known of one network.

    Tables at pods' ports stay when the last load balancer goes: what was translated goes on only while there is
    something that translates.
    """

    segment: int
    direct: dict[str, LoadBalancerWant] = field(default_factory=dict)  # those with DSR
    pods: dict[str, _Pod] = field(default_factory=dict)
    tables: dict[str, BalancingTable] = field(default_factory=dict)


class LoadBalancers:
    """All of one node. Methods run on a sandbox thread, are undone should the change fail, and raise DataplaneError."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._host_port = host_port.HostPort(kernel.address, kernel.quirks)
        self._host = _table(kernel.node, host_port.FAMILY, host_port.TABLE, host_port.RULESET)
        external = steering.ruleset(NIC_NAME, mac_text(kernel.mac))
        self._external = _table(kernel.switch, steering.FAMILY, steering.TABLE, external)
        self._networks: dict[str, _Network] = {}

    def change(self, driver: NetworkDriver, network_id: str, changes: Sequence[Change]) -> None:
        """Make, change and remove load balancers of a network, all together."""
        if driver.segment is None:
            return
        network = self._network(network_id, driver.segment)
        self._change_at_host(driver, network, changes)
        direct = [(_direct(before), _direct(after)) for before, after in changes]
        direct = [change for change in direct if change != (None, None)]
        if direct:
            self._change_at_pods(network, direct)

    def connect(self, driver: NetworkDriver, endpoint: EndpointWant, port: Port) -> None:
        """Balance at the port of an endpoint, which its network knows already."""
        if driver.segment is None:
            return
        network = self._network(endpoint.network_id, driver.segment)
        pod = _Pod(endpoint, port, mac_text(driver.external_mac(endpoint)))
        self._change_pods(network, endpoint, pod)
        if network.direct:
            self._balance(network, pod, [(None, balancer) for balancer in network.direct.values()])

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take ``connect`` back; an endpoint that was never connected is passed over."""
        network = self._networks.get(endpoint.network_id)
        pod = network.pods.get(endpoint.id) if network is not None else None
        if network is None or pod is None:
            return
        self._change_pods(network, endpoint, None)
        table = network.tables.get(endpoint.id)
        if table is not None:
            self._put(network.tables, endpoint.id, None)
            self._kernel.transaction.at_end(_remove, pod, table)

    def forget(self, network_id: str) -> None:
        """Forget a network, which has no load balancers and no endpoints any more."""
        self._put(self._networks, network_id, None)

    def close(self) -> None:
        """Let go of all namespaces; may be called twice."""
        pods = (table for network in self._networks.values() for table in network.tables.values())
        for table in (self._host, self._external, *pods):
            table.close()

    def _change_at_host(self, driver: NetworkDriver, network: _Network, changes: Sequence[Change]) -> None:
        for change in changes:
            for want, number in zip(change, (-1, 1), strict=True):
                if want is not None and not want.dsr:
                    driver.use_source(want.source_vip, number)
        for _, after in changes:
            if after is not None:
                self._host_port.prepare(after, network.segment, self._kernel.node.rules)
        old, new = (
            joined(self._host_port.content(want, network.segment) for want in wants if want is not None)
            for wants in _ends(changes)
        )
        self._apply(self._host, old, new)

    def _change_at_pods(self, network: _Network, changes: Sequence[Change]) -> None:
        old, new = (
            joined(self._steering(network, want) for want in wants if want is not None) for wants in _ends(changes)
        )
        self._apply(self._external, old, new)
        for before, after in changes:
            either = after or before
            assert either is not None
            self._put(network.direct, either.id, after)
        for pod in network.pods.values():
            self._balance(network, pod, changes)

    def _change_pods(self, network: _Network, endpoint: EndpointWant, pod: _Pod | None) -> None:
        """Enter or remove a pod, and lead what it is a backend of to it or past it."""
        concerned = [
            balancer
            for balancer in network.direct.values()
            if any(backend.endpoint_id == endpoint.id for backend in balancer.backends)
        ]
        before = joined(self._steering(network, balancer) for balancer in concerned)
        self._put(network.pods, endpoint.id, pod)
        self._apply(self._external, before, joined(self._steering(network, balancer) for balancer in concerned))

    def _steering(self, network: _Network, balancer: LoadBalancerWant) -> Content:
        pods = (network.pods.get(backend.endpoint_id) for backend in balancer.backends)
        macs = [pod.mac for pod in pods if pod is not None]
        return steering.content(balancer.front_ends(self._kernel.address), macs)

    def _balance(self, network: _Network, pod: _Pod, changes: Sequence[Change]) -> None:
        table = network.tables.get(pod.endpoint.id) or self._make_table(network, pod)
        address = self._kernel.address
        old, new = (
            joined(pod_port.content(want, pod.endpoint, address) for want in wants if want is not None)
            for wants in _ends(changes)
        )
        self._apply(table, old, new)

    def _make_table(self, network: _Network, pod: _Pod) -> BalancingTable:
        vnic = pod.port.vnic
        splits = not network.segment and "l2bridge-kb5005619" in self._kernel.quirks
        nodes = self._kernel.interface.network if splits else None
        _run(pod, pod_port.ruleset(pod.endpoint, vnic, nodes))
        self._kernel.transaction.undo(_run, pod, pod_port.removal(vnic))
        link = ElementLink()  # in the pod's compartment still
        made = BalancingTable(pod_port.FAMILY, pod_port.table(vnic), partial(_run, pod), link)
        self._kernel.transaction.undo(made.close)
        self._put(network.tables, pod.endpoint.id, made)
        return made

    def _apply(self, table: BalancingTable, before: Content, after: Content) -> None:
        table.change(before, after)
        self._kernel.transaction.undo(table.change, after, before)

    def _network(self, network_id: str, segment: int) -> _Network:
        return self._networks.setdefault(network_id, _Network(segment))

    def _put(self, table: dict[str, V], key: str, value: V | None) -> None:
        """Set a key of a table, or remove it."""
        self._kernel.transaction.undo(_set, table, key, table.get(key))
        _set(table, key, value)


def _table(place: Place, family: str, name: str, ruleset: str) -> BalancingTable:
    """Make a table of a place; the calling thread is there afterwards."""
    place.rules(ruleset)
    enter(place.netns)
    return BalancingTable(family, name, place.rules, ElementLink())


def _direct(want: LoadBalancerWant | None) -> LoadBalancerWant | None:
    return want if want is not None and want.dsr else None


def _ends(changes: Sequence[Change]) -> tuple[Iterable[LoadBalancerWant | None], Iterable[LoadBalancerWant | None]]:
    """Return what was, and what shall be."""
    return [before for before, _ in changes], [after for _, after in changes]


def _set(table: dict[str, V], key: str, value: V | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def _run(pod: _Pod, script: str) -> None:
    enter(pod.port.compartment.netns)
    nftables.run(script)


def _remove(pod: _Pod, table: BalancingTable) -> None:
    """Remove the table of a port whose compartment goes on, and let go of the compartment."""
    if pod.port.compartment.has_others(pod.port.vnic):
        _run(pod, pod_port.removal(pod.port.vnic))
    table.close()
