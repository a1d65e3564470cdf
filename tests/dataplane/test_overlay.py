"""Overlay with real packets: VXLAN on the wire, and who reaches whom."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network

import pytest

from hnsfake import Lab
from hnsfake.dataplane import messages
from hnsfake.dataplane.drivers.overlay import Overlay
from hnsfake.dataplane.interface import EndpointWant, NetworkWant, RemoteSubnet
from hnsfake.workload import Compartment, Frame, Result

from .policies import LOCAL_ROUTED_VIP, outbound_nat, port_mapping
from .world import (
    HOST_MACS,
    NODES,
    OUTSIDE,
    World,
    attach,
    behind,
    create,
    dr_mac,
    endpoint,
    modify,
    overlay,
    remote,
    remove,
)

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
FLANNEL = "flannel-io/flannel pkg/backend/vxlan"
NAT_POOLS = "projectcalico/calico#4682: an endpoint has a TcpNatPool and a UdpNatPool"
RULE_NAMES = "microsoft/SDN Kubernetes/windows/debug/networkhealth.ps1: names of VFP's rules"

POOL = 0xC000
CLUSTER = outbound_nat("10.1.0.0/16", "10.127.0.0/24")
HERE, THERE = overlay("10.1.1.0/24", node=1), overlay("10.1.2.0/24", node=2)
ADDRESSES = ("10.1.1.10", "10.1.1.11", "10.1.2.10")
SHORT = 0.6


@dataclass
class Pods:
    """Two pods on the first node, one on the second; each node knows the other's subnet."""

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

    def change_first_network(self, **changes: object) -> None:
        before = self.networks[0]
        after = replace(before, **changes)  # type: ignore[arg-type]
        self.world.n1.apply(modify(before, after))
        self.networks = (after, self.networks[1])


@pytest.fixture
def pods(world: World) -> Pods:
    return lay_out(world, HERE, THERE)


def lay_out(world: World, here: NetworkWant, there: NetworkWant) -> Pods:
    networks = (
        replace(here, remote_subnets=(behind(there, NODES[1]),)),
        replace(there, remote_subnets=(behind(here, NODES[0]),)),
    )
    wants = (
        endpoint(here, ADDRESSES[0], 2, CLUSTER, port_mapping(8080, 80), pool=POOL),
        endpoint(here, ADDRESSES[1], 3, CLUSTER, pool=POOL + 64),
        endpoint(there, ADDRESSES[2], 2, CLUSTER, pool=POOL),
    )
    for node, network, own in zip(world.nodes, networks, (wants[:2], wants[2:]), strict=True):
        node.apply(create(network))
        attach(node, own)
    return Pods(world, networks, wants)


def inner_tcp(frame: Frame) -> bool:
    return frame.inner is not None and frame.inner.protocol == 6


@pytest.mark.known("client code", FLANNEL)
def test_between_nodes_it_is_vxlan_to_the_peers_router(pods: Pods) -> None:
    with pods.far.tcp_server() as server, pods.world.wire.capture("wire") as wire:
        outcome = pods.first.tcp(ADDRESSES[2], server.port)
        assert outcome.seen is not None
        assert outcome.seen[0] == ADDRESSES[0]
        wire.wait_for(lambda frame: inner_tcp(frame) and frame.source == NODES[1])
        frames = wire.frames(inner_tcp)
        assert not wire.frames(lambda frame: frame.protocol == 6)
    outer = {(f.source_mac, f.destination_mac, f.source, f.destination, f.destination_port, f.vni) for f in frames}
    assert outer == {
        (HOST_MACS[0], HOST_MACS[1], NODES[0], NODES[1], 4789, 4097),
        (HOST_MACS[1], HOST_MACS[0], NODES[1], NODES[0], 4789, 4097),
    }
    inner = {(f.inner.source, f.inner.destination_mac) for f in frames if f.inner is not None}
    assert inner == {(ADDRESSES[0], dr_mac(2)), (ADDRESSES[2], dr_mac(1))}


@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_of_one_node_are_bridged(pods: Pods) -> None:
    with pods.second.tcp_server() as server, pods.world.wire.capture("wire") as wire:
        outcome = pods.first.tcp(ADDRESSES[1], server.port)
        assert outcome.seen is not None
        assert outcome.seen[0] == ADDRESSES[0]
        assert not wire.frames(inner_tcp)


