"""Pods and nodes."""

from __future__ import annotations

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.topology import NodeNetwork

FLANNEL = "flannel-io/flannel pkg/backend/hostgw, pkg/backend/vxlan"
SDN_SUITE = "microsoft/SDN Kubernetes/windows/debug/ValidateKubernetes.Pester.tests.ps1"
NO_ROUTE = "flannel-io/flannel#1096"


@pytest.mark.flow("pod to own node")
@pytest.mark.known("client code", SDN_SUITE)
def test_a_pod_reaches_its_node(n1: NodeNetwork) -> None:
    assert reach(n1.pod().place, n1.host.place(), n1.host.address).ok


@on("L2Bridge", "L2Tunnel")
@pytest.mark.flow("pod to other node")
@pytest.mark.known("client code", FLANNEL)
def test_a_pod_reaches_another_node_with_its_own_address(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n1.pod()
    reached = reach(pod.place, n2.host.place(), n2.host.address)
    assert reached.ok
    assert reached.peers == [pod.address]


@on("NAT")
@pytest.mark.flow("pod to other node")
@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking")
def test_a_pod_behind_nat_reaches_another_node_as_its_own_node(n1: NodeNetwork, n2: NodeNetwork) -> None:
    reached = reach(n1.pod().place, n2.host.place(), n2.host.address)
    assert reached.ok
    assert reached.peers == [n1.host.address]


@on("Overlay")
@pytest.mark.flow("pod to other node (excepted: lost)")
@pytest.mark.known("inferred", "flannel-io/flannel#1394: unencapsulated packets leave with the pod's address")
def test_an_overlay_pods_packet_to_an_excepted_node_leaves_bare_and_is_lost(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n1.pod()
    reached = reach(pod.place, n2.host.place(), n2.host.address, protocol="udp", timeout=SHORT)
    assert reached.result == "timed out"
    assert reached.peers == [pod.address]


@pytest.mark.flow("node to own pod")
@pytest.mark.known("client code", SDN_SUITE)
def test_a_node_reaches_its_pod(n1: NodeNetwork) -> None:
    pod = n1.pod()
    assert reach(n1.host.place(), pod.place, pod.address).ok


@on("L2Bridge", "L2Tunnel")
@pytest.mark.flow("node to other node's pod")
@pytest.mark.known("client code", FLANNEL)
def test_a_node_reaches_another_nodes_pod(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n2.pod()
    assert reach(n1.host.place(), pod.place, pod.address).ok


@on("Overlay", "NAT")
@pytest.mark.flow("node to other node's pod (not routed)")
@pytest.mark.known("client code", NO_ROUTE)
def test_a_node_does_not_reach_another_nodes_overlay_or_nat_pod(n1: NodeNetwork, n2: NodeNetwork) -> None:
    pod = n2.pod()
    assert not reach(n1.host.place(), pod.place, pod.address, timeout=SHORT).ok


@on("Overlay")
@pytest.mark.flow("without HostRoute: pod and node apart")
@pytest.mark.known("client code", "flannel-io/flannel pkg/backend/vxlan/device_windows.go")
def test_without_host_route_a_pod_and_its_node_do_not_reach_each_other(n1: NodeNetwork) -> None:
    pod = n1.pod()
    host_route = documents.policy("HostRoute")
    n1.hns.modify("Network", n1.network, documents.add_policies(host_route, request="Remove"))
    try:
        to_node = pod.place.ping(n1.host.address, timeout=SHORT)
        to_pod = n1.host.place().ping(pod.address, timeout=SHORT)
    finally:
        n1.hns.modify("Network", n1.network, documents.add_policies(host_route))
    assert not to_node.ok
    assert not to_pod.ok
    assert pod.place.ping(n1.host.address).ok
