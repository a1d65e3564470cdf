"""How large packets are: HNS leaves room for VXLAN's headers, also where nothing is encapsulated."""

from __future__ import annotations

import pytest

from suites.drivers import on
from suites.host import Interface, capturing
from suites.topology import NodeNetwork, Topology

NARROW, ETHERNET, UDP = 1450, 1500, 17
BY_DESIGN = "microsoft/SDN#517, Azure/AKS#2873: for process-isolated containers"
PLAIN = "EncapOverhead is 50 where frames are encapsulated"


def _of_node(node: NodeNetwork) -> Interface:
    return next(i for i in node.host.interfaces() if any(a.split("/")[0] == node.host.address for a in i.addresses))


@on("L2Bridge", "L2Tunnel")
@pytest.mark.known("published output", "microsoft/SDN#517: netsh interface ipv4 show subinterfaces")
def test_an_l2bridge_network_takes_the_nodes_mtu_down_to_1450(n1: NodeNetwork) -> None:
    assert _of_node(n1).mtu == NARROW


@on("Transparent")
@pytest.mark.known("inferred", PLAIN)
def test_a_transparent_network_leaves_the_nodes_mtu_alone(n1: NodeNetwork) -> None:
    assert _of_node(n1).mtu == ETHERNET


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", BY_DESIGN)
def test_a_containers_mtu_is_1450(n1: NodeNetwork) -> None:
    (interface,) = n1.host.interfaces(n1.pod().compartment)
    assert interface.mtu == NARROW


@on("Transparent", "NAT")
@pytest.mark.known("inferred", PLAIN)
def test_a_containers_mtu_is_the_networks_where_nothing_may_be_encapsulated(n1: NodeNetwork) -> None:
    (interface,) = n1.host.interfaces(n1.pod().compartment)
    assert interface.mtu == ETHERNET


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", f"{BY_DESIGN}; encapsulated it is no larger than Ethernet takes")
def test_what_a_pod_sends_goes_onto_the_wire_in_pieces_that_leave_room(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork
) -> None:
    client, server = n1.pod(), n2.pod()
    listening = server.place.udp_server()
    with capturing(net.lane.wire()) as wire:
        assert client.place.udp(server.address, listening.port, size=ETHERNET - 28).ok
    listening.stop()
    packets = [f.inner or f for f in wire.frames()]
    pieces = [p.length or 0 for p in packets if p.source == client.address and p.protocol == UDP]
    assert len(pieces) > 1
    assert NARROW - 8 <= max(pieces) <= NARROW


@on("L2Bridge")
@pytest.mark.known("inferred", f"{BY_DESIGN}: it is said of what is sent")
def test_a_pod_takes_packets_as_large_as_ethernets(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    listening = pod.place.udp_server()
    with net.lane.leading(f"{pod.address}/32", n1.host):
        assert net.outside.udp(pod.address, listening.port, size=ETHERNET - 28).ok
    listening.stop()