@pytest.mark.known("documentation", DOCS)
def test_ping_within_the_network_and_not_beyond(pods: Pods) -> None:
    assert pods.first.ping(ADDRESSES[1]).ok
    assert pods.first.ping(ADDRESSES[2]).ok
    with pods.world.wire.capture("wire") as wire:
        assert not pods.first.ping(OUTSIDE, SHORT).ok
        echo = wire.wait_for(lambda frame: frame.icmp_type == 8)
    assert (echo.source, echo.source_mac) == (ADDRESSES[0], HOST_MACS[0])


@pytest.mark.known("inferred", "kubernetes/kubernetes pkg/proxy/winkernel: its remote endpoints have MACs of no node")
def test_a_remote_subnet_wins_over_a_remote_endpoint(pods: Pods) -> None:
    pods.world.n1.apply(create(remote(HERE, ADDRESSES[2], "02-11-0A-01-02-0A", NODES[1])))
    with pods.far.tcp_server() as server, pods.world.wire.capture("wire") as wire:
        assert pods.first.tcp(ADDRESSES[2], server.port).ok
        seen = wire.wait_for(lambda frame: inner_tcp(frame) and frame.source == NODES[0])
    assert seen.inner is not None
    assert seen.inner.destination_mac == dr_mac(2)


@pytest.mark.known("client code", "moby/moby daemon/libnetwork/drivers/windows/overlay: one remote endpoint a peer")
def test_a_remote_endpoint_in_the_pods_own_subnet_answers_arp_and_is_reached(pods: Pods) -> None:
    address = "10.1.1.77"
    far = endpoint(THERE, ADDRESSES[2], 4)
    lent = replace(far, addresses=endpoint(HERE, address, 4).addresses)
    attach(pods.world.n2, [lent])
    stranger = remote(HERE, address, lent.mac, NODES[1])
    pods.world.n1.apply(create(stranger))
    back = remote(THERE, ADDRESSES[0], pods.wants[0].mac, NODES[0])
    pods.world.n2.apply(create(back))
    assert pods.first.ping(address).ok
    pods.world.n1.apply(remove(stranger))
    assert not pods.second.ping(address, SHORT).ok


@pytest.mark.known("inferred", "as routes do everywhere")
def test_the_longest_prefix_wins(pods: Pods) -> None:
    wide, wrong = (
        behind(THERE, NODES[1]),
        RemoteSubnet(IPv4Network("10.1.0.0/16"), 4097, IPv4Address("10.127.0.99"), "00-15-5D-00-00-99"),
    )
    pods.change_first_network(remote_subnets=(wrong, wide))
    assert pods.first.ping(ADDRESSES[2]).ok
    pods.change_first_network(remote_subnets=(wrong,))
    assert not pods.first.ping(ADDRESSES[2], SHORT).ok


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet")
def test_a_subnet_that_is_added_is_routed_and_one_that_is_removed_is_not(pods: Pods) -> None:
    more = overlay("10.1.9.0/24").subnets[0]
    plain = pods.networks[0]
    added = replace(plain, subnets=(*plain.subnets, more))
    pods.change_first_network(subnets=added.subnets)
    attach(pods.world.n1, [endpoint(replace(plain, subnets=(more,)), "10.1.9.10", 4)])
    place, node = pods.world.place(pods.world.n1, 4), pods.world.place(pods.world.n1)
    with place.tcp_server() as server, pods.second.tcp_server() as other:
        assert pods.first.tcp("10.1.9.10", server.port).ok
        assert place.tcp(ADDRESSES[1], other.port).ok
        assert node.tcp("10.1.9.10", server.port).ok
        pods.change_first_network(subnets=plain.subnets)
        assert not node.tcp("10.1.9.10", server.port, SHORT).ok


@pytest.mark.known("client code", FLANNEL + ": a route is removed and added")
def test_a_node_that_changes_its_provider_address_is_found_again(pods: Pods) -> None:
    gone = replace(behind(THERE, NODES[1]), provider_address=IPv4Address("10.127.0.99"))
    pods.change_first_network(remote_subnets=(gone,))
    assert not pods.first.ping(ADDRESSES[2], SHORT).ok
    pods.change_first_network(remote_subnets=(behind(THERE, NODES[1]),))
    assert pods.first.ping(ADDRESSES[2]).ok


