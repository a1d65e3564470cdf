"""A node's data plane on Linux: carries out the service's changes, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Any

from hnsfake.dataplane import compartment, endpoint, messages
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
    NetworkWant,
    PortCounters,
)
from hnsfake.dataplane.kernel import NIC, Kernel, quiet_ipv6, sysctl
from hnsfake.dataplane.observe import InterfaceView, counters, interfaces
from hnsfake.dataplane.sandbox import NetNs, Sandbox, enter
from hnsfake.dataplane.switch import NIC_NAME, ExternalSwitch

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

    def __init__(self, sandbox: Sandbox, fabric: Fabric, name: str, interface: IPv4Interface, mac: str) -> None:
        self.sandbox = sandbox
        self.name = name
        node, switch = sandbox.new_netns(name), sandbox.new_netns(f"{name} vSwitch")
        self._kernel = Kernel(node, switch, interface, WIRE_GATEWAY.ip, mac)
        self._switch = ExternalSwitch(self._kernel, ADAPTER)
        self._networks: dict[str, NetworkDriver] = {}
        self._ports: dict[str, Port] = {}
        self._remote: set[str] = set()
        self._compartments = {HOST_COMPARTMENT: CompartmentState(HOST_COMPARTMENT, node)}
        self._graveyard = Graveyard(sandbox, switch)
        self._carriers: Mapping[type, _Carrier] = {
            NetworkWant: _Carrier(self._create_network, self._modify_network, self._remove_network),
            EndpointWant: _Carrier(self._create_endpoint, self._modify_endpoint, self._remove_endpoint),
            CompartmentWant: _Carrier(self._create_compartment, self._modify_compartment, self._remove_compartment),
        }
        fabric.plug(node, NIC_NAME, NIC, mac)
        sandbox.run(node, self._boot)

    def adapters(self) -> Sequence[HostAdapter]:
        """Return the node's one adapter."""
        return (HostAdapter(ADAPTER, self._kernel.mac, (self._kernel.interface,)),)

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out ``changes`` in order; raise DataplaneError with everything as before."""
        self.sandbox.run(self._kernel.node, self._apply, changes)

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
        return self.sandbox.run(self.netns(number), interfaces)

    def add_route(self, prefix: IPNetwork, next_hop: IPAddress) -> None:
        """Add a route to the node's own stack, as New-NetRoute does."""
        self._route(messages.route_via("add", prefix, next_hop), f"add the route {prefix}")

    def delete_route(self, prefix: IPNetwork, next_hop: IPAddress) -> None:
        """Remove a route of the node's own stack, as Remove-NetRoute does."""
        self._route(messages.route_via("del", prefix, next_hop), f"remove the route {prefix}")

    def set_forwarding(self, alias: str, on: bool) -> None:
        """Turn IP forwarding of an interface on or off, as Set-NetIPInterface -Forwarding does."""
        if alias == self._switch.host_alias:
            self.sandbox.run(self._kernel.node, self._switch.set_forwarding, on)
            return
        view = next((view for view in self.interfaces() if view.alias == alias), None)
        if view is None:
            raise DataplaneError(f"node {self.name} has no interface {alias!r}")
        request = messages.configure(view.index, {messages.FORWARDING: int(on)})
        self.sandbox.run(self._kernel.node, self._kernel.in_node, [request], f"set forwarding of {alias}")

    def flush(self) -> None:
        """Wait until removed ports are gone from the kernel."""
        self._graveyard.flush()

    def close(self) -> None:
        """Let go of all namespaces; the kernel removes what is in them."""
        self._graveyard.close()
        for state in self._compartments.values():
            state.netns.close()
        self._kernel.switch.close()

    def _boot(self) -> None:
        kernel = self._kernel
        enter(kernel.switch)
        quiet_ipv6()
        enter(kernel.node)
        sysctl("net.ipv4.conf.all.rp_filter", "0")
        sysctl("net.ipv4.ip_local_port_range", EPHEMERAL_PORTS)
        kernel.in_node([messages.loopback_up(), *self._switch.host_messages(NIC, ADAPTER)], "configure the adapter")

    def _apply(self, changes: Sequence[Change]) -> None:
        done: list[Change] = []
        try:
            for change in changes:
                self._carry_out(change)
                done.append(change)
        except BaseException:
            for change in reversed(done):
                self._carry_out(Change(change.after, change.before))
            raise

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
        self._networks[want.id] = driver

    def _modify_network(self, _before: NetworkWant, after: NetworkWant) -> None:
        self._networks[after.id].modify(after)

    def _remove_network(self, want: NetworkWant) -> None:
        self._graveyard.flush()
        self._networks.pop(want.id).delete()

    def _create_endpoint(self, want: EndpointWant) -> None:
        driver = self._networks[want.network_id]
        if want.remote:
            driver.connect(want)
            self._remote.add(want.id)
        elif want.compartment is not None:
            state = self._compartments[want.compartment]
            if state.buried:
                self._graveyard.flush()
            self._ports[want.id] = endpoint.attach(self._kernel, driver, want, state)

    def _modify_endpoint(self, before: EndpointWant, after: EndpointWant) -> None:
        port = self._ports.get(after.id)
        if before.compartment == after.compartment:
            if after.remote:
                self._networks[after.network_id].update(before, after)
            elif port is not None:
                endpoint.update(self._networks[after.network_id], before, after, port)
            return
        self._remove_endpoint(before)
        try:
            self._create_endpoint(after)
        except BaseException:
            self._create_endpoint(before)
            raise

    def _remove_endpoint(self, want: EndpointWant) -> None:
        driver = self._networks[want.network_id]
        if want.id in self._remote:
            self._remote.discard(want.id)
            driver.disconnect(want)
        port = self._ports.pop(want.id, None)
        if port is not None:
            endpoint.detach(self._kernel, driver, want, port, self._graveyard)

    def _create_compartment(self, want: CompartmentWant) -> None:
        self._compartments[want.number] = compartment.create(self.sandbox, want)

    def _modify_compartment(self, before: CompartmentWant, after: CompartmentWant) -> None:
        """Do nothing: a compartment has nothing that changes."""

    def _remove_compartment(self, want: CompartmentWant) -> None:
        self._compartments.pop(want.number).netns.close()

    def _route(self, request: bytes, purpose: str) -> None:
        self.sandbox.run(self._kernel.node, self._kernel.in_node, [request], purpose)
