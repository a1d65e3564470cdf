"""Node ports and cluster IPs: who reaches them with which updates."""

from __future__ import annotations

import itertools

import pytest

from suites import documents
from suites.flows.reach import SHORT, reach
from suites.limits.conftest import NetOf
from suites.services import Proxy, cluster_ip

PROBLEMS = "MicrosoftDocs/Virtualization-Documentation virtualization/windowscontainers/kubernetes/common-problems.md"
_FLAGS = documents.LOCAL_ROUTED | documents.EXTERNAL_VIP
_ports = itertools.count(31080)


@pytest.mark.quirk("nodeport-local-access")
@pytest.mark.known("documentation", PROBLEMS)
@pytest.mark.parametrize(
    ("release", "ok"), [("ws2019@17763.1431", False), ("ws2019@17763.1432", True), ("ws2022", True)]
)
def test_a_node_reaches_its_own_node_port(net_of: NetOf, release: str, ok: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, n2 = net.nodes
        server, port = n1.pod(), next(_ports)
        Proxy(net, n1).balance(server, port=port, flags=_FLAGS)
        own = reach(n1.host.place(), server.place, n1.host.address, port=80, through=port, timeout=SHORT)
        assert (own.ok, bool(own.peers)) == (ok, ok)
        assert reach(n2.host.place(), server.place, n1.host.address, port=80, through=port).ok


@pytest.mark.quirk("hostport-local-access")
@pytest.mark.known("published output", "Azure/azure-container-networking#1863")
@pytest.mark.parametrize(
    ("release", "ok"), [("ws2022@20348.1786", False), ("ws2022@20348.1787", True), ("ws2025", True)]
)
def test_a_node_reaches_its_own_mapped_port_by_the_flag(net_of: NetOf, release: str, ok: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, n2 = net.nodes
        port = next(_ports)
        mapping = documents.policy("PortMapping", Protocol=6, InternalPort=80, ExternalPort=port, Flags=1)
        server = n1.pod(mapping)
        own = reach(n1.host.place(), server.place, n1.host.address, port=80, through=port, timeout=SHORT)
        assert own.ok is ok
        assert reach(n2.host.place(), server.place, n1.host.address, port=80, through=port).ok


@pytest.mark.quirk("node-clusterip")
@pytest.mark.known("documentation", PROBLEMS)
@pytest.mark.parametrize(("release", "ok"), [("ws2019@17763.1", False), ("ws2019", True), ("ws2022", True)])
def test_a_node_reaches_cluster_ips(net_of: NetOf, release: str, ok: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, _ = net.nodes
        server, vip = n1.pod(), cluster_ip()
        Proxy(net, n1).balance(server, vip=vip)
        assert reach(n1.host.place(), server.place, vip, port=80, timeout=SHORT).ok is ok


@pytest.mark.quirk("overlay-nodeport-ws2022")
@pytest.mark.known("published output", "microsoft/Windows-Containers#204")
@pytest.mark.parametrize(
    ("driver", "release", "result"),
    [
        ("Overlay", "ws2022@20348.1", "timed out"),
        ("Overlay", "ws2022", "connected"),
        ("Overlay", "ws2019", "connected"),
        ("L2Bridge", "ws2022@20348.1", "connected"),
    ],
)
def test_overlays_node_ports_answer(net_of: NetOf, driver: str, release: str, result: str) -> None:
    with net_of(driver, release) as net:
        n1, _ = net.nodes
        server, port = n1.pod(), next(_ports)
        Proxy(net, n1).balance(server, port=port, flags=_FLAGS)
        timeout = SHORT if result == "timed out" else 3.0
        reached = reach(net.outside, server.place, n1.host.address, port=80, through=port, timeout=timeout)
        assert reached.result == result


@pytest.mark.quirk("overlay-nodeport-ws2022")
@pytest.mark.known("published output", "microsoft/Windows-Containers#204")
def test_overlays_node_ports_of_policy_local_answer_all_the_same(net_of: NetOf) -> None:
    with net_of("Overlay", "ws2022@20348.1") as net:
        n1, _ = net.nodes
        server, port = n1.pod(), next(_ports)
        Proxy(net, n1).balance(server, port=port, flags=_FLAGS, dsr=True)
        assert reach(net.outside, server.place, n1.host.address, port=80, through=port).ok


@pytest.mark.quirk("nodeport-needs-local-pod")
@pytest.mark.known("documentation", PROBLEMS)
@pytest.mark.parametrize(("release", "ok"), [("ws2019", False), ("ws2022", True)])
def test_a_node_port_without_a_pod_on_the_node_answers(net_of: NetOf, release: str, ok: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, n2 = net.nodes
        there, port = n2.pod(), next(_ports)
        proxy = Proxy(net, n1)
        made = proxy.balance(there, port=port, flags=_FLAGS)
        timeout = 3.0 if ok else SHORT
        assert reach(net.outside, there.place, n1.host.address, port=80, through=port, timeout=timeout).ok is ok
        here = n1.pod()
        proxy.replace(made, here, port=port, flags=_FLAGS)
        assert reach(net.outside, here.place, n1.host.address, port=80, through=port).ok
