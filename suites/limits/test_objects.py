"""Objects: what some updates refuse or lose."""

from __future__ import annotations

import pytest

from suites import documents
from suites.hns import Hns, HnsFailureError
from suites.limits.conftest import NetOf, NodesOf
from suites.services import Proxy, cluster_ip


@pytest.mark.quirk("lb-backends-64")
@pytest.mark.known("published output", "kubernetes/kubernetes#98680")
@pytest.mark.parametrize(
    ("release", "taken"),
    [("ws2022@20348.288", False), ("ws2019@17763.1432", False), ("ws2022", True), ("ws2019", True)],
)
def test_a_load_balancer_takes_65_backends(net_of: NetOf, release: str, taken: bool) -> None:
    with net_of("L2Bridge", release) as net:
        n1, _ = net.nodes
        proxy = Proxy(net, n1)
        pods = [proxy.node_backend(n1.address()) for _ in range(65)]
        if taken:
            proxy.balance(*pods, vip=cluster_ip())
        else:
            with pytest.raises(HnsFailureError) as failure:
                proxy.balance(*pods, vip=cluster_ip())
            assert failure.value.code == 0x80070057


@pytest.mark.quirk("dsr-2019-gate")
@pytest.mark.known("documentation", "kubernetes/enhancements 5100; microsoft/hcsshim hcn/hcnglobals.go")
@pytest.mark.parametrize(
    ("release", "version"), [("ws2019@17763.1216", (9, 2)), ("ws2019", (9, 5)), ("ws2022", (13, 3))]
)
def test_clients_find_dsr_by_the_version_of_hns(nodes_of: NodesOf, release: str, version: tuple[int, int]) -> None:
    found = Hns(nodes_of(release).hosts[0]).call("GET", "/globals/version")
    assert (found["Major"], found["Minor"]) == version


@pytest.mark.quirk("hns-crash-purges-lb")
@pytest.mark.known("published output", "kubernetes/kubernetes#110849")
@pytest.mark.parametrize(("release", "left"), [("ws2019", 0), ("ws2022", 0), ("ws2025", 1)])
def test_load_balancers_outlive_a_crash_of_hns(net_of: NetOf, release: str, left: int) -> None:
    with net_of("L2Bridge", release) as net:
        n1, _ = net.nodes
        document = documents.load_balancer([n1.pod().endpoint], cluster_ip(), 80)
        balancer = n1.hns.create("LoadBalancer", document)
        n1.host.crash()
        there = balancer in n1.hns.enumerate("LoadBalancer")
        assert there is bool(left)
        if there:
            n1.hns.delete("LoadBalancer", balancer)
        assert n1.network.lower() in [one.lower() for one in n1.hns.enumerate("Network")]
