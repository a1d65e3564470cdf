"""Pods and the world beyond the router."""

from __future__ import annotations

import pytest

from suites import documents
from suites.drivers import on
from suites.host import wait_for
from suites.topology import NodeNetwork, Topology

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
LOCAL_ROUTED_VIP = "Azure/azure-container-networking#1863"


@pytest.mark.flow("pod to outside, TCP")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_tcp_to_the_outside_comes_from_the_node(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    listening = net.outside.tcp_server()
    outcome = pod.place.tcp(net.lane.outside_address, listening.port)
    listening.stop()
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == n1.host.address


@pytest.mark.flow("pod to outside, UDP")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_udp_to_the_outside_comes_from_the_node(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    listening = net.outside.udp_server()
    outcome = pod.place.udp(net.lane.outside_address, listening.port)
    listening.stop()
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == n1.host.address


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, ICMP (no answer)")
@pytest.mark.known("documentation", DOCS)
def test_icmp_to_the_outside_leaves_untranslated_and_gets_no_answer(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    wire = net.lane.wire()
    outcome = pod.place.ping(net.lane.outside_address, timeout=0.6)
    request = wait_for(wire, lambda f: f.destination == net.lane.outside_address and f.icmp_type == 8)
    wire.stop()
    assert outcome.result == "timed out"
    assert request.source == pod.address
    assert request.source_mac == n1.host.mac


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, no OutBoundNAT (own address)")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_without_outbound_nat_a_pod_keeps_its_address_and_gets_no_answer(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod(plain=True)
    listening = net.outside.udp_server()
    outcome = pod.place.udp(net.lane.outside_address, listening.port, timeout=0.6)
    seen = listening.seen()
    listening.stop()
    assert outcome.result == "timed out"
    assert {peer[0] for peer in seen} == {pod.address}


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, excepted (own address)")
@pytest.mark.known("client code", "kubernetes-sigs/sig-windows-tools#141")
def test_an_excepted_destination_sees_the_pods_address(net: Topology, n1: NodeNetwork) -> None:
    exceptions = [f"{net.lane.outside_address}/32"]
    pod = n1.pod(documents.policy("OutBoundNAT", Exceptions=exceptions), plain=True)
    listening = net.outside.udp_server()
    outcome = pod.place.udp(net.lane.outside_address, listening.port, timeout=0.6)
    seen = listening.seen()
    listening.stop()
    assert outcome.result == "timed out"
    assert {peer[0] for peer in seen} == {pod.address}


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, only named destinations translated")
@pytest.mark.known("client code", "Azure/azure-container-networking network/policy/policy_windows.go")
def test_destinations_are_the_only_ones_translated(net: Topology, n1: NodeNetwork) -> None:
    destinations = [f"{net.lane.outside_address}/32"]
    pod = n1.pod(documents.policy("OutBoundNAT", Destinations=destinations), plain=True)
    listening = net.outside.tcp_server()
    outcome = pod.place.tcp(net.lane.outside_address, listening.port)
    listening.stop()
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == n1.host.address


def _mapping(external: int, flags: int = 0) -> documents.Document:
    return documents.policy("PortMapping", Protocol=6, InternalPort=80, ExternalPort=external, VIP="", Flags=flags)


@pytest.mark.flow("outside to pod, port mapping")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_a_mapped_port_answers_to_the_outside(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18080))
    listening = pod.place.tcp_server(80)
    outcome = net.outside.tcp(n1.host.address, 18080)
    listening.stop()
    assert outcome.ok
    assert outcome.seen is not None
    assert outcome.seen[0] == net.lane.outside_address


@pytest.mark.flow("other node to pod, port mapping")
@pytest.mark.known("client code", LOCAL_ROUTED_VIP)
def test_a_mapped_port_answers_to_another_node(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18081))
    listening = pod.place.tcp_server(80)
    outcome = n2.host.place().tcp(n1.host.address, 18081)
    listening.stop()
    assert outcome.ok


@on("L2Bridge", "Overlay")
@pytest.mark.flow("own node to pod, port mapping (LocalRoutedVip only)")
@pytest.mark.known("client code", LOCAL_ROUTED_VIP)
def test_the_node_itself_reaches_a_mapped_port_only_with_local_routed_vip(n1: NodeNetwork) -> None:
    plain, local = n1.pod(_mapping(18082)), n1.pod(_mapping(18083, flags=1))
    servers = [pod.place.tcp_server(80) for pod in (plain, local)]
    node = n1.host.place()
    without = node.tcp(n1.host.address, 18082, timeout=0.5)
    with_flag = node.tcp(n1.host.address, 18083)
    for server in servers:
        server.stop()
    assert not without.ok
    assert with_flag.ok


@on("NAT")
@pytest.mark.flow("own node to pod, port mapping")
@pytest.mark.known("client code", "docker/for-win#458, docker/docs#8353: since Windows Server 2019")
def test_the_node_itself_reaches_a_port_published_by_nat(n1: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18084))
    listening = pod.place.tcp_server(80)
    outcome = n1.host.place().tcp(n1.host.address, 18084)
    listening.stop()
    assert outcome.ok


@on("NAT")
@pytest.mark.flow("pod to outside, ICMP (WinNAT)")
@pytest.mark.known("documentation", "Set-NetNat: IcmpQueryTimeout, WinNAT keeps ICMP query sessions")
def test_icmp_to_the_outside_is_translated_by_winnat(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    wire = net.lane.wire()
    outcome = pod.place.ping(net.lane.outside_address)
    request = wait_for(wire, lambda f: f.destination == net.lane.outside_address and f.icmp_type == 8)
    wire.stop()
    assert outcome.ok
    assert request.source == n1.host.address