@pytest.mark.known("client code", FLANNEL + ": the peer's DR MAC is needed")
def test_a_wrong_inner_mac_is_dropped(pods: Pods) -> None:
    world = pods.world
    driver = world.n2._networks[THERE.id]
    assert isinstance(driver, Overlay)
    macs = {1111: "00-15-5D-FF-FF-FF", 2222: dr_mac(2), 3333: pods.wants[2].mac, 4444: driver._segment.host_mac}
    with pods.far.capture() as capture, world.place(world.n2).capture() as host:
        for port, mac in macs.items():
            send_vxlan(world, mac, port)
        send_vxlan(world, dr_mac(2), 5555)
        capture.wait_for(lambda frame: frame.destination_port == 5555)
        got = {frame.destination_port for frame in capture.frames(lambda frame: frame.protocol == 17)}
        assert not host.frames(lambda frame: frame.destination_port in macs)
    assert got == {2222, 3333, 5555}


def send_vxlan(world: World, inner_mac: str, port: int) -> None:
    """Send a datagram for the far pod as a node would that believes in ``inner_mac``."""
    source, destination = (IPv4Address(address).packed for address in (ADDRESSES[0], ADDRESSES[2]))
    udp = struct.pack("!HHHH", 9, port, 8, 0)
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, source, destination)
    total = sum(struct.unpack("!10H", header))
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    packet = header[:10] + struct.pack("!H", checksum) + header[12:] + udp
    frame = messages.mac_bytes(inner_mac) + messages.mac_bytes(HOST_MACS[0]) + b"\x08\x00" + packet
    with world.engine.socket(world.n1.netns(), socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(struct.pack("!II", 0x08000000, 4097 << 8) + frame, (NODES[1], 4789))


@pytest.mark.known("documentation", TOPOLOGIES)
def test_two_vnis_with_the_same_addresses_do_not_meet(pods: Pods) -> None:
    other_here, other_there = (
        overlay("10.1.1.0/24", 5000, 1, host_route=False),
        overlay("10.1.2.0/24", 5000, 2, host_route=False),
    )
    world = pods.world
    twin = endpoint(other_there, ADDRESSES[2], 5)
    for node, network, peer, provider in (
        (world.n1, other_here, other_there, NODES[1]),
        (world.n2, other_there, other_here, NODES[0]),
    ):
        node.apply(create(replace(network, remote_subnets=(behind(peer, provider),))))
    attach(world.n2, [twin])
    attach(world.n1, [endpoint(other_here, ADDRESSES[0], 5)])
    with pods.far.udp_server(5555) as one, world.place(world.n2, 5).udp_server(5555) as other:
        assert pods.first.udp(ADDRESSES[2], 5555).ok
        assert one.seen()
        assert not other.seen()
        assert world.place(world.n1, 5).udp(ADDRESSES[2], 5555).ok
        assert other.seen()


@pytest.mark.known("client code", "ovn-org/ovn-kubernetes go-controller/hybrid-overlay: VxlanPort")
def test_another_vxlan_port(world: World) -> None:
    here, there = overlay("10.1.1.0/24", node=1, port=8472), overlay("10.1.2.0/24", node=2, port=8472)
    pods = lay_out(world, here, there)
    with world.wire.capture("wire", vxlan_port=8472) as wire:
        assert pods.first.ping(ADDRESSES[2]).ok
        wire.wait_for(lambda frame: frame.vni == 4097 and frame.destination_port == 8472)


@pytest.mark.known("inferred", NAT_POOLS)
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_outbound_nat_gives_the_nodes_address_and_a_port_of_the_block(pods: Pods, kind: str) -> None:
    outside = pods.world.outside
    with outside.tcp_server() if kind == "tcp" else outside.udp_server() as server:
        outcome = getattr(pods.first, kind)(OUTSIDE, server.port)
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == NODES[0]
    assert outcome.seen[1] in range(POOL, POOL + 64)


@pytest.mark.known("inferred", "flannel-io/flannel#1394: unencapsulated packets leave with the pod's address")
def test_an_excepted_destination_that_no_route_covers_leaves_bare(pods: Pods) -> None:
    with pods.world.wire.capture("wire") as wire:
        assert pods.first.tcp(NODES[1], 80, SHORT).result is Result.TIMED_OUT
        bare = wire.wait_for(lambda frame: frame.protocol == 6 and frame.destination == NODES[1])
    assert (bare.source, bare.source_mac) == (ADDRESSES[0], HOST_MACS[0])


@pytest.mark.known("client code", FLANNEL + "/device_windows.go")
def test_node_and_local_pod_meet_only_with_host_route(pods: Pods) -> None:
    node = pods.world.place(pods.world.n1)
    with pods.first.tcp_server() as at_pod, node.tcp_server() as at_node:
        assert node.tcp(ADDRESSES[0], at_pod.port).ok
        assert pods.first.tcp(NODES[0], at_node.port).ok
        pods.change_first_network(host_route=False)
        assert not node.tcp(ADDRESSES[0], at_pod.port, SHORT).ok
        assert not pods.first.tcp(NODES[0], at_node.port, SHORT).ok
        assert not pods.world.place(pods.world.n2).tcp(ADDRESSES[0], at_pod.port, SHORT).ok


@pytest.mark.known("inferred", RULE_NAMES)
def test_a_mapped_port_leads_to_the_pod_which_sees_the_client(pods: Pods) -> None:
    clients = {OUTSIDE: pods.world.outside, NODES[1]: pods.world.place(pods.world.n2)}
    with pods.first.tcp_server(80):
        for address, client in clients.items():
            outcome = client.tcp(NODES[0], 8080)
            assert outcome.seen is not None
            assert outcome.seen[0] == address


@pytest.mark.known("client code", "Azure/azure-container-networking#1863")
def test_only_local_routed_vip_opens_a_mapped_port_to_its_own_node(pods: Pods) -> None:
    node, before = pods.world.place(pods.world.n1), pods.wants[0]
    with pods.first.tcp_server(80):
        assert node.tcp(NODES[0], 8080, SHORT).result is Result.REFUSED
        after = replace(before, policies=(CLUSTER, port_mapping(8080, 80, LOCAL_ROUTED_VIP)))
        pods.world.n1.apply(modify(before, after))
        assert node.tcp(NODES[0], 8080).ok


@pytest.mark.known("published output", "Azure/AKS#2873, microsoft/SDN#517: 1450")
def test_the_largest_packet_of_a_pod_fits_in_the_wires(pods: Pods) -> None:
    mtu = next(view.mtu for view in pods.world.n1.interfaces(2))
    assert mtu == 1450
    with pods.far.capture() as capture:
        payload = bytes(mtu - 28)
        with pods.world.engine.socket(pods.first.netns, socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO: never fragment
            sender.sendto(payload, (ADDRESSES[2], 7777))
        capture.wait_for(lambda frame: frame.destination_port == 7777)


@pytest.mark.ours("what our data plane does not carry yet")
def test_ipv6_of_a_dual_stack_network_is_kept_and_not_yet_carried() -> None:
    version = {"SchemaVersion": {"Major": 2, "Minor": 0}}
    vsid = [{"Type": "VSID", "Settings": {"IsolationId": 4100}}]
    gateways = {"10.5.0.0/24": ("10.5.0.1", "0.0.0.0/0"), "fd00:1::/64": ("fd00:1::1", "::/0")}
    subnets = [
        {"IpAddressPrefix": prefix, "Policies": vsid, "Routes": [{"NextHop": hop, "DestinationPrefix": everything}]}
        for prefix, (hop, everything) in gateways.items()
    ]
    remote = [{"Type": "ProviderAddress", "Settings": {"ProviderAddress": NODES[1]}}]
    with Lab(["n1"]) as lab:
        node = lab.nodes["n1"]
        network = {**version, "Name": "dual", "Type": "Overlay", "Ipams": [{"Subnets": subnets}]}
        handle = node.hcn("HcnCreateNetwork", network).handle
        for address, mac in (("fd00:1::77", "02-11-0A-00-00-01"), ("10.5.0.77", "02-11-0A-00-00-02")):
            configured = {"IpConfigurations": [{"IpAddress": address}], "MacAddress": mac, "Policies": remote}
            node.hcn("HcnCreateEndpoint", {**version, **configured, "Flags": 1}, handle=handle)
        shown = node.hns_call("GET", "/endpoints/")
    assert {endpoint.get("IPv6Address") or endpoint["IPAddress"] for endpoint in shown} == {"fd00:1::77", "10.5.0.77"}
