"""Transparent networks with real packets: endpoints are on the wire with MACs of their own."""

from __future__ import annotations

import pytest

from hnsfake.dataplane.interface import EndpointWant
from hnsfake.workload import Frame

from .world import HOST_MACS, NODES, OUTSIDE, World, attach, create, endpoint, remove, transparent

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"

NETWORK = transparent("10.127.0.0/24")
ADDRESSES = ("10.127.0.50", "10.127.0.51")


@pytest.fixture
def pods(world: World) -> tuple[EndpointWant, EndpointWant]:
    wants = (
        endpoint(NETWORK, ADDRESSES[0], 2, gateway="10.127.0.1"),
        endpoint(NETWORK, ADDRESSES[1], 3, gateway="10.127.0.1"),
    )
    world.n1.apply(create(NETWORK))
    attach(world.n1, wants)
    return wants


def tcp(frame: Frame) -> bool:
    return frame.protocol == 6


@pytest.mark.known("documentation", TOPOLOGIES)
def test_frames_leave_with_the_pods_own_mac(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    with world.outside.tcp_server() as server, world.wire.capture("wire") as wire:
        outcome = world.place(world.n1, 2).tcp(OUTSIDE, server.port)
        assert outcome.seen is not None
        assert outcome.seen[0] == ADDRESSES[0]
        wire.wait_for(lambda frame: frame.source == OUTSIDE)
        frames = wire.frames(tcp)
    assert {frame.source_mac for frame in frames if frame.source == ADDRESSES[0]} == {pods[0].mac}
    assert {frame.destination_mac for frame in frames if frame.source == OUTSIDE} == {pods[0].mac}


@pytest.mark.known("documentation", TOPOLOGIES)
def test_others_on_the_wire_find_a_pod_by_arp_under_its_own_mac(
    world: World, pods: tuple[EndpointWant, EndpointWant]
) -> None:
    with world.place(world.n1, 2).tcp_server() as server, world.wire.capture("wire") as wire:
        assert world.place(world.n2).tcp(ADDRESSES[0], server.port).ok
        answer = wire.wait_for(lambda frame: frame.arp_operation == 2 and frame.source == ADDRESSES[0])
    assert (answer.source_mac, answer.arp_sender_mac) == (pods[0].mac, pods[0].mac)


@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_of_one_node_and_the_node_reach_each_other(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    first = world.place(world.n1, 2)
    with world.place(world.n1, 3).tcp_server() as server, world.wire.capture() as wire:
        assert first.tcp(ADDRESSES[1], server.port).ok
        assert not wire.frames(tcp)
    with first.tcp_server() as server:
        assert world.place(world.n1).tcp(ADDRESSES[0], server.port).ok
    assert first.ping(NODES[0]).ok


@pytest.mark.known("inferred", TOPOLOGIES + ": each has its own MAC")
def test_the_node_keeps_its_own_mac_on_the_wire(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    with world.wire.capture("wire") as wire:
        assert world.place(world.n1).ping(OUTSIDE).ok
        echo = wire.wait_for(lambda frame: frame.icmp_type == 8)
    assert (echo.source, echo.source_mac) == (NODES[0], HOST_MACS[0])


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking/architecture")
def test_the_adapter_comes_back_after_the_network(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    world.n1.apply(remove(*pods))
    world.n1.apply(remove(NETWORK))
    assert [view.alias for view in world.n1.interfaces()] == ["Ethernet"]
    assert world.place(world.n1).ping(OUTSIDE).ok
