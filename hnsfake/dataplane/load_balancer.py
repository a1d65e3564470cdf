"""A node's load balancers in the kernel: at the host's port, at the external port, and with DSR at each pod's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from hnsfake.dataplane import nftables
from hnsfake.dataplane.drivers import NetworkDriver
from hnsfake.dataplane.endpoint import Port
from hnsfake.dataplane.interface import EndpointWant, LoadBalancerWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.messages import mac_text
from hnsfake.dataplane.sandbox import enter
from hnsfake.dataplane.vfp import host_port, pod_port, steering
from hnsfake.dataplane.vfp.balancing import Content, change_script, joined
from hnsfake.dataplane.vfp.layers import PortContext

V = TypeVar("V")
_NOTHING = Content()


@dataclass(frozen=True)
class _Pod:
    """An endpoint with a port on this node, and the MAC by which the external port reaches it."""

    endpoint: EndpointWant
    context: PortContext
    port: Port
    mac: str


@dataclass
class _Network:
    """What is known of one network; ``balanced`` are the pods whose ports have tables.

    These stay when the last load balancer goes: what was translated goes on only while there is something that
    translates.
    """

    segment: int
    direct: dict[str, LoadBalancerWant] = field(default_factory=dict)  # those with DSR
    pods: dict[str, _Pod] = field(default_factory=dict)
    balanced: dict[str, _Pod] = field(default_factory=dict)


class LoadBalancers:
    """All of one node. Methods run on a sandbox thread, are undone should the change fail, and raise DataplaneError."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._host_port = host_port.HostPort(kernel.address)
        self._networks: dict[str, _Network] = {}

    def change(self, driver: NetworkDriver, before: LoadBalancerWant | None, after: LoadBalancerWant | None) -> None:
        """Make, change or remove a load balancer of a network."""
        either = after or before
        if either is None or driver.segment is None:
            return
        network = self._network(either.network_id, driver.segment)
        for want, change in ((after, 1), (before, -1)):
            if want is not None and not want.dsr:
                driver.use_source(want.source_vip, change)
        self._change_at_host(network, before, after)
        if not any(balancer is not None and balancer.dsr for balancer in (before, after)):
            return
        self._steer(self._steering(network, before), self._steering(network, after))
        self._put(network.direct, either.id, after if after is not None and after.dsr else None)
        for pod in network.pods.values():
            self._make_tables(network, pod)
            self._balance(pod, self._pod_content(pod, before), self._pod_content(pod, after))

    def connect(self, driver: NetworkDriver, endpoint: EndpointWant, port: Port) -> None:
        """Balance at the port of an endpoint, which its network knows already."""
        if driver.segment is None:
            return
        network = self._network(endpoint.network_id, driver.segment)
        mac = mac_text(driver.external_mac(endpoint))
        pod = _Pod(endpoint, driver.context(endpoint, port.vnic), port, mac)
        self._change_pods(network, endpoint, pod)
        if network.direct:
            self._make_tables(network, pod)
            contents = (self._pod_content(pod, balancer) for balancer in network.direct.values())
            self._balance(pod, _NOTHING, joined(contents))

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take ``connect`` back; an endpoint that was never connected is passed over."""
        network = self._networks.get(endpoint.network_id)
        pod = network.pods.get(endpoint.id) if network is not None else None
        if network is None or pod is None:
            return
        self._change_pods(network, endpoint, None)
        if endpoint.id in network.balanced:
            self._put(network.balanced, endpoint.id, None)
            if pod.port.compartment.has_others(pod.port.vnic):
                self._kernel.transaction.at_end(_run, pod, pod_port.removal(pod.port.vnic))

    def _change_at_host(
        self, network: _Network, before: LoadBalancerWant | None, after: LoadBalancerWant | None
    ) -> None:
        node, port = self._kernel.node, self._host_port
        if after is not None:
            node.rules(port.profile_script(after, network.segment))
        old, new = (port.content(want, network.segment) if want is not None else _NOTHING for want in (before, after))
        table = host_port.NAMED_TABLE
        node.rules(change_script(table, old, new), change_script(table, new, old))

    def _change_pods(self, network: _Network, endpoint: EndpointWant, pod: _Pod | None) -> None:
        """Enter or remove a pod, and lead what it is a backend of to it or past it."""
        concerned = [
            balancer
            for balancer in network.direct.values()
            if any(backend.endpoint_id == endpoint.id for backend in balancer.backends)
        ]
        before = joined(self._steering(network, balancer) for balancer in concerned)
        self._put(network.pods, endpoint.id, pod)
        self._steer(before, joined(self._steering(network, balancer) for balancer in concerned))

    def _steering(self, network: _Network, balancer: LoadBalancerWant | None) -> Content:
        if balancer is None or not balancer.dsr:
            return _NOTHING
        pods = (network.pods.get(backend.endpoint_id) for backend in balancer.backends)
        macs = [pod.mac for pod in pods if pod is not None]
        return steering.content(balancer.front_ends(self._kernel.address), macs)

    def _steer(self, before: Content, after: Content) -> None:
        table = steering.NAMED_TABLE
        self._kernel.switch.rules(change_script(table, before, after), change_script(table, after, before))

    def _pod_content(self, pod: _Pod, balancer: LoadBalancerWant | None) -> Content:
        if balancer is None or not balancer.dsr:
            return _NOTHING
        return pod_port.content(balancer, pod.endpoint, self._kernel.address)

    def _make_tables(self, network: _Network, pod: _Pod) -> None:
        if pod.endpoint.id in network.balanced:
            return
        self._put(network.balanced, pod.endpoint.id, pod)
        _run(pod, pod_port.ruleset(pod.context))
        self._kernel.transaction.undo(_run, pod, pod_port.removal(pod.port.vnic))

    def _balance(self, pod: _Pod, before: Content, after: Content) -> None:
        table = pod_port.named_table(pod.port.vnic)
        _run(pod, change_script(table, before, after))
        self._kernel.transaction.undo(_run, pod, change_script(table, after, before))

    def _network(self, network_id: str, segment: int) -> _Network:
        return self._networks.setdefault(network_id, _Network(segment))

    def _put(self, table: dict[str, V], key: str, value: V | None) -> None:
        """Set a key of a table, or remove it."""
        self._kernel.transaction.undo(_set, table, key, table.get(key))
        _set(table, key, value)


def _set(table: dict[str, V], key: str, value: V | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def _run(pod: _Pod, script: str) -> None:
    if script:
        enter(pod.port.compartment.netns)
        nftables.run(script)
