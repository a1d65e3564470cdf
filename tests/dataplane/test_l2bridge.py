"""L2Bridge with real packets: what is on the wire, who reaches whom, and from which address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network

import pytest

from hnsfake.dataplane.interface import EndpointWant, NetworkWant
from hnsfake.workload import Compartment, Frame, Result

from .policies import LOCAL_ROUTED_VIP, outbound_nat, port_mapping
from .world import HOST_MACS, NODES, OUTSIDE, World, attach, create, endpoint, l2bridge, modify, remove

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
SDN_SUITE = "microsoft/SDN Kubernetes/windows/debug/ValidateKubernetes.Pester.tests.ps1"
NAT_POOLS = "projectcalico/calico#4682: an endpoint has a TcpNatPool and a UdpNatPool"
RULE_NAMES = "microsoft/SDN Kubernetes/windows/debug/networkhealth.ps1: names of VFP's rules"

POOL, OTHER_POOL = 0xC000, 0xC040
CLUSTER = outbound_nat("10.1.0.0/16", "10.127.0.0/24")
SHORT = 0.6


@dataclass
class Pods:
    """A pod a node, and a second one on the first node."""

    world: World
    networks: tuple[NetworkWant, NetworkWant]
    wants: tuple[EndpointWant, EndpointWant, EndpointWant]

    @property
    def first(self) -> Compartment:
        return self.world.place(self.world.n1, 2)

    @property
    def second(self) -> Compartment:
        return self.world.place(self.world.n1, 3)

    @property
    def far(self) -> Compartment:
        return self.world.place(self.world.n2, 2)


ADDRESSES = ("10.1.1.10", "10.1.1.11", "10.1.2.10")


@pytest.fixture
def pods(world: World) -> Pods:
    """Lay out what Flannel's host-gw does: a subnet a node, the host's endpoint at .2 as gateway."""
    here, there = l2bridge("10.1.1.0/24"), l2bridge("10.1.2.0/24")
    mappings = (CLUSTER, port_mapping(8080, 80))
    wants = (
        endpoint(here, ADDRESSES[0], 2, *mappings, gateway="10.1.1.2", pool=POOL),
        endpoint(here, ADDRESSES[1], 3, CLUSTER, gateway="10.1.1.2", pool=OTHER_POOL),
        endpoint(there, ADDRESSES[2], 2, *mappings, gateway="10.1.2.2", pool=POOL),
    )
    for node, network, own in ((world.n1, here, wants[:2]), (world.n2, there, wants[2:])):
        gateway = endpoint(network, str(network.subnets[0].prefix[2]), 1)
        node.apply(create(network, gateway))
        attach(node, own)
        node.set_forwarding("vEthernet (Ethernet)", True)
        node.set_forwarding(f"vEthernet ({gateway.name})", True)
    world.n1.add_route(IPv4Network("10.1.2.0/24"), IPv4Address(NODES[1]))
    world.n2.add_route(IPv4Network("10.1.1.0/24"), IPv4Address(NODES[0]))
    return Pods(world, (here, there), wants)


def tcp(frame: Frame) -> bool:
    return frame.protocol == 6


@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_of_one_node_see_each_others_addresses(pods: Pods) -> None:
    with pods.second.tcp_server() as server, pods.world.wire.capture() as wire:
        assert pods.first.tcp(ADDRESSES[1], server.port).ok
        assert [visitor.peer[0] for visitor in server.seen()] == [ADDRESSES[0]]
        assert not wire.frames(tcp)


@pytest.mark.known("documentation", TOPOLOGIES)
def test_between_nodes_frames_have_the_hosts_macs(pods: Pods) -> None:
    with pods.far.tcp_server() as server, pods.world.wire.capture("wire") as wire:
        assert pods.first.tcp(ADDRESSES[2], server.port).ok
        assert [visitor.peer[0] for visitor in server.seen()] == [ADDRESSES[0]]
        wire.wait_for(lambda frame: frame.source == ADDRESSES[2])
        frames = wire.frames(tcp)
    assert {(f.source, f.source_mac, f.destination_mac) for f in frames} == {
        (ADDRESSES[0], HOST_MACS[0], HOST_MACS[1]),
        (ADDRESSES[2], HOST_MACS[1], HOST_MACS[0]),
    }


@pytest.mark.known("inferred", NAT_POOLS)
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_outbound_nat_gives_the_nodes_address_and_a_port_of_the_block(pods: Pods, kind: str) -> None:
    outside = pods.world.outside
    with outside.tcp_server() if kind == "tcp" else outside.udp_server() as server:
        for place, first in ((pods.first, POOL), (pods.second, OTHER_POOL)):
            outcome = getattr(place, kind)(OUTSIDE, server.port)
            assert outcome.ok
            assert outcome.seen is not None
            assert outcome.seen[0] == NODES[0]
            assert outcome.seen[1] in range(first, first + 64)


@pytest.mark.known("inferred", NAT_POOLS)
def test_the_node_and_its_pods_share_an_address_and_do_not_meet(pods: Pods) -> None:
    with pods.world.outside.tcp_server() as server:
        for place in (pods.world.place(pods.world.n1), pods.first, pods.second) * 3:
            assert place.tcp(OUTSIDE, server.port).ok
        assert {visitor.peer[0] for visitor in server.seen()} == {NODES[0]}


@pytest.mark.known("client code", "kubernetes-sigs/sig-windows-tools#141")
def test_an_exception_leaves_with_the_pods_address(pods: Pods) -> None:
    world = pods.world
    after = replace(pods.wants[0], policies=(outbound_nat("203.0.113.0/24"),))
    world.n1.apply(modify(pods.wants[0], after))
    with world.outside.tcp_server() as server:
        with world.wire.capture("wire") as wire:
            assert pods.first.tcp(OUTSIDE, server.port, SHORT).result is Result.TIMED_OUT
            seen = wire.wait_for(lambda frame: frame.destination == OUTSIDE)
        assert (seen.source, seen.source_mac) == (ADDRESSES[0], HOST_MACS[0])
        world.fabric.add_route(IPv4Network("10.1.1.0/24"), IPv4Address(NODES[0]))
        outcome = pods.first.tcp(OUTSIDE, server.port)
    assert outcome.seen is not None
    assert outcome.seen[0] == ADDRESSES[0]


@pytest.mark.known("documentation", DOCS)
def test_icmp_is_not_translated(pods: Pods) -> None:
    with pods.world.wire.capture("wire") as wire:
        assert not pods.first.ping(OUTSIDE, SHORT).ok
        echo = wire.wait_for(lambda frame: frame.icmp_type == 8)
    assert (echo.source, echo.source_mac) == (ADDRESSES[0], HOST_MACS[0])
    assert pods.first.ping(ADDRESSES[1]).ok
    assert pods.first.ping(ADDRESSES[2]).ok


@pytest.mark.known("inferred", RULE_NAMES)
def test_a_mapped_port_leads_to_the_pod_which_sees_the_client(pods: Pods) -> None:
    clients = {OUTSIDE: pods.world.outside, NODES[1]: pods.world.place(pods.world.n2)}
    with pods.first.tcp_server(80) as server:
        for address, client in clients.items():
            outcome = client.tcp(NODES[0], 8080)
            assert outcome.ok
            assert outcome.seen is not None
            assert outcome.seen[0] == address
        assert len(server.seen()) == len(clients)


@pytest.mark.known("client code", "Azure/azure-container-networking#1863")
def test_only_local_routed_vip_opens_a_mapped_port_to_its_own_node(pods: Pods) -> None:
    node = pods.world.place(pods.world.n1)
    before = pods.wants[0]
    with pods.first.tcp_server(80):
        assert node.tcp(NODES[0], 8080, SHORT).result is Result.REFUSED
        after = replace(before, policies=(CLUSTER, port_mapping(8080, 80, LOCAL_ROUTED_VIP)))
        pods.world.n1.apply(modify(before, after))
        assert node.tcp(NODES[0], 8080).ok
        pods.world.n1.apply(modify(after, before))
        assert node.tcp(NODES[0], 8080, SHORT).result is Result.REFUSED


@pytest.mark.known("client code", SDN_SUITE + "; flannel-io/flannel pkg/backend/hostgw")
def test_node_and_pods_reach_each_other(pods: Pods) -> None:
    world = pods.world
    with pods.first.tcp_server() as at_pod, world.place(world.n1).tcp_server() as at_node:
        assert world.place(world.n1).tcp(ADDRESSES[0], at_pod.port).ok
        assert world.place(world.n2).tcp(ADDRESSES[0], at_pod.port).ok
        assert pods.first.tcp(NODES[0], at_node.port).ok
        assert pods.far.tcp(NODES[0], at_node.port).ok


@pytest.mark.known("inferred", TOPOLOGIES + ": MACs are rewritten")
def test_a_pod_in_the_hosts_own_subnet_is_found_by_arp_under_the_hosts_mac(world: World) -> None:
    network = l2bridge("10.127.0.0/24")
    world.n1.apply(create(network))
    attach(world.n1, [endpoint(network, "10.127.0.50", 2)])
    pod = world.place(world.n1, 2)
    with pod.tcp_server() as server, world.wire.capture("wire") as wire:
        assert world.place(world.n2).tcp("10.127.0.50", server.port).ok
        answer = wire.wait_for(lambda frame: frame.arp_operation == 2 and frame.source == "10.127.0.50")
        assert (answer.source_mac, answer.arp_sender_mac) == (HOST_MACS[0], HOST_MACS[0])
        assert world.outside.tcp("10.127.0.50", server.port).ok
        assert world.place(world.n1).tcp("10.127.0.50", server.port).ok
    with world.outside.tcp_server() as server:
        outcome = pod.tcp(OUTSIDE, server.port)
        assert outcome.seen is not None
        assert outcome.seen[0] == "10.127.0.50"


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking/architecture")
def test_the_adapter_becomes_a_vnic_with_the_first_network_and_comes_back_after_the_last(world: World) -> None:
    node, networks = world.n1, (l2bridge("10.1.1.0/24", "a"), l2bridge("10.1.2.0/24", "b"))

    def adapter() -> list[tuple[str, str, str]]:
        return [(v.alias, v.mac, str(v.addresses[0])) for v in node.interfaces()]

    plain = [("Ethernet", HOST_MACS[0], f"{NODES[0]}/24")]
    assert adapter() == plain
    node.apply(create(*networks))
    assert adapter() == [("vEthernet (Ethernet)", HOST_MACS[0], f"{NODES[0]}/24")]
    assert world.place(node).ping(OUTSIDE).ok
    node.apply(remove(networks[0]))
    assert world.place(node).ping(OUTSIDE).ok
    node.apply(remove(networks[1]))
    assert adapter() == plain
    assert world.place(node).ping(OUTSIDE).ok


@pytest.mark.known("inferred", "an endpoint that is detached has no port at the switch")
def test_a_detached_pod_is_gone_at_once_and_can_come_back(pods: Pods) -> None:
    node, attached = pods.world.n1, pods.wants[0]
    detached = replace(attached, compartment=None)
    with pods.first.tcp_server(80):
        node.apply(modify(attached, detached))
        assert pods.second.tcp(ADDRESSES[0], 80, SHORT).result is not Result.CONNECTED
        assert pods.world.outside.tcp(NODES[0], 8080, SHORT).result is not Result.CONNECTED
        node.apply(modify(detached, attached))
        assert pods.second.tcp(ADDRESSES[0], 80).ok
        assert pods.world.outside.tcp(NODES[0], 8080).ok
        assert pods.first.tcp(ADDRESSES[2], 1, SHORT).result is Result.REFUSED


@pytest.mark.known("client code", "containerd/containerd internal/cri/server/sandbox_stats_windows.go")
def test_counters_count_what_the_pod_sends_and_gets(pods: Pods) -> None:
    want = pods.wants[0]
    before = pods.world.n1.counters(want.id)
    assert pods.first.ping(ADDRESSES[1]).ok
    after = pods.world.n1.counters(want.id)
    assert after.packets_sent > before.packets_sent
    assert after.bytes_received > before.bytes_received
    assert pods.world.n1.counters("nobody").packets_sent == 0
