"""L2Tunnel: whatever a pod sends goes up to the fabric first."""

from __future__ import annotations

from functools import partial

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import reach
from suites.host import Capture, Frame, capturing, wait_for
from suites.topology import NodeNetwork, Topology

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
ALWAYS_UP = f"{TOPOLOGIES}: packets from a container are sent to the virtualization host"


def _on_the_wire(wire: Capture, source: str, destination: str) -> list[Frame]:
    """Return the echo requests of a capture that is complete, from one address to another."""
    return [f for f in wire.frames() if (f.source, f.destination, f.icmp_type) == (source, destination, 8)]


def _sent(frame: Frame, source: str, protocol: int) -> bool:
    return (frame.source, frame.protocol) == (source, protocol)


@on("L2Tunnel")
@pytest.mark.flow("pod to pod, same node (by the fabric)")
@pytest.mark.known("documentation", ALWAYS_UP)
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_pods_of_one_node_meet_on_the_wire(net: Topology, n1: NodeNetwork, protocol: str) -> None:
    client, server = n1.pod(), n1.pod()
    with capturing(net.lane.wire()) as wire:
        reached = reach(client.place, server.place, server.address, protocol=protocol)
        number = 6 if protocol == "tcp" else 17
        sent = partial(_sent, source=client.address, protocol=number)
        up = wait_for(wire, lambda f: sent(f) and f.source_mac == n1.host.mac)
        down = wait_for(wire, lambda f: sent(f) and f.destination_mac == n1.host.mac)
    assert reached.peers == [client.address]
    assert up.destination == down.destination == server.address
    assert down.source_mac == up.destination_mac
    seen = {mac for f in wire.frames() for mac in (f.source_mac, f.destination_mac)}
    assert not seen & {client.mac, server.mac}


@on("L2Bridge")
@pytest.mark.flow("pod to pod, same node (bridged)")
@pytest.mark.known("documentation", f"{TOPOLOGIES}: same subnet bridged")
def test_on_l2bridge_pods_of_one_node_do_not_meet_on_the_wire(net: Topology, n1: NodeNetwork) -> None:
    client, server = n1.pod(), n1.pod()
    with capturing(net.lane.wire()) as wire:
        assert client.place.ping(server.address).ok
    assert not _on_the_wire(wire, client.address, server.address)


@on("L2Tunnel")
@pytest.mark.flow("pod to pod, across nodes (by the fabric)")
@pytest.mark.known("documentation", ALWAYS_UP)
def test_pods_of_two_nodes_meet_by_way_of_the_fabric(net: Topology, n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    with capturing(net.lane.wire()) as wire:
        assert client.place.ping(server.address).ok
    up, down = _on_the_wire(wire, client.address, server.address)[:2]
    assert (up.source_mac, down.destination_mac) == (n1.host.mac, n2.host.mac)
    assert up.destination_mac == down.source_mac
    assert up.destination_mac not in (n1.host.mac, n2.host.mac)


@on("L2Tunnel")
@pytest.mark.flow("pod to own node (by the fabric)")
@pytest.mark.known("inferred", f"{TOPOLOGIES}: packets from a container, whatever they are for")
def test_a_pod_and_its_node_meet_by_way_of_the_fabric(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    with capturing(net.lane.wire()) as wire:
        assert pod.place.ping(n1.host.address).ok
        assert n1.host.place().ping(pod.address).ok
    for source, destination in ((pod.address, n1.host.address), (n1.host.address, pod.address)):
        assert len(_on_the_wire(wire, source, destination)) >= 2


@on("L2Tunnel")
@pytest.mark.flow("pod to outside, no OutBoundNAT (routed by the fabric)")
@pytest.mark.known("documentation", f"{TOPOLOGIES}: the fabric has routes to pods")
def test_a_pod_whose_address_the_fabric_routes_needs_no_outbound_nat(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod(plain=True)
    reached = reach(pod.place, net.outside, net.lane.outside_address)
    assert reached.ok
    assert reached.peers == [pod.address]
    assert pod.place.ping(net.lane.outside_address).ok


@on("L2Tunnel")
@pytest.mark.flow("pod to outside, only named destinations translated (routed by the fabric)")
@pytest.mark.known("client code", "Azure/azure-container-networking network/policy/policy_windows.go")
@pytest.mark.parametrize("named", [True, False])
def test_only_named_destinations_see_the_node(net: Topology, n1: NodeNetwork, named: bool) -> None:
    destination = f"{net.lane.outside_address}/32" if named else "198.51.100.1/32"
    pod = n1.pod(documents.policy("OutBoundNAT", Destinations=[destination]), plain=True)
    reached = reach(pod.place, net.outside, net.lane.outside_address)
    assert reached.ok
    assert reached.peers == [n1.host.address if named else pod.address]
