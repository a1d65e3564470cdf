"""Endpoints of two networks with one MAC: each has its own traffic, in whatever order they come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hnsfake.dataplane.interface import EndpointWant

from .policies import outbound_nat, port_mapping
from .world import NODES, OUTSIDE, World, attach, create, endpoint, modify, overlay, remove

TENANTS = (overlay("10.2.1.0/24", 4097, name="one"), overlay("10.2.1.0/24", 5000, name="other"))
MAC = "0E-2A-0A-02-01-0A"


def _pods(first_port: int = 8080) -> list[EndpointWant]:
    """Return one pod a tenant, alike in address and MAC, in compartments 2 and 3."""
    return [
        replace(
            endpoint(network, "10.2.1.10", 2 + number, outbound_nat(), port_mapping(first_port + number, 80)),
            mac=MAC,
            pool=(41024 + 64 * number, 64),
        )
        for number, network in enumerate(TENANTS)
    ]


def _reach_out(world: World, compartments: Sequence[int]) -> list[bool]:
    with world.outside.tcp_server() as server:
        return [world.place(world.n1, number).tcp(OUTSIDE, server.port).ok for number in compartments]


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking: VNIs are apart")
def test_each_has_the_answers_to_its_own_connections(world: World) -> None:
    world.n1.apply(create(*TENANTS))
    attach(world.n1, _pods())
    assert _reach_out(world, (2, 3)) == [True, True]


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking: VNIs are apart")
def test_each_is_reached_at_its_own_mapped_port(world: World) -> None:
    world.n1.apply(create(*TENANTS))
    attach(world.n1, _pods())
    with world.place(world.n1, 2).tcp_server(80) as one, world.place(world.n1, 3).tcp_server(80) as other:
        assert world.outside.tcp(NODES[0], 8080).ok
        assert (len(one.seen()), len(other.seen())) == (1, 0)
        assert world.outside.tcp(NODES[0], 8081).ok
        assert (len(one.seen()), len(other.seen())) == (1, 1)


@pytest.mark.known("inferred", "the other network's endpoint is another object")
@pytest.mark.parametrize("leaving", [0, 1])
def test_one_goes_on_when_the_other_leaves_and_comes_back(world: World, leaving: int) -> None:
    world.n1.apply(create(*TENANTS))
    pods = _pods()
    attach(world.n1, pods)
    out = replace(pods[leaving], compartment=None)
    world.n1.apply(modify(pods[leaving], out))
    assert _reach_out(world, [3 - leaving]) == [True]
    world.n1.apply(modify(out, pods[leaving]))
    assert _reach_out(world, (2, 3)) == [True, True]


@pytest.mark.known("inferred", "nothing of an endpoint stays")
def test_what_is_removed_leaves_nothing_in_the_way_of_the_next(world: World) -> None:
    world.n1.apply(create(*TENANTS))
    for _ in range(2):
        pods = _pods()
        attach(world.n1, pods)
        world.n1.apply(remove(*pods))
    attach(world.n1, _pods())
    assert _reach_out(world, (2, 3)) == [True, True]
