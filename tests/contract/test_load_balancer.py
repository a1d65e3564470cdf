"""Load balancers: both faces, front ends, backends, replacement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.releases import release
from hnsfake.service.call import Reply
from hnsfake.service.hns import HnsService
from tests.contract.service import VERSION, Bench, WatchedDataplane

HCN_TESTS = "microsoft/hcsshim hcn/hcnloadbalancer_test.go"
PROXY = "kubernetes/kubernetes pkg/proxy/winkernel"


def balancer(*endpoints: str, **more: Any) -> dict[str, Any]:
    """Return the document of hcsshim's own tests (hcn/hcnutils_test.go)."""
    return {
        "HostComputeEndpoints": list(endpoints),
        "SourceVIP": "10.0.0.1",
        "PortMappings": [{"Protocol": 6, "InternalPort": 8080, "ExternalPort": 8090}],
        "FrontendVIPs": ["1.1.1.2", "1.1.1.3"],
        "SchemaVersion": VERSION,
        **more,
    }


def backends(bench: Bench, count: int, network: str = "") -> list[str]:
    """Make endpoints; return their ids as v2 shows them."""
    network = network or bench.network("Overlay", "10.1.0.0/16")["ID"]
    return [bench.endpoint(network)["ID"] for _ in range(count)]


def error_of(reply: Reply) -> tuple[int, str]:
    """Return HRESULT and text of a refusal."""
    return reply.hresult, json.loads(reply.record or "{}")["Error"]


@pytest.mark.known("client code", HCN_TESTS)
@pytest.mark.parametrize("name", ["ws2019", "ws2022", "ws2025"])
def test_a_load_balancer_comes_back_as_it_was_sent(name: str) -> None:
    bench = Bench(name)
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint, Flags=1))
    assert made["FrontendVIPs"] == ["1.1.1.2", "1.1.1.3"]
    assert made["SourceVIP"] == "10.0.0.1"
    assert made["Flags"] == 1
    (mapping,) = made["PortMappings"]
    assert (mapping["Protocol"], mapping["InternalPort"], mapping["ExternalPort"]) == (6, 8080, 8090)
    assert bench.shown("LoadBalancer", bench.handle("LoadBalancer", made["ID"])) == made


@pytest.mark.known("client code", PROXY + "/hns.go hashEndpoints; microsoft/hcsshim hcn/hcnloadbalancer_test.go")
@pytest.mark.parametrize(("name", "case"), [("ws2019", str.upper), ("ws2022", str.upper), ("ws2025", str.lower)])
def test_backends_come_back_in_the_letter_case_that_clients_compare(name: str, case: Any) -> None:
    bench = Bench(name)
    (endpoint,) = backends(bench, 1)
    assert bench.made("LoadBalancer", balancer(endpoint))["HostComputeEndpoints"] == [case(endpoint)]


@pytest.mark.known("client code", PROXY + " deletes v1 lists at its start; their form: projectcalico/calico#8465")
def test_a_v2_load_balancer_is_a_v1_policy_list_which_v1_deletes() -> None:
    bench = Bench("ws2022")
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint, Flags=1))
    (shown,) = bench.v1("GET", "/policylists/")["Output"]
    assert shown["ID"] == made["ID"].upper()
    assert shown["References"] == [f"/endpoints/{endpoint.lower()}"]
    assert shown["Policies"] == [
        {
            "ExternalPort": 8090,
            "InternalPort": 8080,
            "IsDSR": True,
            "Protocol": 6,
            "SourceVIP": "10.0.0.1",
            "Type": "ELB",
            "VIPs": ["1.1.1.2", "1.1.1.3"],
        }
    ]
    assert bench.v1("DELETE", f"/policylists/{made['ID']}")["Success"]
    assert json.loads(bench.invoke("HcnEnumerateLoadBalancers").output or "") == []


