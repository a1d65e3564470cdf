"""Pod to pod, on one node and across nodes."""

from __future__ import annotations

import pytest

from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.host import capturing, wait_for
from suites.topology import NodeNetwork, Topology, dr_mac

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
PROTOCOLS = ("tcp", "udp")
UDP = 17


@pytest.mark.flow("pod to pod, same node")
@pytest.mark.known("documentation", TOPOLOGIES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_one_node_a_pod_is_seen_with_its_own_address(n1: NodeNetwork, protocol: str) -> None:
    client, server = n1.pod(), n1.pod()
    reached = reach(client.place, server.place, server.address, protocol=protocol)
    assert reached.ok
    assert reached.peers == [client.address]


@pytest.mark.flow("pod to pod, same node")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_ping_on_one_node_is_answered(n1: NodeNetwork) -> None:
    client, server = n1.pod(), n1.pod()
    assert client.place.ping(server.address).ok


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.flow("pod to pod, across nodes")
@pytest.mark.known("documentation", DOCS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_across_nodes_a_pod_is_seen_with_its_own_address(n1: NodeNetwork, n2: NodeNetwork, protocol: str) -> None:
    client, server = n1.pod(), n2.pod()
    reached = reach(client.place, server.place, server.address, protocol=protocol)
    assert reached.ok
    assert reached.peers == [client.address]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.flow("pod to pod, across nodes")
@pytest.mark.known("documentation", DOCS)
def test_ping_across_nodes_is_answered(n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    assert client.place.ping(server.address).ok


@on("NAT")
@pytest.mark.flow("pod to pod, across nodes (not routed)")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_behind_nat_do_not_reach_each_other_across_nodes(n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    assert not reach(client.place, server.place, server.address, timeout=SHORT).ok


@on("L2Bridge")
@pytest.mark.flow("on the wire: the host's MAC")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_frames_leave_the_node_with_the_hosts_mac(net: Topology, n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    with capturing(net.lane.wire()) as wire:
        assert client.place.ping(server.address).ok
        request = wait_for(wire, lambda f: f.source == client.address and f.icmp_type == 8)
        reply = wait_for(wire, lambda f: f.source == server.address and f.icmp_type == 0)
    assert (request.source_mac, request.destination_mac) == (n1.host.mac, n2.host.mac)
    assert (reply.source_mac, reply.destination_mac) == (n2.host.mac, n1.host.mac)
    assert client.mac not in {mac for f in wire.frames() for mac in (f.source_mac, f.destination_mac)}


@on("Overlay")
@pytest.mark.flow("on the wire: VXLAN")
@pytest.mark.known("client code", "flannel-io/flannel pkg/backend/vxlan/vxlan_windows.go")
def test_pod_traffic_between_nodes_is_vxlan(net: Topology, n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    with capturing(net.lane.wire()) as wire:
        assert client.place.ping(server.address).ok
        packet = wait_for(wire, lambda f: f.inner is not None and f.inner.source == client.address)
    assert (packet.source, packet.destination) == (n1.host.address, n2.host.address)
    assert (packet.protocol, packet.destination_port) == (UDP, 4789)
    vsid = n1.hns.query("Network", n1.network)["Ipams"][0]["Subnets"][0]["Policies"][0]["Settings"]
    assert packet.vni == vsid["IsolationId"]
    assert packet.inner is not None
    assert packet.inner.destination_mac == dr_mac(n2)
    assert not [f for f in wire.frames() if f.source == client.address]


@pytest.mark.flow("pod resolves by its endpoint's DNS settings")
@pytest.mark.known("documentation", DOCS)
def test_a_short_name_gets_the_first_suffix_and_a_dotted_name_none(n1: NodeNetwork) -> None:
    server = n1.pod()
    zone = {"kubernetes.default.svc.cluster.local": ["10.96.0.1"]}
    listening = server.place.dns_server(zone)
    search = ["default.svc.cluster.local", "svc.cluster.local"]
    client = n1.pod(Dns={"ServerList": [server.address], "Search": search})
    place = client.place
    assert place.resolve("kubernetes") == ["10.96.0.1"]
    assert place.resolve("kubernetes.default.svc.cluster.local") == ["10.96.0.1"]
    assert place.resolve("kubernetes.default") == []
    listening.stop()
