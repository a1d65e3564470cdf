"""Internal and Private networks with real packets: who is on a switch without an external port."""

from __future__ import annotations

import pytest

from hnsfake.dataplane.interface import Driver, NetworkWant

from .world import NODES, OUTSIDE, World, attach, create, endpoint, isolated, nat, remove

SWITCHES = "MicrosoftDocs/Virtualization-Documentation hyper-v-on-windows: types of switch"

ADDRESSES = ("172.21.1.10", "172.21.1.11")
GATEWAY = "172.21.1.1"
SHORT = 0.6

both = pytest.mark.parametrize("driver", [Driver.INTERNAL, Driver.PRIVATE])


def made(world: World, driver: Driver) -> NetworkWant:
    """Make a network and two pods on it, in compartments 2 and 3."""
    network = isolated(driver, "172.21.1.0/24")
    world.n1.apply(create(network))
    attach(world.n1, [endpoint(network, address, number) for number, address in enumerate(ADDRESSES, 2)])
    return network


@pytest.mark.known("documentation", SWITCHES)
@both
def test_pods_reach_each_other_and_nothing_is_on_the_wire(world: World, driver: Driver) -> None:
    made(world, driver)
    with world.place(world.n1, 3).tcp_server() as server, world.wire.capture() as wire:
        outcome = world.place(world.n1, 2).tcp(ADDRESSES[1], server.port)
        assert outcome.seen is not None
        assert outcome.seen[0] == ADDRESSES[0]
        assert not wire.frames(lambda frame: frame.protocol == 6)


@pytest.mark.known("documentation", SWITCHES)
@both
def test_pods_do_not_reach_the_outside(world: World, driver: Driver) -> None:
    made(world, driver)
    with world.outside.tcp_server() as server:
        assert not world.place(world.n1, 2).tcp(OUTSIDE, server.port, SHORT).ok
        assert not server.seen()


@pytest.mark.known("inferred", SWITCHES + ": the host is on an Internal switch")
def test_on_an_internal_network_the_host_is_the_gateway_and_pods_and_host_reach_each_other(world: World) -> None:
    made(world, Driver.INTERNAL)
    views = {view.alias: [str(a) for a in view.addresses] for view in world.n1.interfaces()}
    assert views == {"Ethernet": [f"{NODES[0]}/24"], "vEthernet (internal)": [f"{GATEWAY}/24"]}
    with world.place(world.n1).tcp_server() as at_host, world.place(world.n1, 2).tcp_server() as at_pod:
        assert world.place(world.n1, 2).tcp(GATEWAY, at_host.port).ok
        assert world.place(world.n1).tcp(ADDRESSES[0], at_pod.port).ok


@pytest.mark.known("documentation", SWITCHES)
def test_on_a_private_network_the_host_is_not(world: World) -> None:
    made(world, Driver.PRIVATE)
    assert [view.alias for view in world.n1.interfaces()] == ["Ethernet"]
    with world.place(world.n1, 2).tcp_server() as at_pod:
        assert not world.place(world.n1).tcp(ADDRESSES[0], at_pod.port, SHORT).ok
    assert not world.place(world.n1, 2).ping(GATEWAY, SHORT).ok


@pytest.mark.known("inferred", "moby/moby integration/networking: as two NAT networks don't")
def test_pods_of_a_nat_network_do_not_reach_those_of_an_internal_one(world: World) -> None:
    made(world, Driver.INTERNAL)
    network = nat("172.20.1.0/24")
    world.n1.apply(create(network))
    attach(world.n1, [endpoint(network, "172.20.1.10", 4)])
    with world.place(world.n1, 2).tcp_server() as server:
        assert not world.place(world.n1, 4).tcp(ADDRESSES[0], server.port, SHORT).ok
        assert not server.seen()


@pytest.mark.known("inferred", "a switch is its network's, and the host's vNIC its switch's")
@both
def test_a_removed_network_leaves_nothing(world: World, driver: Driver) -> None:
    network = isolated(driver, "172.21.1.0/24")
    world.n1.apply(create(network))
    world.n1.apply(remove(network))
    assert [view.alias for view in world.n1.interfaces()] == ["Ethernet"]
    world.n1.apply(create(network))
