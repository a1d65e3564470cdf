"""NAT networks with real packets: WinNAT behind the host's vNIC."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address

import pytest

from hnsfake.dataplane.interface import Driver, EndpointWant
from hnsfake.workload import Result

from .policies import port_mapping
from .world import NODES, OUTSIDE, World, attach, create, endpoint, isolated, modify, nat, remove

TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"

NETWORK = nat("172.20.1.0/24")
SHORT = 0.6
ADDRESSES = ("172.20.1.10", "172.20.1.11")


@pytest.fixture
def pods(world: World) -> tuple[EndpointWant, EndpointWant]:
    wants = (
        endpoint(NETWORK, ADDRESSES[0], 2, port_mapping(8080, 80)),
        endpoint(NETWORK, ADDRESSES[1], 3),
    )
    world.n1.apply(create(NETWORK))
    attach(world.n1, wants)
    return wants


@pytest.mark.known("documentation", TOPOLOGIES)
def test_the_hosts_vnic_is_the_gateway(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    views = {view.alias: [str(a) for a in view.addresses] for view in world.n1.interfaces()}
    assert views == {"Ethernet": [f"{NODES[0]}/24"], "vEthernet (nat)": ["172.20.1.1/24"]}
    assert world.place(world.n1, 2).ping("172.20.1.1").ok


@pytest.mark.known("documentation", TOPOLOGIES)
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_what_leaves_has_the_nodes_address(world: World, pods: tuple[EndpointWant, EndpointWant], kind: str) -> None:
    with world.outside.tcp_server() if kind == "tcp" else world.outside.udp_server() as server:
        outcome = getattr(world.place(world.n1, 2), kind)(OUTSIDE, server.port)
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == NODES[0]


@pytest.mark.known("inferred", "microsoft/WSL#6457: GatewayMac, NatName")
def test_ics_is_nat_whose_gateway_has_the_mac_it_shows(world: World) -> None:
    network = replace(isolated(Driver.ICS, "172.22.1.0/24"), gateway_mac="00-15-5D-0A-0B-0C")
    world.n1.apply(create(network))
    attach(world.n1, [endpoint(network, "172.22.1.10", 2)])
    (view,) = (view for view in world.n1.interfaces() if view.alias == "vEthernet (ics)")
    assert (view.mac, [str(a) for a in view.addresses]) == ("00-15-5D-0A-0B-0C", ["172.22.1.1/24"])
    with world.outside.tcp_server() as server:
        outcome = world.place(world.n1, 2).tcp(OUTSIDE, server.port)
    assert outcome.seen is not None
    assert outcome.seen[0] == NODES[0]


@pytest.mark.known("documentation", TOPOLOGIES)
def test_pods_of_one_network_are_bridged(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    with world.place(world.n1, 3).tcp_server() as server:
        outcome = world.place(world.n1, 2).tcp(ADDRESSES[1], server.port)
    assert outcome.seen is not None
    assert outcome.seen[0] == ADDRESSES[0]


@pytest.mark.known("client code", "docker/for-win#458, docker/docs#8353: since Windows Server 2019")
def test_a_published_port_answers_outside_and_the_node(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    with world.place(world.n1, 2).tcp_server(80):
        outcome = world.outside.tcp(NODES[0], 8080)
        assert outcome.seen is not None
        assert outcome.seen[0] == OUTSIDE
        assert world.place(world.n1).tcp(NODES[0], 8080).ok
        assert world.place(world.n2).tcp(NODES[0], 8080).ok
        assert world.place(world.n1, 3).tcp(NODES[0], 8080).ok
        assert world.place(world.n1, 2).tcp(NODES[0], 8080).ok


@pytest.mark.known("inferred", "a mapping is a policy of its endpoint (microsoft/hcsshim hcn/hcnpolicy.go)")
def test_mappings_change_and_go(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    before = pods[0]
    after = replace(before, policies=(port_mapping(8081, 80),))
    with world.place(world.n1, 2).tcp_server(80):
        world.n1.apply(modify(before, after))
        assert world.outside.tcp(NODES[0], 8080, SHORT).result is Result.REFUSED
        assert world.outside.tcp(NODES[0], 8081).ok
        world.n1.apply(remove(after))
        assert world.outside.tcp(NODES[0], 8081, SHORT).result is Result.REFUSED


@pytest.mark.known("inferred", "WinNAT lets in what belongs to a session or a static mapping")
def test_what_is_not_published_is_not_reached(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    world.n2.add_route(NETWORK.subnets[0].prefix, IPv4Address(NODES[0]))
    with world.place(world.n1, 2).tcp_server(81):
        assert not world.place(world.n2).tcp(ADDRESSES[0], 81, SHORT).ok
        assert world.place(world.n1).tcp(ADDRESSES[0], 81).ok


@pytest.mark.known("client code", "moby/moby integration/networking/nat_windows_test.go")
def test_nat_networks_are_apart(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    other = nat("172.20.2.0/24", "other")
    world.n1.apply(create(other))
    attach(world.n1, [endpoint(other, "172.20.2.10", 4)])
    with world.place(world.n1, 4).tcp_server() as server:
        assert not world.place(world.n1, 2).tcp("172.20.2.10", server.port, SHORT).ok
        assert world.place(world.n1).tcp("172.20.2.10", server.port).ok


@pytest.mark.known("inferred", "the host's vNIC is its network's")
def test_the_last_network_takes_its_vnic_along(world: World, pods: tuple[EndpointWant, EndpointWant]) -> None:
    world.n1.apply(remove(*pods))
    world.n1.apply(remove(NETWORK))
    assert [view.alias for view in world.n1.interfaces()] == ["Ethernet"]
    assert world.place(world.n1).ping(OUTSIDE).ok