@pytest.mark.known("client code", "moby/moby daemon/libnetwork/service_windows.go")
def test_swarms_policy_list_of_all_ports_is_a_load_balancer() -> None:
    bench = Bench("ws2019")
    (endpoint,) = backends(bench, 1)
    elb = {
        "Type": "ELB",
        "SourceVIP": "10.0.0.9",
        "VIPs": ["10.0.0.5"],
        "ILB": True,
        "InternalPort": 0,
        "ExternalPort": 0,
    }
    made = bench.v1("POST", "/policylists/", {"References": [f"/endpoints/{endpoint}"], "Policies": [elb]})["Output"]
    assert made["Policies"] == [{**elb, "Protocol": 0}]
    shown = bench.shown("LoadBalancer", bench.handle("LoadBalancer", made["ID"]))
    assert [(m["Protocol"], m["ExternalPort"], m["Flags"]) for m in shown["PortMappings"]] == [(0, 0, 1)]


@pytest.mark.known("inferred", "microsoft/SDN Kubernetes/windows/hns.psm1 sends an empty VIP for none")
def test_an_empty_vip_is_none() -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    elb = {"Type": "ELB", "VIPs": [""], "InternalPort": 80, "ExternalPort": 30080, "Protocol": 6}
    made = bench.v1("POST", "/policylists/", {"References": [f"/endpoints/{endpoint}"], "Policies": [elb]})["Output"]
    assert made["Policies"][0]["VIPs"] == []


@pytest.mark.known("published output", "kubernetes/kubernetes#139519")
def test_a_front_end_that_is_there_already_is_refused_in_windows_words() -> None:
    bench = Bench()
    first, second = backends(bench, 2)
    bench.made("LoadBalancer", balancer(first))
    code, text = error_of(bench.invoke("HcnCreateLoadBalancer", balancer(second, FrontendVIPs=["1.1.1.3"])))
    assert code == HResult.ERROR_ALREADY_EXISTS
    assert text == "Cannot create a file when that file already exists. "


@pytest.mark.known("client code", PROXY + ": one load balancer a VIP, protocol and port")
@pytest.mark.parametrize(
    "other",
    [
        {"FrontendVIPs": ["1.1.1.4"]},
        {"PortMappings": [{"Protocol": 17, "InternalPort": 8080, "ExternalPort": 8090}]},
        {"PortMappings": [{"Protocol": 6, "InternalPort": 8080, "ExternalPort": 8091}]},
    ],
    ids=["another VIP", "another protocol", "another port"],
)
def test_front_ends_that_differ_in_one_thing_live_together(other: dict[str, Any]) -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    bench.made("LoadBalancer", balancer(endpoint))
    assert bench.invoke("HcnCreateLoadBalancer", balancer(endpoint, **other)).ok


@pytest.mark.known("inferred", PROXY + " makes a node port's once a family")
def test_a_node_port_is_a_front_end_once_a_family() -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    bench.made("LoadBalancer", balancer(endpoint, FrontendVIPs=[]))
    assert bench.invoke("HcnCreateLoadBalancer", balancer(endpoint, FrontendVIPs=[], Flags=2)).ok
    again = bench.invoke("HcnCreateLoadBalancer", balancer(endpoint, FrontendVIPs=[]))
    assert again.hresult == HResult.ERROR_ALREADY_EXISTS


@pytest.mark.known("client code", PROXY + ": changes by delete and create")
def test_a_front_end_is_free_again_when_its_load_balancer_is_gone() -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint))
    assert bench.invoke("HcnDeleteLoadBalancer", id=made["ID"]).ok
    assert bench.invoke("HcnCreateLoadBalancer", balancer(endpoint)).ok


@pytest.mark.known("inferred", "kubernetes/community#8883: where a process of the host has the port")
def test_a_node_port_that_a_port_mapping_has_exists_already() -> None:
    bench = Bench()
    network = bench.network()["ID"]
    mapping = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 8090}
    endpoint = bench.endpoint(network, Policies=[{"Type": "PortMapping", "Settings": mapping}])["ID"]
    code, text = error_of(bench.invoke("HcnCreateLoadBalancer", balancer(endpoint, FrontendVIPs=[])))
    assert (code, text) == (HResult.HCN_E_PORT_ALREADY_EXISTS, "The specified port already exists. ")


