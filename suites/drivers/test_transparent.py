"""Transparent: pods are on the physical network, with MACs and addresses of their own."""

from __future__ import annotations

import pytest

from suites.drivers import on
from suites.flows.reach import reach
from suites.host import capturing, wait_for
from suites.topology import NodeNetwork, Topology

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"


@on("Transparent")
@pytest.mark.flow("pod to pod, same node")
@pytest.mark.known("documentation", f"{TOPOLOGIES}: same subnet bridged")
def test_pods_of_one_node_are_bridged(net: Topology, n1: NodeNetwork) -> None:
    client, server = n1.pod(), n1.pod()
    with capturing(net.lane.wire()) as wire:
        reached = reach(client.place, server.place, server.address)
    assert reached.peers == [client.address]
    assert not [frame for frame in wire.frames() if frame.protocol == 6]


@on("Transparent")
@pytest.mark.flow("pod to pod, across nodes")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_of_two_nodes_meet_on_the_wire_with_their_own_macs(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork
) -> None:
    client, server = n1.pod(), n2.pod()
    with capturing(net.lane.wire()) as wire:
        reached = reach(client.place, server.place, server.address)
        sent = wait_for(wire, lambda f: f.source == client.address and f.protocol == 6)
        answered = wait_for(wire, lambda f: f.source == server.address and f.protocol == 6)
    assert reached.peers == [client.address]
    assert (sent.source_mac, sent.destination_mac) == (client.mac, server.mac)
    assert (answered.source_mac, answered.destination_mac) == (server.mac, client.mac)
    assert sent.vlan is None


@on("Transparent")
@pytest.mark.flow("pod to outside, TCP (own address)")
@pytest.mark.known("documentation", f"{TOPOLOGIES}: the physical network")
def test_the_outside_sees_a_pods_own_address(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    reached = reach(pod.place, net.outside, net.lane.outside_address)
    assert reached.ok
    assert reached.peers == [pod.address]


@on("Transparent")
@pytest.mark.flow("pod to outside, ICMP")
@pytest.mark.known("inferred", f"{TOPOLOGIES}: nothing is translated, so nothing is lost")
def test_the_outside_answers_a_pods_ping(net: Topology, n1: NodeNetwork) -> None:
    assert n1.pod().place.ping(net.lane.outside_address).ok


@on("Transparent")
@pytest.mark.flow("outside to pod, own address")
@pytest.mark.known("inferred", f"{TOPOLOGIES}: a pod is as good as a machine on the physical network")
def test_the_outside_reaches_a_pod_by_its_own_address(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    reached = reach(net.outside, pod.place, pod.address)
    assert reached.ok
    assert reached.peers == [net.lane.outside_address]


@on("Transparent")
@pytest.mark.flow("pod to own node")
@pytest.mark.known("documentation", f"{TOPOLOGIES}: same subnet bridged")
def test_a_pod_and_its_node_reach_each_other(n1: NodeNetwork) -> None:
    pod = n1.pod()
    assert reach(pod.place, n1.host.place(), n1.host.address).peers == [pod.address]
    assert reach(n1.host.place(), pod.place, pod.address).peers == [n1.host.address]


@on("Transparent")
@pytest.mark.flow("node to other node's pod")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_a_node_reaches_another_nodes_pod(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n2.pod()
    assert reach(n1.host.place(), pod.place, pod.address).peers == [n1.host.address]
