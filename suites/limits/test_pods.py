"""Pods' packets: what some updates lose, translate or reset."""

from __future__ import annotations

import pytest

from suites import documents
from suites.documents import acl, policy
from suites.flows.reach import SHORT, reach
from suites.hns import HnsFailureError
from suites.limits.conftest import NetOf
from suites.services import Proxy, cluster_ip

DOCS = "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"


@pytest.mark.quirk("icmp-not-transposed")
@pytest.mark.known("documentation", DOCS)
@pytest.mark.parametrize("driver", ["L2Bridge", "Overlay"])
@pytest.mark.parametrize("release", ["ws2019", "ws2022", "ws2025"])
def test_ping_beyond_the_network_gets_no_answer_and_within_it_does(net_of: NetOf, driver: str, release: str) -> None:
    with net_of(driver, release) as net:
        n1, n2 = net.nodes
        pod, other = n1.pod(), n2.pod()
        assert pod.place.ping(other.address).ok
        assert not pod.place.ping(net.lane.outside_address, timeout=SHORT).ok
        assert reach(pod.place, net.outside, net.lane.outside_address).peers == [n1.host.address]


@pytest.mark.quirk("l2bridge-kb5005619")
@pytest.mark.known("published output", "kubernetes/website#31759")
@pytest.mark.parametrize(
    ("release", "dsr", "ok"),
    [
        ("ws2022@20348.260", True, True),
        ("ws2022@20348.261", True, False),
        ("ws2022@20348.261", False, True),
        ("ws2022", True, True),
    ],
)
def test_pods_of_two_nodes_reach_each_other(net_of: NetOf, release: str, dsr: bool, ok: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, n2 = net.nodes
        here, there = n1.pod(), n2.pod()
        for node, pod in ((n1, here), (n2, there)):
            Proxy(net, node).balance(pod, vip=cluster_ip(), dsr=dsr)
        assert reach(here.place, there.place, there.address, timeout=3.0 if ok else SHORT).ok is ok


@pytest.mark.quirk("kb5040437")
@pytest.mark.known("published output", "microsoft/Windows-Containers#516")
@pytest.mark.parametrize(
    ("release", "ok"), [("ws2022@20348.2581", True), ("ws2022@20348.2582", False), ("ws2022@20348.2966", True)]
)
def test_pods_send_and_are_reached(net_of: NetOf, release: str, ok: bool) -> None:
    with net_of("Overlay", release) as net:
        n1, n2 = net.nodes
        here, there = n1.pod(), n2.pod()
        assert reach(here.place, there.place, there.address, timeout=3.0 if ok else SHORT).ok is ok
        assert n1.host.place().ping(here.address, timeout=3.0 if ok else SHORT).ok is ok


@pytest.mark.quirk("acl-update-resets-flows")
@pytest.mark.known("published output", "projectcalico/calico#10199")
@pytest.mark.parametrize(("release", "alive"), [("ws2019", 1), ("ws2022", 0), ("ws2025", 1)])
def test_connections_outlive_a_change_of_the_pods_acls(net_of: NetOf, release: str, alive: int) -> None:
    with net_of("L2Bridge", release) as net:
        n1, _ = net.nodes
        client, server = n1.pod(), n1.pod(acl("Allow", "In", 100), acl("Allow", "Out", 100))
        echo = server.place.echo_server()
        streams = client.place.streams(server.address, echo.port)
        assert streams.alive() == 1
        n1.hns.modify("Endpoint", server.endpoint, documents.add_policies(acl("Block", "In", 90, Protocols="17")))
        assert streams.alive(timeout=3.0 if alive else SHORT) == alive
        streams.close()
        echo.stop()


@pytest.mark.quirk("outboundnat-exceptions-2019")
@pytest.mark.known("client code", "Azure/AgentBaker parts/windows: azurecnifunc.ps1")
@pytest.mark.parametrize(("release", "own"), [("ws2019", False), ("ws2022", True)])
def test_of_two_exceptions_with_one_base_address_both_count(net_of: NetOf, release: str, own: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, _ = net.nodes
        outside = net.lane.outside_address
        broad = outside.rsplit(".", 1)[0] + ".0"
        pod = n1.pod(policy("OutBoundNAT", Exceptions=[f"{broad}/32", f"{broad}/24"]), plain=True)
        with net.lane.leading(f"{pod.address}/32", n1.host):
            seen = reach(pod.place, net.outside, outside).peers
        assert seen == [pod.address if own else n1.host.address]


@pytest.mark.quirk("outboundnat-noncanonical")
@pytest.mark.known("published output", "microsoft/hcsshim#1951")
@pytest.mark.parametrize(("release", "taken"), [("ws2019", True), ("ws2022", False), ("ws2025", False)])
def test_an_exception_that_is_no_true_prefix_is_taken(net_of: NetOf, release: str, taken: bool) -> None:
    with net_of("L2Bridge", release) as net:
        wrong = policy("OutBoundNAT", Exceptions=["172.17.0.1/16"])
        if taken:
            net.nodes[0].pod(wrong)
        else:
            with pytest.raises(HnsFailureError) as failure:
                net.nodes[0].pod(wrong)
            assert failure.value.code == 0x803B000D
