"""ClusterIP: a pod and the address of a service."""

from __future__ import annotations

import pytest

from suites import documents
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.host import capturing, wait_for
from suites.services import Proxy, cluster_ip
from suites.topology import SERVICES, NodeNetwork, Topology

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
WINKERNEL = "kubernetes/kubernetes pkg/proxy/winkernel/proxier.go"
HIDDEN = "projectcalico/calico#4078"
LOOPBACK = "projectcalico/calico#5522, Azure/AKS#2608"


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", HIDDEN)
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
@pytest.mark.parametrize("where", ["here", "there", "itself"])
def test_without_dsr_the_backend_sees_the_source_vip(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, where: str, protocol: str
) -> None:
    client = n1.pod()
    server = {"here": n1.pod, "there": n2.pod, "itself": lambda: client}[where]()
    vip = cluster_ip()
    proxy.balance(server, vip=vip, port=8080, protocol=6 if protocol == "tcp" else 17)
    reached = reach(client.place, server.place, vip, protocol=protocol, port=80, through=8080)
    assert reached.ok
    assert reached.peers == [proxy.source_vip]
    assert reached.outcome.replied_from == (vip, 8080)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("documentation", DOCS)
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
@pytest.mark.parametrize("where", ["here", "there"])
def test_with_dsr_the_backend_sees_the_client(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, where: str, protocol: str
) -> None:
    client = n1.pod()
    server = (n1 if where == "here" else n2).pod()
    vip = cluster_ip()
    proxy.balance(server, vip=vip, port=8080, protocol=6 if protocol == "tcp" else 17, dsr=True)
    reached = reach(client.place, server.place, vip, protocol=protocol, port=80, through=8080)
    assert reached.ok
    assert reached.peers == [client.address]
    assert reached.outcome.replied_from == (vip, 8080)


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", LOOPBACK)
def test_with_dsr_a_pod_that_is_its_own_backend_gets_no_answer(n1: NodeNetwork, proxy: Proxy) -> None:
    pod, vip = n1.pod(), cluster_ip()
    proxy.balance(pod, vip=vip, dsr=True)
    assert reach(pod.place, pod.place, vip, port=80, timeout=SHORT).result == "timed out"


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", f"{LOOPBACK}: the policy helps; which source the pod sees is not published")
def test_with_dsr_a_loopback_policy_lets_a_pod_reach_itself(n1: NodeNetwork, proxy: Proxy) -> None:
    address, vip = n1.address(), cluster_ip()
    loopback = documents.policy("OutBoundNAT", Destinations=[f"{address}/32"])
    pod = n1.pod(loopback, address=address)
    proxy.balance(pod, vip=vip, dsr=True)
    reached = reach(pod.place, pod.place, vip, port=80)
    assert reached.ok
    assert reached.peers == [n1.host.address]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("client code", f"{WINKERNEL}: the node's address if a backend is a node's")
@pytest.mark.parametrize("dsr", [False, True])
def test_a_pod_reaches_a_process_of_a_node_through_a_service(
    n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy, dsr: bool
) -> None:
    # Nodes are no exception here: on Overlay what they answer to a pod's address is lost (flannel-io/flannel#1394).
    pod = n1.pod(documents.policy("OutBoundNAT", Exceptions=[n1.prefix, n2.prefix, SERVICES]), plain=True)
    vip = cluster_ip()
    proxy.balance(
        proxy.node_backend(n2.host.address), vip=vip, port=443, target=6443, source_vip=n1.host.address, dsr=dsr
    )
    node = n2.host.place()
    assert reach(pod.place, node, vip, port=6443, through=443).ok


@on("L2Bridge", "L2Tunnel")
@pytest.mark.known("documentation", DOCS)
def test_on_l2bridge_no_dsr_goes_by_the_node_and_dsr_past_it(
    net: Topology, n1: NodeNetwork, n2: NodeNetwork, proxy: Proxy
) -> None:
    client, server = n1.pod(), n2.pod()
    for dsr, source in ((False, n1.host.address), (True, client.address)):
        vip = cluster_ip()
        proxy.balance(server, vip=vip, dsr=dsr)
        with capturing(net.lane.wire()) as wire:
            assert reach(client.place, server.place, vip, port=80).ok
            answer = wait_for(wire, lambda f: f.source == server.address and f.source_port == 80)
        assert answer.destination == source
        assert not [frame for frame in wire.frames() if vip in (frame.source, frame.destination)]


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", f"{DOCS}: VFP translates TCP and UDP alone")
def test_icmp_to_a_cluster_ip_is_not_balanced(n1: NodeNetwork, proxy: Proxy) -> None:
    client, server, vip = n1.pod(), n1.pod(), cluster_ip()
    proxy.balance(server, vip=vip)
    assert not client.place.ping(vip, timeout=SHORT).ok


@on("L2Bridge", "L2Tunnel", "Overlay")
@pytest.mark.known("inferred", "a service has no address when its load balancer is gone")
@pytest.mark.parametrize("dsr", [False, True])
def test_a_deleted_load_balancer_balances_no_more(n1: NodeNetwork, proxy: Proxy, dsr: bool) -> None:
    client, server, vip = n1.pod(), n1.pod(), cluster_ip()
    balancer = proxy.balance(server, vip=vip, dsr=dsr)
    assert reach(client.place, server.place, vip, port=80).ok
    proxy.remove(balancer)
    assert not reach(client.place, server.place, vip, port=80, timeout=SHORT).ok
