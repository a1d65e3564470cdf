"""How connections spread over backends, and what becomes of them when backends come and go."""

from __future__ import annotations

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import reach
from suites.host import Place
from suites.services import Proxy, cluster_ip
from suites.topology import NodeNetwork, Pod, Topology

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
HCSSHIM = "microsoft/hcsshim hcn/hcnloadbalancer.go"
BY_CONNECTION, BY_SOURCE_AND_PROTOCOL, BY_SOURCE = 0, 1, 2


def _counts(client: Place, address: str, port: int, pods: list[Pod], attempts: int = 24) -> list[int]:
    """Let a client connect again and again; return how many connections each pod got."""
    servers = [pod.place.tcp_server(80) for pod in pods]
    try:
        assert all(client.tcp(address, port).ok for _ in range(attempts))
        return [len(server.seen()) for server in servers]
    finally:
        for server in servers:
            server.stop()


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", HCSSHIM)
@pytest.mark.parametrize("dsr", [False, True])
def test_connections_spread_over_backends_of_both_nodes(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, dsr: bool
) -> None:
    client, pods, vip = n1.pod(), [n1.pod(), n2.pod(), n2.pod()], cluster_ip()
    proxy.balance(*pods, vip=vip, dsr=dsr)
    counts = _counts(client.place, vip, 80, pods, attempts=40)
    assert sum(counts) == 40
    assert all(counts)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("documentation", f"{DOCS}: session affinity")
@pytest.mark.parametrize("distribution", [BY_SOURCE_AND_PROTOCOL, BY_SOURCE])
@pytest.mark.parametrize("dsr", [False, True])
def test_with_affinity_a_client_keeps_its_backend(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, dsr: bool, distribution: int
) -> None:
    client, pods, vip = n1.pod(), [n1.pod(), n2.pod()], cluster_ip()
    proxy.balance(*pods, vip=vip, dsr=dsr, affinity=distribution)
    assert sorted(_counts(client.place, vip, 80, pods, attempts=10)) == [0, 10]


@on("L2Bridge", "L2Tunnel")
@pytest.mark.known("documentation", f"{DOCS}: session affinity, policy Local")
def test_an_outside_client_keeps_its_backend_too(net: Topology, n1: NodeNetwork, proxy: Proxy) -> None:
    pods = [n1.pod(), n1.pod()]
    proxy.balance(*pods, port=31080, dsr=True, affinity=BY_SOURCE, flags=documents.EXTERNAL_VIP)
    assert sorted(_counts(net.outside, n1.host.address, 31080, pods, attempts=10)) == [0, 10]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", "a backend that was taken out gets no new connections")
@pytest.mark.parametrize("dsr", [False, True])
def test_a_backend_that_left_gets_nothing_new(n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, dsr: bool) -> None:
    client, stays, leaves, vip = n1.pod(), n1.pod(), n2.pod(), cluster_ip()
    balancer = proxy.balance(stays, leaves, vip=vip, dsr=dsr)
    proxy.replace(balancer, stays, vip=vip, dsr=dsr)
    assert _counts(client.place, vip, 80, [stays, leaves], attempts=10) == [10, 0]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", "moby/moby libnetwork/service_windows.go: protocol 0 is every port of the address")
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_load_balancer_without_ports_leads_every_port(n1: NodeNetwork, proxy: Proxy, protocol: str) -> None:
    client, server, vip = n1.pod(), n1.pod(), cluster_ip()
    made = n1.hns.call("POST", "/policylists/", documents.moby_service(server.endpoint, vip))
    n1.undo(n1.hns.call, "DELETE", f"/policylists/{made['ID']}")
    reached = reach(client.place, server.place, vip, protocol=protocol, port=8081)
    assert reached.ok
    assert reached.outcome.replied_from == (vip, 8081)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", "moby/moby libnetwork/service_windows.go: one port of both, TCP and UDP")
def test_a_port_of_protocol_0_is_one_of_tcp_and_of_udp(n1: NodeNetwork, proxy: Proxy) -> None:
    client, server, vip = n1.pod(), n1.pod(), cluster_ip()
    proxy.balance(server, vip=vip, port=53, target=5353, protocol=0)
    for protocol in ("tcp", "udp"):
        assert reach(client.place, server.place, vip, protocol=protocol, port=5353, through=53).ok


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", "endpoints go with their pods; kube-proxy takes them out of services afterwards")
def test_the_other_backends_go_on_when_the_endpoint_of_one_is_deleted(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy
) -> None:
    client, stays, vip = n1.pod(), n1.pod(), cluster_ip()
    gone = proxy.backend(n2.pod())
    proxy.balance(stays, gone, vip=vip)
    n1.hns.delete("Endpoint", gone)
    assert _counts(client.place, vip, 80, [stays], attempts=10) == [10]
