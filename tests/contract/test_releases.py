"""Each release answers as its HNS does."""

from __future__ import annotations

import pytest

from hnsfake import Lab
from hnsfake.lab import LabError, NodeConfig
from hnsfake.releases import RELEASES, Feature, UnknownReleaseError, release, supports
from tests.contract.service import Bench

LABS = "what a lab can be made of"


@pytest.mark.known("published output", "rancher/rke2#3925")
@pytest.mark.parametrize("name", sorted(RELEASES))
def test_the_version_is_the_same_in_globals_and_in_objects(name: str) -> None:
    bench = Bench(name)
    version = bench.v1("GET", "/globals/version")["Output"]
    bench.network()
    (shown,) = bench.v1("GET", "/networks/")["Output"]
    assert shown["Version"] == version["Major"] << 32 | version["Minor"]


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnglobals.go")
@pytest.mark.parametrize(
    ("version", "feature", "has"),
    [
        ((9, 2), Feature.DSR, False),
        ((9, 3), Feature.DSR, True),
        ((10, 1), Feature.DSR, False),
        ((10, 2), Feature.DSR, True),
        ((13, 3), Feature.SET_POLICY, True),
        ((13, 3), Feature.TIER_ACL, False),
        ((15, 4), Feature.MODIFY_LOAD_BALANCER, True),
    ],
)
def test_features_follow_the_ranges_that_clients_go_by(version: tuple[int, int], feature: Feature, has: bool) -> None:
    assert supports(version, feature) is has


@pytest.mark.known("published output", "projectcalico/calico#4682, MicrosoftDocs/Virtualization-Documentation#435")
def test_2019_writes_v1_in_alphabetical_order_with_upper_case_ids() -> None:
    bench = Bench("ws2019")
    bench.endpoint(bench.network()["ID"])
    for path in ("/networks/", "/endpoints/"):
        envelope = bench.v1("GET", path)
        (shown,) = envelope["Output"]
        assert list(envelope) == ["Output", "Success"]
        assert list(shown) == sorted(shown)
        assert shown["ID"] == shown["ID"].upper()


@pytest.mark.known("published output", "rancher/rke2#3925")
def test_2022_puts_version_and_resources_last_and_endpoint_ids_in_lower_case() -> None:
    bench = Bench("ws2022")
    bench.endpoint(bench.network()["ID"])
    (network,) = bench.v1("GET", "/networks/")["Output"]
    (endpoint,) = bench.v1("GET", "/endpoints/")["Output"]
    assert list(network)[-2:] == ["Version", "Resources"]
    assert list(endpoint)[:3] == ["ID", "Name", "Version"]
    assert endpoint["ID"] == endpoint["ID"].lower()
    assert network["ID"] == network["ID"].upper()


@pytest.mark.known("published output", "microsoft/Windows-Containers#210: VLAN 1 on Windows Server 2022")
def test_nat_has_a_vlan_of_its_own_since_2022() -> None:
    for name, policies in (("ws2019", []), ("ws2022", [{"Type": "VLAN", "VLAN": 1}])):
        bench = Bench(name)
        bench.network()
        (shown,) = bench.v1("GET", "/networks/")["Output"]
        assert shown["Policies"] == policies


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnglobals.go; golang.org/x/sys HCN_E_INVALID_POLICY_TYPE")
def test_vxlan_port_is_refused_where_hns_is_too_old() -> None:
    policies = [{"Type": "VxlanPort", "Settings": {"Port": 4799}}]
    assert Bench("ws2022").network("Overlay", Policies=policies)
    with pytest.raises(AssertionError, match="Invalid policy type"):
        Bench("ws2019").network("Overlay", Policies=policies)


@pytest.mark.ours(LABS)
def test_a_release_is_known_by_its_year_too() -> None:
    assert release("2025") is release("ws2025")
    with pytest.raises(UnknownReleaseError, match="ws2019, ws2022, ws2025"):
        release("ws2003")


@pytest.mark.ours(LABS)
def test_a_lab_of_several_releases_works_without_a_data_plane() -> None:
    nodes: list[str | NodeConfig] = [NodeConfig("old", "ws2019"), "new"]
    with Lab(nodes, release="ws2025", dataplane="none") as lab:
        versions = {name: node.hns_call("GET", "/globals/version")["Major"] for name, node in lab.nodes.items()}
    assert versions == {"old": 9, "new": 15}


@pytest.mark.ours(LABS)
@pytest.mark.parametrize("nodes", [[], ["a", "a"], ["a b"], [""]])
def test_nodes_that_make_no_lab_are_refused(nodes: list[str]) -> None:
    with pytest.raises(LabError):
        Lab(nodes, dataplane="none")
