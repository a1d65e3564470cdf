"""A node's data plane on Linux: carries out the service's changes, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Interface
from itertools import groupby
from typing import Any, ParamSpec, TypeVar

from hnsfake.dataplane import endpoint, forwarding
from hnsfake.dataplane.compartment import CompartmentState
from hnsfake.dataplane.drivers import DRIVERS, NetworkDriver
from hnsfake.dataplane.endpoint import Port
from hnsfake.dataplane.fabric import WIRE_GATEWAY, Fabric
from hnsfake.dataplane.graveyard import Graveyard
from hnsfake.dataplane.interface import (
    HOST_COMPARTMENT,
    Change,
    CompartmentWant,
    DataplaneError,
    EndpointWant,
    HostAdapter,
    IPAddress,
    IPNetwork,
    LoadBalancerWant,
    NetworkWant,
    PortCounters,
)
from hnsfake.dataplane.kernel import NIC, Kernel, Place, quiet_ipv6, sysctl
from hnsfake.dataplane.load_balancer import LoadBalancers
from hnsfake.dataplane.observe import InterfaceView, RouteView, counters, interfaces, routes
from hnsfake.dataplane.sandbox import NetNs, Sandbox, SandboxError, enter
from hnsfake.dataplane.switch import HOST_INTERFACES, NIC_NAME, ExternalSwitch
from hnsfake.dataplane.transaction import Transaction

P = ParamSpec("P")
K = TypeVar("K")
V = TypeVar("V")

ADAPTER = "Ethernet"
EPHEMERAL_PORTS = "32768 49151"
"""The node's own source ports. Windows takes them from 49152 on; there OutBoundNAT's blocks are here."""


@dataclass(frozen=True)
class _Carrier:
    """How a kind of object is made, changed and removed."""

    create: Callable[[Any], None]
    modify: Callable[[Any, Any], None]
    remove: Callable[[Any], None]


class LinuxNode:
    """The data plane of one node. Raises DataplaneError where it can't be made."""

    in_memory = False

    def __init__(
        self,
        sandbox: Sandbox,
        fabric: Fabric,
        name: str,
        interface: IPv4Interface,
        mac: str,
        quirks: frozenset[str] = frozenset(),
    ) -> None:
        self.sandbox = sandbox
        self.name = name
        self._transaction = Transaction()
        node = sandbox.new_netns(name)
        switch = sandbox.new_netns(f"{name} vSwitch")
        self._kernel = Kernel(
            sandbox.run(node, Place, node, self._transaction),
            sandbox.run(switch, Place, switch, self._transaction),
            self._transaction,
            interface,
            WIRE_GATEWAY.ip,
            mac,
            quirks,
        )
        wire_port = fabric.plug(node, NIC_NAME, NIC, mac)
        self._switch = ExternalSwitch(self._kernel, ADAPTER, partial(fabric.settle, wire_port))
        self._networks: dict[str, NetworkDriver] = {}
        self._ports: dict[str, Port] = {}
        self._compartments = {HOST_COMPARTMENT: CompartmentState(HOST_COMPARTMENT, lambda: node)}
        self._graveyard = Graveyard(switch)
        self._carriers: Mapping[type, _Carrier] = {
            NetworkWant: _Carrier(self._create_network, self._modify_network, self._remove_network),
            EndpointWant: _Carrier(self._create_endpoint, self._modify_endpoint, self._remove_endpoint),
            CompartmentWant: _Carrier(self._create_compartment, self._modify_compartment, self._remove_compartment),
        }
        sandbox.run(node, self._boot)
        self._balancers = sandbox.run(node, LoadBalancers, self._kernel)

    @property
    def thread(self) -> Executor:
        """The sandbox thread."""
        return self.sandbox.thread

    def adapters(self) -> Sequence[HostAdapter]:
        """Return the node's one adapter."""
        return (HostAdapter(ADAPTER, self._kernel.mac, (self._kernel.interface,)),)

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out ``changes`` in order; raise DataplaneError with everything as before."""
        work = [change for change in changes if _concerns_kernel(change)]
        if all(isinstance(change.before or change.after, CompartmentWant) for change in work):
            self._all_or_nothing(partial(self._carry_out_all, work))  # nothing of it is done in a namespace
        else:
            self._run(self._carry_out_all, work)

    def counters(self, endpoint_id: str) -> PortCounters:
        """Return an endpoint's traffic counters; zeros where it has no vNIC."""
        port = self._ports.get(endpoint_id)
        if port is None:
            return PortCounters()
        return self.sandbox.run(port.compartment.netns, counters, port.vnic)

    def netns(self, number: int = HOST_COMPARTMENT) -> NetNs:
        """Return a compartment's namespace; raise DataplaneError where there is none."""
        try:
            return self._compartments[number].netns
        except KeyError:
            raise DataplaneError(f"node {self.name} has no compartment {number}") from None

    def interfaces(self, number: int = HOST_COMPARTMENT) -> tuple[InterfaceView, ...]:
        """Return the interfaces of a compartment as Windows' tools would list them."""
        return self.sandbox.run(self._settled(number), interfaces)

    def routes(self, number: int = HOST_COMPARTMENT) -> tuple[RouteView, ...]:
        """Return the active routes of a compartment as ``route print`` lists them, the lowest metric first."""
        return self.sandbox.run(self._settled(number), routes)

    def add_route(self, prefix: IPNetwork, next_hop: IPAddress) -> None:
        """Add a route to the node's own stack, as New-NetRoute does."""
        self._run(self._switch.add_route, prefix, next_hop)

    def delete_route(self, prefix: IPNetwork, next_hop: IPAddress) -> None:
        """Remove a route of the node's own stack, as Remove-NetRoute does."""
        self._run(self._switch.delete_route, prefix, next_hop)

    def set_forwarding(self, alias: str, on: bool) -> None:
        """Turn IP forwarding of an interface on or off, as Set-NetIPInterface -Forwarding does."""
        if alias == self._switch.host_alias:
            self._run(forwarding.forward, self._kernel, HOST_INTERFACES, on)
            return
        view = next((view for view in self.interfaces() if view.alias == alias), None)
        if view is None:
            raise DataplaneError(f"node {self.name} has no interface {alias!r}")
        self._run(forwarding.forward, self._kernel, [view.index], on)

    def flush(self) -> None:
        """Wait until removed ports are gone from the kernel."""
        self._graveyard.flush()

    def close(self) -> None:
        """Let go of all namespaces; the kernel removes what is in them. May be called twice."""
        self._graveyard.close()
        self._balancers.close()
        for state in self._compartments.values():
            state.close()
        self._kernel.close()

    def _settled(self, number: int) -> NetNs:
        """Return a compartment's namespace when the vNICs that left it are gone; raise DataplaneError."""
        netns = self.netns(number)
        state = self._compartments.get(number)
        if state is not None and state.buried:
            self._graveyard.flush()
        return netns

    def _run(self, function: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Run a function on a sandbox thread, all or nothing; raise DataplaneError."""
        self.sandbox.run(self._kernel.node.netns, self._all_or_nothing, partial(function, *args, **kwargs))

    def _all_or_nothing(self, work: Callable[[], None]) -> None:
        try:
            with self._transaction:
                work()
        except (OSError, SandboxError) as error:
            raise DataplaneError(f"node {self.name}: {error}") from error

    def _boot(self) -> None:
        enter(self._kernel.switch.netns)
        quiet_ipv6()
        enter(self._kernel.node.netns)
        sysctl("net.ipv4.conf.all.rp_filter", "0")
        sysctl("net.ipv4.conf.all.send_redirects", "0")
        self._kernel.node.rules(forwarding.RULESET)
        sysctl("net.ipv4.ip_local_port_range", EPHEMERAL_PORTS)
        self._switch.boot()

    def _carry_out_all(self, changes: Sequence[Change]) -> None:
        for network_id, together in groupby(changes, _network_of_balancer):
            if network_id is None:
                for change in together:
                    self._carry_out(change)
            else:
                balancers = [(change.before, change.after) for change in together]
                self._balancers.change(self._networks[network_id], network_id, balancers)  # type: ignore[arg-type]

    def _carry_out(self, change: Change) -> None:
        before, after = change.before, change.after
        carrier = self._carriers[type(after if after is not None else before)]
        if before is None:
            carrier.create(after)
        elif after is None:
            carrier.remove(before)
        else:
            carrier.modify(before, after)

    def _create_network(self, want: NetworkWant) -> None:
        driver = DRIVERS[want.driver](self._kernel, self._switch, want)
        driver.create()
        self._put(self._networks, want.id, driver)

    def _modify_network(self, _before: NetworkWant, after: NetworkWant) -> None:
        self._networks[after.id].modify(after)

    def _remove_network(self, want: NetworkWant) -> None:
        self._graveyard.flush()
        self._balancers.forget(want.id)
        self._take(self._networks, want.id).delete()

    def _create_endpoint(self, want: EndpointWant) -> None:
        driver = self._networks[want.network_id]
        if want.remote:
            driver.connect(want)
        elif want.compartment is not None:
            state = self._compartments[want.compartment]
            if state.buried:
                self._graveyard.flush()
            port = endpoint.attach(self._kernel, driver, want, state)
            self._put(self._ports, want.id, port)
            self._balancers.connect(driver, want, port)

    def _modify_endpoint(self, before: EndpointWant, after: EndpointWant) -> None:
        driver = self._networks[after.network_id]
        if before.compartment != after.compartment:
            self._remove_endpoint(before)
            self._create_endpoint(after)
        elif after.remote:
            driver.update(before, after)
        else:
            endpoint.update(self._kernel, driver, before, after, self._ports[after.id])

    def _remove_endpoint(self, want: EndpointWant) -> None:
        driver = self._networks[want.network_id]
        if want.remote:
            driver.disconnect(want)
        elif want.compartment is not None:
            self._balancers.disconnect(want)
            endpoint.detach(self._kernel, driver, want, self._take(self._ports, want.id), self._graveyard)

    def _create_compartment(self, want: CompartmentWant) -> None:
        state = CompartmentState(want.number, partial(self.sandbox.new_netns, f"compartment {want.number}"))
        self._transaction.undo(state.close)
        self._put(self._compartments, want.number, state)

    def _modify_compartment(self, before: CompartmentWant, after: CompartmentWant) -> None:
        """Do nothing: a compartment has nothing that changes."""

    def _remove_compartment(self, want: CompartmentWant) -> None:
        state = self._take(self._compartments, want.number)
        self._transaction.at_end(state.close)

    def _put(self, table: dict[K, V], key: K, value: V) -> None:
        self._transaction.undo(table.pop, key)
        table[key] = value

    def _take(self, table: dict[K, V], key: K) -> V:
        value = table.pop(key)
        self._transaction.undo(table.__setitem__, key, value)
        return value


def _network_of_balancer(change: Change) -> str | None:
    """Return the network of a load balancer; None for a change of something else."""
    either = change.after or change.before
    return either.network_id if isinstance(either, LoadBalancerWant) else None


def _concerns_kernel(change: Change) -> bool:
    """Whether a change is seen in the kernel: an endpoint that is attached to nothing is not."""
    return any(
        end is not None and not (isinstance(end, EndpointWant) and end.compartment is None and not end.remote)
        for end in (change.before, change.after)
    )
