"""Connections that are there go on while services, endpoints and policies around them change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import cycle, islice

import pytest

from suites import documents
from suites.documents import acl
from suites.drivers import on
from suites.host import Place, Streams
from suites.services import Proxy, cluster_ip
from suites.topology import NodeNetwork, Pod, Topology

VFP = "Firestone, VFP, NSDI 2017: a flow keeps its actions"
_PORT = 7000


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close what a test opened, whatever happens."""
    with ExitStack() as opened:
        yield opened


def _echo(stack: ExitStack, *places: Place) -> None:
    for place in places:
        stack.callback(place.echo_server(_PORT).stop)


def _streams(stack: ExitStack, place: Place, address: str, port: int = _PORT, count: int = 8) -> Streams:
    made = place.streams(address, port, count)
    stack.callback(made.close)
    return made


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", VFP)
@pytest.mark.parametrize("dsr", [False, True])
def test_connections_to_a_backend_outlive_its_leaving_the_service(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, stack: ExitStack, dsr: bool
) -> None:
    client, stays, leaves, vip = n1.pod(), n1.pod(), n2.pod(), cluster_ip()
    _echo(stack, stays.place, leaves.place)
    balancer = proxy.balance(stays, leaves, vip=vip, target=_PORT, dsr=dsr)
    streams = _streams(stack, client.place, vip)
    proxy.replace(balancer, stays, vip=vip, target=_PORT, dsr=dsr)
    assert streams.alive() == 8


@on("L2Bridge", "L2Tunnel")
@pytest.mark.known("inferred", VFP)
def test_an_outside_clients_connections_stay_where_they_are_when_backends_come(
    net: Topology, n1: NodeNetwork, proxy: Proxy, stack: ExitStack
) -> None:
    pods = [n1.pod() for _ in range(4)]
    _echo(stack, *(pod.place for pod in pods))
    balance = partial(proxy.balance, port=32080, target=_PORT, flags=documents.EXTERNAL_VIP, dsr=True)
    balancer = balance(pods[0], pods[1])
    streams = _streams(stack, net.outside, n1.host.address, 32080)
    proxy.remove(balancer)
    balance(*pods)
    assert streams.alive() == 8


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", VFP)
def test_two_thousand_connections_outlive_two_hundred_changes(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, stack: ExitStack
) -> None:
    client, here, there, other = n1.pod(), n1.pod(), n2.pod(), n1.pod()
    _echo(stack, here.place, there.place, net.outside)
    plain, direct = cluster_ip(), cluster_ip()
    proxy.balance(here, there, vip=plain, target=_PORT)
    proxy.balance(here, there, vip=direct, target=_PORT, dsr=True)
    proxy.balance(here, there, port=32081, target=_PORT, flags=documents.EXTERNAL_VIP)
    streams = [
        _streams(stack, client.place, here.address, _PORT, 400),
        _streams(stack, client.place, there.address, _PORT, 400),
        _streams(stack, client.place, plain, _PORT, 400),
        _streams(stack, client.place, direct, _PORT, 400),
        _streams(stack, net.outside, n1.host.address, 32081, 340),
        _streams(stack, client.place, net.lane.outside_address, _PORT, 60),
    ]
    for _ in islice(_changes(n1, proxy, here, there, other), 200):
        pass
    assert [one.alive(30) for one in streams] == [400, 400, 400, 400, 340, 60]


def _changes(node: NodeNetwork, proxy: Proxy, here: Pod, there: Pod, other: Pod) -> Iterator[None]:
    """Change what is around: another service and its backends, ACLs of another pod, pods that come and go."""
    vip = cluster_ip()
    balancer = proxy.balance(here, vip=vip)
    for number, backends in enumerate(cycle([(here, there), (there,), (here, there, other)])):
        balancer = proxy.replace(balancer, *backends, vip=vip, dsr=bool(number % 2))
        yield
        rules = [acl("Allow", "In", 100 + number % 7), acl("Allow", "Out", 100)]
        node.hns.modify("Endpoint", other.endpoint, documents.add_policies(*rules, request="Update"))
        yield
        with node.pods():
            node.pod()
        yield
