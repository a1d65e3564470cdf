"""NodePort and external addresses: the outside, other nodes and the node itself."""

from __future__ import annotations

import itertools

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.host import capturing, wait_for
from suites.services import Proxy
from suites.topology import NodeNetwork, Topology

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
WINKERNEL = "kubernetes/kubernetes pkg/proxy/winkernel/proxier.go"
LOCAL_ROUTED_VIP = "Azure/azure-container-networking#1863"
_FLAGS = documents.LOCAL_ROUTED | documents.EXTERNAL_VIP
_ports = itertools.count(30080)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("documentation", DOCS)
@pytest.mark.parametrize("where", ["here", "there"])
def test_policy_cluster_hides_the_client(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, where: str
) -> None:
    server, port = (n1 if where == "here" else n2).pod(), next(_ports)
    proxy.balance(server, port=port, flags=_FLAGS)
    for client in (net.outside, n2.host.place()):
        reached = reach(client, server.place, n1.host.address, port=80, through=port)
        assert reached.ok
        assert reached.peers == [proxy.source_vip]
        assert reached.outcome.replied_from == (n1.host.address, port)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("documentation", DOCS)
def test_policy_local_shows_the_client(net: Topology, n1: NodeNetwork, proxy: Proxy) -> None:
    server, port = n1.pod(), next(_ports)
    proxy.balance(server, port=port, flags=_FLAGS, dsr=True)
    reached = reach(net.outside, server.place, n1.host.address, port=80, through=port)
    assert reached.ok
    assert reached.peers == [net.lane.outside_address]
    assert reached.outcome.replied_from == (n1.host.address, port)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", f"{WINKERNEL}: backends of policy Local are this node's; the others get nothing")
def test_policy_local_gives_pods_of_other_nodes_nothing(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy
) -> None:
    here, there, port = n1.pod(), n2.pod(), next(_ports)
    proxy.balance(here, there, port=port, flags=_FLAGS, dsr=True)
    for _ in range(6):
        assert reach(net.outside, here.place, n1.host.address, port=80, through=port).ok


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", LOCAL_ROUTED_VIP)
@pytest.mark.parametrize("flags", [documents.EXTERNAL_VIP, _FLAGS])
def test_the_node_itself_reaches_its_node_port_only_with_local_routed_vip(
    n1: NodeNetwork, proxy: Proxy, flags: int
) -> None:
    server, port = n1.pod(), next(_ports)
    proxy.balance(server, port=port, flags=flags)
    local = bool(flags & documents.LOCAL_ROUTED)
    reached = reach(
        n1.host.place(), server.place, n1.host.address, port=80, through=port, timeout=3 if local else SHORT
    )
    assert reached.ok is local


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", f"{WINKERNEL}: an ingress address is a VIP that the fabric leads to the node")
@pytest.mark.parametrize("dsr", [False, True])
def test_an_ingress_address_is_reached_from_outside(net: Topology, n1: NodeNetwork, proxy: Proxy, dsr: bool) -> None:
    vip, server = "198.51.100.10", n1.pod()
    proxy.balance(server, vip=vip, port=80, target=8080, flags=documents.EXTERNAL_VIP, dsr=dsr)
    with net.lane.leading(f"{vip}/32", n1.host):
        reached = reach(net.outside, server.place, vip, port=8080, through=80)
    assert reached.ok
    assert reached.peers == [net.lane.outside_address if dsr else proxy.source_vip]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("documentation", f"{DOCS}: preserve-destination skips the translation of the destination")
def test_a_preserved_destination_arrives_as_it_was(net: Topology, n1: NodeNetwork, proxy: Proxy) -> None:
    vip, server = "198.51.100.11", n1.pod()
    flags = documents.EXTERNAL_VIP | documents.PRESERVE_DESTINATION
    proxy.balance(server, vip=vip, port=80, flags=flags, dsr=True)
    with net.lane.leading(f"{vip}/32", n1.host), capturing(server.place.capture()) as capture:
        net.outside.udp(vip, 80, SHORT)
        net.outside.tcp(vip, 80, SHORT)
        frame = wait_for(capture, lambda f: f.destination_port == 80 and f.protocol == 6)
    assert (frame.source, frame.destination) == (net.lane.outside_address, vip)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", "moby/moby libnetwork/service_windows.go: ILB for what is reached from inside")
def test_an_internal_front_end_is_not_for_the_outside(net: Topology, n1: NodeNetwork, proxy: Proxy) -> None:
    server, client, vip = n1.pod(), n1.pod(), "198.51.100.12"
    proxy.balance(server, vip=vip, port=80, flags=documents.INTERNAL, dsr=True)
    assert reach(client.place, server.place, vip, port=80).ok
    with net.lane.leading(f"{vip}/32", n1.host):
        assert not reach(net.outside, server.place, vip, port=80, timeout=SHORT).ok