@pytest.mark.known("inferred", "kubernetes/community#8883: where a process of the host has the port")
def test_a_port_mapping_on_a_load_balancers_node_port_exists_already() -> None:
    bench = Bench()
    network = bench.network()["ID"]
    (endpoint,) = backends(bench, 1, network)
    bench.made("LoadBalancer", balancer(endpoint, FrontendVIPs=[]))
    policy = {"Type": "PortMapping", "Settings": {"Protocol": 6, "InternalPort": 80, "ExternalPort": 8090}}
    document = {"SchemaVersion": VERSION, "Policies": [policy]}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=bench.handle("Network", network))
    assert reply.hresult == HResult.HCN_E_PORT_ALREADY_EXISTS


@pytest.mark.known("published output", "microsoft/hcsshim#1043")
def test_a_backend_that_is_gone_has_no_switch_port() -> None:
    bench = Bench()
    here, gone = backends(bench, 2)
    assert bench.invoke("HcnDeleteEndpoint", id=gone).ok
    code, text = error_of(bench.invoke("HcnCreateLoadBalancer", balancer(here, gone)))
    assert (code, text) == (HResult.HCN_E_PORT_NOT_FOUND, "The switch-port was not found. ")


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/debug/networkhealth.ps1 looks for such ones")
def test_an_endpoint_is_deleted_though_a_load_balancer_names_it() -> None:
    bench = Bench()
    here, gone = backends(bench, 2)
    made = bench.made("LoadBalancer", balancer(here, gone))
    assert bench.invoke("HcnDeleteEndpoint", id=gone).ok
    shown = bench.shown("LoadBalancer", bench.handle("LoadBalancer", made["ID"]))
    assert shown["HostComputeEndpoints"] == made["HostComputeEndpoints"]


@pytest.mark.known("published output", "kubernetes/kubernetes#98680")
def test_one_backend_more_than_the_release_takes_is_an_invalid_number_of_destinations() -> None:
    bench = Bench()
    old = release("ws2022@20348.288")
    bench.service = HnsService("n1", old, WatchedDataplane())
    endpoints = backends(bench, 65)
    assert bench.invoke("HcnCreateLoadBalancer", balancer(*endpoints[:64])).ok
    code, text = error_of(bench.invoke("HcnCreateLoadBalancer", balancer(*endpoints, FrontendVIPs=[])))
    assert code == HResult.E_INVALIDARG
    assert text == "The parameter is incorrect. Unable to initialize VFP LB rule: invalid number of destinations."


@pytest.mark.known("inferred", PROXY + " reads the first port of each without looking")
def test_one_without_a_port_is_never_kept() -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    assert not bench.invoke("HcnCreateLoadBalancer", balancer(endpoint, PortMappings=[])).ok


@pytest.mark.known("client code", HCN_TESTS)
def test_update_replaces_the_backends_and_keeps_the_id() -> None:
    bench = Bench("ws2025")
    first, second = backends(bench, 2)
    made = bench.made("LoadBalancer", balancer(first))
    handle = bench.handle("LoadBalancer", made["ID"])
    assert bench.invoke("HcnModifyLoadBalancer", balancer(first, second, ID=made["ID"]), handle=handle).ok
    after = bench.shown("LoadBalancer", handle)
    assert after["ID"] == made["ID"]
    # hcsshim takes the second out of this document by the endpoint's own id (hcn/hcnloadbalancer_test.go).
    left = [endpoint for endpoint in after["HostComputeEndpoints"] if endpoint != second]
    assert bench.invoke("HcnModifyLoadBalancer", {**after, "HostComputeEndpoints": left}, handle=handle).ok
    assert bench.shown("LoadBalancer", handle)["HostComputeEndpoints"] == [first]


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: a create may not")
def test_an_update_may_not_take_anothers_front_end() -> None:
    bench = Bench("ws2025")
    (endpoint,) = backends(bench, 1)
    bench.made("LoadBalancer", balancer(endpoint))
    other = bench.made("LoadBalancer", balancer(endpoint, FrontendVIPs=["1.1.1.9"]))
    handle = bench.handle("LoadBalancer", other["ID"])
    reply = bench.invoke("HcnModifyLoadBalancer", balancer(endpoint), handle=handle)
    assert reply.hresult == HResult.ERROR_ALREADY_EXISTS
    assert bench.shown("LoadBalancer", handle) == other


