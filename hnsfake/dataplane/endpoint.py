"""An endpoint's port: a cable from a switch's bridge to a vNIC in a compartment, with its VFP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface

from hnsfake.dataplane import ip_messages, messages, netlink, nftables
from hnsfake.dataplane.access_port import make_access_port
from hnsfake.dataplane.compartment import CompartmentState
from hnsfake.dataplane.drivers import NetworkDriver
from hnsfake.dataplane.graveyard import GROUP, Graveyard
from hnsfake.dataplane.interface import HOST_COMPARTMENT, EndpointWant, IPAddress, IPNetwork, RouteWant, vnic_alias
from hnsfake.dataplane.kernel import HOST_SETTINGS, Kernel
from hnsfake.dataplane.metrics import ROUTE
from hnsfake.dataplane.sandbox import enter
from hnsfake.dataplane.vfp import port as vfp
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.dataplane.vfp.sdn_route import routes as policy_routes


@dataclass
class Port:
    """An endpoint's port in the kernel."""

    index: int
    name: str
    vnic: str
    vnic_index: int
    compartment: CompartmentState


def attach(kernel: Kernel, driver: NetworkDriver, endpoint: EndpointWant, compartment: CompartmentState) -> Port:
    """Make an endpoint's port; raise DataplaneError."""
    index, vnic_index = next(kernel.indexes), next(kernel.indexes)
    port = Port(index, driver.port_name(index), compartment.free_name(vnic_index), vnic_index, compartment)
    kernel.transaction.undo(compartment.vnics.discard, port.vnic)
    compartment.vnics.add(port.vnic)
    _make_cable(kernel, driver.bridge(endpoint), endpoint, port)
    if endpoint.vlan:
        make_access_port(kernel.switch, index, endpoint.vlan, f"put endpoint {endpoint.name} into VLAN {endpoint.vlan}")
    _configure(endpoint, port)
    context = driver.context(endpoint, port.vnic)
    if script := vfp.ruleset(context):
        nftables.run(script)  # still in the compartment's namespace
        kernel.transaction.undo(_in_compartment, port, vfp.removal(context))
    kernel.switch.send([messages.settled(port.index)], f"settle the port of endpoint {endpoint.name}")
    driver.connect(endpoint)
    return port


def detach(kernel: Kernel, driver: NetworkDriver, endpoint: EndpointWant, port: Port, graveyard: Graveyard) -> None:
    """Make a port inert at once; the graveyard deletes it soon; raise DataplaneError."""
    driver.disconnect(endpoint)
    if port.compartment.has_others(port.vnic):
        _withdraw(kernel, endpoint, port)
    kernel.switch.send(
        [messages.disabled_port(port.index), messages.forget_mac(endpoint.mac, port.index)],
        f"disconnect endpoint {endpoint.name}",
        lambda: _connection(driver.bridge(endpoint), endpoint, port),
    )
    kernel.transaction.at_end(_bury, kernel, driver.context(endpoint, port.vnic), port, graveyard)


def update(kernel: Kernel, driver: NetworkDriver, before: EndpointWant, after: EndpointWant, port: Port) -> None:
    """Change the policies at a port; raise DataplaneError."""
    old, new = driver.context(before, port.vnic), driver.context(after, port.vnic)
    if vfp.ruleset(old) != vfp.ruleset(new):
        _in_compartment(port, vfp.removal(new) + vfp.ruleset(new))
        kernel.transaction.undo(_in_compartment, port, vfp.removal(old) + vfp.ruleset(old))
    if _routes(before) != _routes(after):
        kernel.transaction.undo(_revert, port, _route_changes(after, before, port))
        enter(port.compartment.netns)
        netlink.send(_route_changes(before, after, port), f"change the routes of endpoint {after.name}")
    driver.update(before, after)


def _in_compartment(port: Port, script: str) -> None:
    enter(port.compartment.netns)
    nftables.run(script)


def _make_cable(kernel: Kernel, bridge: int, endpoint: EndpointWant, port: Port) -> None:
    kernel.switch.send(
        [
            messages.veth(
                port.name,
                port.index,
                port.vnic,
                port.vnic_index,
                endpoint.mac,
                port.compartment.netns.fd,
            ),
            *_connection(bridge, endpoint, port),
        ],
        f"connect endpoint {endpoint.name} to its switch",
        lambda: [messages.delete_link(port.index)],
    )


