"""SDN routes: both faces, and the way hcsshim changes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from tests.contract.service import VERSION, Bench

ONE_STATE = "projectcalico/calico#8465, microsoft/hcsshim internal/hns/hnspolicylist.go: policy lists"

SETTING = {"DestinationPrefix": "169.254.169.254/24", "NextHop": "127.10.0.34"}


def route(*endpoints: str, **more: Any) -> dict[str, Any]:
    """Return the document of hcsshim's own tests (hcn/hcnutils_test.go)."""
    return {"SchemaVersion": VERSION, "Setting": [SETTING], "HostComputeEndpoints": list(endpoints), **more}


def endpoints(bench: Bench, count: int) -> list[str]:
    network = bench.network("Overlay")["ID"]
    return [bench.endpoint(network)["ID"] for _ in range(count)]


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnroute_test.go")
def test_a_route_comes_back_as_it_was_sent() -> None:
    bench = Bench()
    (endpoint,) = endpoints(bench, 1)
    made = bench.made("SdnRoute", route(endpoint))
    assert made["Setting"] == [SETTING]
    assert [e.lower() for e in made["HostComputeEndpoints"]] == [endpoint]
    assert json.loads(bench.invoke("HcnEnumerateSdnRoutes").output or "") == [made["ID"]]


@pytest.mark.known("inferred", ONE_STATE)
def test_a_v2_route_is_a_v1_policy_list() -> None:
    bench = Bench()
    (endpoint,) = endpoints(bench, 1)
    made = bench.made("SdnRoute", route(endpoint))
    (shown,) = bench.v1("GET", "/policylists/")["Output"]
    assert shown["Policies"] == [{"Type": "ROUTE", **SETTING}]
    assert bench.v1("GET", f"/policylists/{made['ID']}")["Output"] == shown


@pytest.mark.known("inferred", ONE_STATE)
def test_a_v1_route_is_a_v2_route_which_v2_deletes() -> None:
    bench = Bench()
    (endpoint,) = endpoints(bench, 1)
    policy = {"Type": "ROUTE", "DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    made = bench.v1("POST", "/policylists", {"References": [f"/endpoints/{endpoint}"], "Policies": [policy]})["Output"]
    assert made["Policies"] == [policy]
    shown = bench.shown("SdnRoute", bench.handle("SdnRoute", made["ID"]))
    assert shown["Setting"] == [{"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}]
    assert bench.invoke("HcnDeleteSdnRoute", id=made["ID"]).ok
    assert bench.v1("GET", "/policylists")["Output"] == []


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnroute.go AddEndpoint")
def test_a_route_is_deleted_and_made_again_under_its_id_to_get_an_endpoint_more() -> None:
    bench = Bench()
    first, second = endpoints(bench, 2)
    made = bench.made("SdnRoute", route(first))
    assert bench.invoke("HcnDeleteSdnRoute", id=made["ID"]).ok
    again = bench.made("SdnRoute", {**made, "HostComputeEndpoints": [first, second]})
    assert (again["ID"], len(again["HostComputeEndpoints"])) == (made["ID"], 2)


@pytest.mark.known("inferred", "microsoft/hcsshim#1043: as a load balancer's backend")
def test_a_route_for_an_endpoint_that_is_gone_is_refused() -> None:
    bench = Bench()
    (gone,) = endpoints(bench, 1)
    bench.invoke("HcnDeleteEndpoint", id=gone)
    assert bench.invoke("HcnCreateSdnRoute", route(gone)).hresult == HResult.HCN_E_PORT_NOT_FOUND


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_POLICY")
@pytest.mark.parametrize("setting", [{"DestinationPrefix": "nowhere"}, {}], ids=["no prefix", "nothing"])
def test_a_route_that_leads_nowhere_is_an_invalid_policy(setting: dict[str, Any]) -> None:
    bench = Bench()
    (endpoint,) = endpoints(bench, 1)
    reply = bench.invoke("HcnCreateSdnRoute", route(endpoint, Setting=[setting]))
    assert reply.hresult == HResult.HCN_E_INVALID_POLICY


@pytest.mark.known("inferred", "v2 has no object that is both")
def test_a_list_of_load_balancer_and_route_in_one_is_refused() -> None:
    bench = Bench()
    (endpoint,) = endpoints(bench, 1)
    policies = [{"Type": "ROUTE", "DestinationPrefix": "10.0.0.0/8"}, {"Type": "ELB", "VIPs": ["10.0.0.1"]}]
    answer = bench.v1("POST", "/policylists/", {"References": [f"/endpoints/{endpoint}"], "Policies": policies})
    assert (answer["Success"], answer["ErrorCode"]) == (False, HResult.HCN_E_INVALID_POLICY_TYPE)


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: HNS restores its objects after a restart")
def test_routes_come_back_after_a_restart_with_their_typed_reading(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    bench = Bench(journal=journal)
    (endpoint,) = endpoints(bench, 1)
    made = bench.made("SdnRoute", route(endpoint))
    before = bench.service.state.sdn_routes
    bench.service.close()
    again = Bench(journal=journal)
    assert again.service.state.sdn_routes == before
    assert again.shown("SdnRoute", again.handle("SdnRoute", made["ID"])) == made