@pytest.mark.known("client code", PROXY + "/hns.go IsNotImplemented; microsoft/hcsshim hcn/hcnglobals.go")
@pytest.mark.parametrize("name", ["ws2019", "ws2022"])
def test_update_is_not_implemented_before_15_4(name: str) -> None:
    bench = Bench(name)
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint))
    reply = bench.invoke("HcnModifyLoadBalancer", balancer(endpoint), handle=bench.handle("LoadBalancer", made["ID"]))
    assert reply.hresult == HResult.E_NOTIMPL


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnloadbalancer.go AddEndpoint, RemoveEndpoint")
def test_one_that_was_deleted_is_made_again_under_its_id() -> None:
    bench = Bench()
    first, second = backends(bench, 2)
    made = bench.made("LoadBalancer", balancer(first))
    assert bench.invoke("HcnDeleteLoadBalancer", id=made["ID"]).ok
    document = {**made, "HostComputeEndpoints": [*made["HostComputeEndpoints"], second]}
    again = bench.made("LoadBalancer", document)
    assert again["ID"] == made["ID"]
    assert len(again["HostComputeEndpoints"]) == 2


@pytest.mark.known("client code", PROXY + "/hns.go deletes with an empty id")
@pytest.mark.parametrize(("condition", "found"), [("as shown", 1), ("upper", 1), ("", 0)])
def test_enumerate_filters_by_id_in_any_case_and_by_none_finds_nothing(condition: str, found: int) -> None:
    bench = Bench()
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint))
    wanted = {"as shown": made["ID"], "upper": made["ID"].upper(), "": ""}[condition]
    query = {"SchemaVersion": VERSION, "Filter": json.dumps({"ID": wanted})}
    assert len(json.loads(bench.invoke("HcnEnumerateLoadBalancers", query).output or "")) == found


@pytest.mark.known("inferred", "antrea-io/antrea#2301: as a namespace that is not there")
def test_one_that_is_not_there_is_an_element_not_found_in_both_faces() -> None:
    bench = Bench()
    unknown = "5f0b1190-63be-4e0c-b974-bd0f55675a42"
    assert bench.invoke("HcnOpenLoadBalancer", id=unknown).hresult == HResult.ERROR_NOT_FOUND
    assert bench.v1("DELETE", f"/policylists/{unknown}")["Error"] == "Element not found. "


@pytest.mark.known("published output", "kubernetes/kubernetes#139519")
def test_load_balancers_come_back_after_a_restart(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    bench = Bench(journal=journal)
    (endpoint,) = backends(bench, 1)
    made = bench.made("LoadBalancer", balancer(endpoint))
    bench.service.close()
    again = Bench(journal=journal)
    assert again.shown("LoadBalancer", again.handle("LoadBalancer", made["ID"])) == made
    # The front end is claimed again, too.
    assert again.invoke("HcnCreateLoadBalancer", balancer(endpoint)).hresult == HResult.ERROR_ALREADY_EXISTS


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnglobals.go SessionAffinityVersion")
def test_affinity_is_kept_where_the_release_knows_it_and_dropped_where_not() -> None:
    mapping = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 80, "DistributionType": 2}
    kept = {}
    for name in ("ws2019", "ws2022"):
        bench = Bench(name)
        (endpoint,) = backends(bench, 1)
        made = bench.made("LoadBalancer", balancer(endpoint, PortMappings=[mapping]))
        kept[name] = made["PortMappings"][0]["DistributionType"]
    assert kept == {"ws2019": 0, "ws2022": 2}
