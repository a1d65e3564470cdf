"""Pods and the world beyond the router."""

from __future__ import annotations

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import SHORT, Reached, reach
from suites.host import capturing, wait_for
from suites.topology import NodeNetwork, Pod, Topology

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.md"
LOCAL_ROUTED_VIP = "Azure/azure-container-networking#1863"


def _seen_outside(net: Topology, pod: Pod, protocol: str, timeout: float = 3.0) -> Reached:
    return reach(pod.place, net.outside, net.lane.outside_address, protocol=protocol, timeout=timeout)


@pytest.mark.flow("pod to outside, TCP")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_tcp_to_the_outside_comes_from_the_node(net: Topology, n1: NodeNetwork) -> None:
    reached = _seen_outside(net, n1.pod(), "tcp")
    assert reached.ok
    assert reached.peers == [n1.host.address]


@pytest.mark.flow("pod to outside, UDP")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_udp_to_the_outside_comes_from_the_node(net: Topology, n1: NodeNetwork) -> None:
    reached = _seen_outside(net, n1.pod(), "udp")
    assert reached.ok
    assert reached.peers == [n1.host.address]


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, ICMP (no answer)")
@pytest.mark.known("documentation", DOCS)
def test_icmp_to_the_outside_leaves_untranslated_and_gets_no_answer(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    with capturing(net.lane.wire()) as wire:
        outcome = pod.place.ping(net.lane.outside_address, timeout=SHORT)
        request = wait_for(wire, lambda f: f.destination == net.lane.outside_address and f.icmp_type == 8)
    assert outcome.result == "timed out"
    assert request.source == pod.address
    assert request.source_mac == n1.host.mac


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, no OutBoundNAT (own address)")
@pytest.mark.known("documentation", TOPOLOGIES)
def test_without_outbound_nat_a_pod_keeps_its_address_and_gets_no_answer(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod(plain=True)
    reached = _seen_outside(net, pod, "udp", SHORT)
    assert reached.result == "timed out"
    assert reached.peers == [pod.address]


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, excepted (own address)")
@pytest.mark.known("client code", "kubernetes-sigs/sig-windows-tools#141")
def test_an_excepted_destination_sees_the_pods_address(net: Topology, n1: NodeNetwork) -> None:
    exceptions = [f"{net.lane.outside_address}/32"]
    pod = n1.pod(documents.policy("OutBoundNAT", Exceptions=exceptions), plain=True)
    reached = _seen_outside(net, pod, "udp", SHORT)
    assert reached.result == "timed out"
    assert reached.peers == [pod.address]


@on("L2Bridge", "Overlay")
@pytest.mark.flow("pod to outside, only named destinations translated")
@pytest.mark.known("client code", "Azure/azure-container-networking network/policy/policy_windows.go")
@pytest.mark.parametrize("named", [True, False])
def test_destinations_are_the_only_ones_translated(net: Topology, n1: NodeNetwork, named: bool) -> None:
    destination = f"{net.lane.outside_address}/32" if named else "198.51.100.1/32"
    pod = n1.pod(documents.policy("OutBoundNAT", Destinations=[destination]), plain=True)
    reached = _seen_outside(net, pod, "udp", SHORT)
    assert reached.ok is named
    assert reached.peers == [n1.host.address if named else pod.address]


def _mapping(external: int, flags: int = 0) -> documents.Document:
    return documents.policy("PortMapping", Protocol=6, InternalPort=80, ExternalPort=external, VIP="", Flags=flags)


@pytest.mark.flow("outside to pod, port mapping")
@pytest.mark.known("inferred", TOPOLOGIES + ": it answers; whom the pod sees is not published")
def test_a_mapped_port_answers_to_the_outside(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18080))
    reached = reach(net.outside, pod.place, n1.host.address, port=80, through=18080)
    assert reached.ok
    assert reached.peers == [net.lane.outside_address]


@pytest.mark.flow("other node to pod, port mapping")
@pytest.mark.known("client code", LOCAL_ROUTED_VIP)
def test_a_mapped_port_answers_to_another_node(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18081))
    assert reach(n2.host.place(), pod.place, n1.host.address, port=80, through=18081).ok


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.flow("own node to pod, port mapping (LocalRoutedVip only)")
@pytest.mark.known("client code", LOCAL_ROUTED_VIP)
def test_the_node_itself_reaches_a_mapped_port_only_with_local_routed_vip(n1: NodeNetwork) -> None:
    plain, local = n1.pod(_mapping(18082)), n1.pod(_mapping(18083, flags=1))
    node, address = n1.host.place(), n1.host.address
    assert not reach(node, plain.place, address, port=80, through=18082, timeout=SHORT).ok
    assert reach(node, local.place, address, port=80, through=18083).ok


@on("NAT")
@pytest.mark.flow("own node to pod, port mapping")
@pytest.mark.known("client code", "docker/for-win#458, docker/docs#8353: since Windows Server 2019")
def test_the_node_itself_reaches_a_port_published_by_nat(n1: NodeNetwork) -> None:
    pod = n1.pod(_mapping(18084))
    assert reach(n1.host.place(), pod.place, n1.host.address, port=80, through=18084).ok


@on("NAT")
@pytest.mark.flow("pod to outside, ICMP (WinNAT)")
@pytest.mark.known("documentation", "Set-NetNat: IcmpQueryTimeout, WinNAT keeps ICMP query sessions")
def test_icmp_to_the_outside_is_translated_by_winnat(net: Topology, n1: NodeNetwork) -> None:
    pod = n1.pod()
    with capturing(net.lane.wire()) as wire:
        outcome = pod.place.ping(net.lane.outside_address)
        request = wait_for(wire, lambda f: f.destination == net.lane.outside_address and f.icmp_type == 8)
    assert outcome.ok
    assert request.source == n1.host.address