def _connection(bridge: int, endpoint: EndpointWant, port: Port) -> list[bytes]:
    return [
        messages.into_bridge(port.index, bridge),
        messages.quiet_port(port.index),
        messages.forward_to_port(endpoint.mac, port.index),
    ]


def _configure(endpoint: EndpointWant, port: Port) -> None:
    """Give the vNIC its addresses and routes; leaves the thread in the compartment's namespace."""
    host = port.compartment.number == HOST_COMPARTMENT
    settings = HOST_SETTINGS if host else {messages.RP_FILTER: 0}
    enter(port.compartment.netns)
    netlink.send(
        [
            messages.vnic_up(port.vnic_index, vnic_alias(endpoint.name), endpoint.mtu, settings),
            *_ways_out(endpoint, port),
        ],
        f"configure the vNIC of endpoint {endpoint.name}",
    )


def _withdraw(kernel: Kernel, endpoint: EndpointWant, port: Port) -> None:
    """Take a vNIC's addresses and routes away at once: its compartment goes on with those of others.

    It costs more than all else of a removal: where nothing goes on, the vNIC's own end is soon enough.
    """
    kernel.transaction.undo(_revert, port, _ways_out(endpoint, port))
    enter(port.compartment.netns)
    netlink.send(
        [
            *_route_changes(endpoint, replace(endpoint, routes=(), policies=()), port),
            # The last one first: with the first one of a subnet the kernel takes the others of it away.
            *(ip_messages.forget_address(port.vnic_index, interface) for interface in reversed(endpoint.addresses)),
        ],
        f"withdraw endpoint {endpoint.name}",
    )


def _revert(port: Port, requests: Sequence[bytes]) -> None:
    enter(port.compartment.netns)
    with netlink.Link() as link:
        link.revert(requests)


def _ways_out(endpoint: EndpointWant, port: Port) -> list[bytes]:
    """Give a vNIC its addresses and routes, with the metrics that Windows adds up for them."""
    metric, index, mtu = endpoint.interface_metric + ROUTE, port.vnic_index, endpoint.ip_mtu
    narrow = [i for i in endpoint.addresses if isinstance(i, IPv4Interface) and i.network.prefixlen < 32] if mtu else []
    return [
        *(ip_messages.address(index, interface, metric) for interface in endpoint.addresses),
        *(ip_messages.limit_on_link(index, interface, metric, mtu or 0) for interface in narrow),
        *_route_changes(replace(endpoint, routes=(), policies=()), endpoint, port),
    ]


def _route_changes(before: EndpointWant, after: EndpointWant, port: Port) -> list[bytes]:
    old, new = _routes(before), _routes(after)

    def arguments(route: RouteWant) -> tuple[IPNetwork, IPAddress | None, int, int]:
        return route.destination, route.next_hop, port.vnic_index, after.interface_metric + route.metric

    return [
        *(ip_messages.delete_route(*arguments(route)) for route in old if route not in new),
        *(ip_messages.route(*arguments(route), after.ip_mtu or 0) for route in new if route not in old),
    ]


def _routes(endpoint: EndpointWant) -> list[RouteWant]:
    """Return the routes to make, each once: those whose next hop is on link.

    The endpoint's own address as a next hop says that the destination is on link (route.exe's old way to say so).
    """
    own = {interface.ip for interface in endpoint.addresses}
    asked = [*endpoint.routes, *policy_routes(endpoint.policies)]
    routes = dict.fromkeys(replace(route, next_hop=None) if route.next_hop in own else route for route in asked)
    return [
        route
        for route in routes
        if route.next_hop is None or any(route.next_hop in i.network for i in endpoint.addresses)
    ]


def _bury(kernel: Kernel, context: PortContext, port: Port, graveyard: Graveyard) -> None:
    """Have a disconnected port deleted, and then its rules, which name an interface that is gone."""
    kernel.switch.revert([messages.in_group(port.index, GROUP)])
    state = port.compartment
    state.buried += 1
    # The compartment may be removed, and its descriptor closed, before that.
    netns = state.netns.another() if vfp.ruleset(context) else None

    def clean_up() -> None:
        state.vnics.discard(port.vnic)
        state.buried -= 1
        if netns is not None:
            try:
                if not state.gone:
                    enter(netns)
                    nftables.run(vfp.removal(context))
            finally:
                netns.close()

    graveyard.bury(clean_up)
