"""An endpoint's port: a cable from a switch's bridge to a vNIC in a compartment, with its VFP."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from hnsfake.dataplane import messages, netlink, nftables
from hnsfake.dataplane.compartment import CompartmentState
from hnsfake.dataplane.drivers import NetworkDriver
from hnsfake.dataplane.graveyard import GROUP, Graveyard
from hnsfake.dataplane.interface import HOST_COMPARTMENT, EndpointWant, RouteWant
from hnsfake.dataplane.kernel import HOST_SETTINGS, Kernel
from hnsfake.dataplane.sandbox import enter
from hnsfake.dataplane.vfp import port as vfp
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
    """Make an endpoint's port; raise DataplaneError and leave nothing."""
    index, vnic_index = next(kernel.indexes), next(kernel.indexes)
    port = Port(index, driver.port_name(index), compartment.free_name(vnic_index), vnic_index, compartment)
    with ExitStack() as undo:
        undo.callback(_delete, kernel, port)
        _make_cable(kernel, driver.bridge(endpoint), endpoint, port)
        _configure(endpoint, port)
        script = vfp.ruleset(driver.context(endpoint, port.vnic))
        if script:
            nftables.run(script)  # still in the compartment's namespace
        driver.connect(endpoint)
        undo.pop_all()
    compartment.vnics.add(port.vnic)
    return port


def detach(kernel: Kernel, driver: NetworkDriver, endpoint: EndpointWant, port: Port, graveyard: Graveyard) -> None:
    """Make a port inert at once; the graveyard deletes it soon."""
    driver.disconnect(endpoint)
    kernel.in_switch(
        [
            messages.disabled_port(port.index),
            messages.forget_mac(endpoint.mac, port.index),
            messages.in_group(port.index, GROUP),
        ],
        "disconnect an endpoint",
    )
    port.compartment.vnics.discard(port.vnic)
    port.compartment.buried += 1
    graveyard.bury(_afterwards(driver, endpoint, port))


def update(driver: NetworkDriver, before: EndpointWant, after: EndpointWant, port: Port) -> None:
    """Change the policies at a port; on failure leave those before."""
    old, new = driver.context(before, port.vnic), driver.context(after, port.vnic)
    enter(port.compartment.netns)
    if vfp.ruleset(old) != vfp.ruleset(new):
        nftables.run(vfp.removal(new) + vfp.ruleset(new))
    try:
        driver.update(before, after)
    except BaseException:
        enter(port.compartment.netns)
        nftables.run(vfp.removal(old) + vfp.ruleset(old))
        raise


def _make_cable(kernel: Kernel, bridge: int, endpoint: EndpointWant, port: Port) -> None:
    kernel.in_switch(
        [
            messages.veth(
                port.name,
                port.index,
                port.vnic,
                port.vnic_index,
                endpoint.mac,
                port.compartment.netns.fd,
            ),
            messages.into_bridge(port.index, bridge),
            messages.quiet_port(port.index),
            messages.forward_to_port(endpoint.mac, port.index),
        ],
        f"connect endpoint {endpoint.name} to its switch",
    )


def _configure(endpoint: EndpointWant, port: Port) -> None:
    """Give the vNIC its addresses and routes; leaves the thread in the compartment's namespace."""
    host = port.compartment.number == HOST_COMPARTMENT
    settings = HOST_SETTINGS if host else {messages.RP_FILTER: 0}
    enter(port.compartment.netns)
    netlink.send(
        [
            messages.vnic_up(port.vnic_index, f"vEthernet ({endpoint.name})", endpoint.mtu, settings),
            *(messages.address(port.vnic_index, interface) for interface in endpoint.addresses),
            *(
                messages.route(route.destination, route.next_hop, port.vnic_index, route.metric)
                for route in _routes(endpoint, host)
            ),
        ],
        f"configure the vNIC of endpoint {endpoint.name}",
    )


def _routes(endpoint: EndpointWant, host: bool) -> list[RouteWant]:
    """Return the routes to make. The host has its own default route, and a next hop must be on link."""
    routes = [*endpoint.routes, *policy_routes(endpoint.policies)]
    return [
        route
        for route in routes
        if not (host and route.destination.prefixlen == 0)
        and (route.next_hop is None or any(route.next_hop in i.network for i in endpoint.addresses))
    ]


def _delete(kernel: Kernel, port: Port) -> None:
    """Remove what there is of a port; slow, for the way back after a failure."""
    try:
        kernel.in_switch([messages.delete_link(port.index)], "remove a port")
    except netlink.NetlinkError as error:
        if error.number != netlink.NO_DEVICE:
            raise


def _afterwards(driver: NetworkDriver, endpoint: EndpointWant, port: Port) -> Callable[[], None]:
    """Return what is left to do when the vNIC is deleted: its rules name an interface that is gone."""
    context = driver.context(endpoint, port.vnic)
    # The compartment may be removed, and its descriptor closed, before that.
    netns = port.compartment.netns.another() if vfp.ruleset(context) else None

    def clean_up() -> None:
        port.compartment.buried -= 1
        if netns is not None:
            try:
                enter(netns)
                nftables.run(vfp.removal(context))
            finally:
                netns.close()

    return clean_up
