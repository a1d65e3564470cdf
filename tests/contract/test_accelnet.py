"""The MACs that accelerated networking leaves alone (v1's /accelnet/)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.service import Bench

MACS = {"MacAddressList": [{"MacAddress": "00-15-5D-0A-B7-C6"}, {"MacAddress": "00-15-5D-38-01-00"}]}
NONE: dict[str, list[str]] = {"MacAddressList": []}


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsaccelnet.go, hcn/hnsv1_test.go")
def test_the_list_is_set_shown_and_deleted_and_every_answer_has_it() -> None:
    bench = Bench("ws2025")
    assert bench.v1("GET", "/accelnet/")["Output"] == NONE
    assert bench.v1("POST", "/accelnet/", MACS)["Output"] == MACS
    assert bench.v1("GET", "/accelnet/")["Output"] == MACS
    assert bench.v1("DELETE", "/accelnet/")["Output"] == NONE
    assert bench.v1("GET", "/accelnet/")["Output"] == NONE


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnglobals.go AccelnetVersion")
@pytest.mark.parametrize("name", ["ws2019", "ws2022"])
def test_there_is_none_before_15_4(name: str) -> None:
    assert not Bench(name).v1("GET", "/accelnet/")["Success"]


@pytest.mark.known("inferred", "a list of MACs; what a wrong one is answered with is not published")
def test_what_is_no_mac_is_refused_and_the_list_stays() -> None:
    bench = Bench("ws2025")
    bench.v1("POST", "/accelnet/", MACS)
    assert not bench.v1("POST", "/accelnet/", {"MacAddressList": [{"MacAddress": "00-15"}]})["Success"]
    assert bench.v1("GET", "/accelnet/")["Output"] == MACS


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: HNS restores its objects after a restart")
def test_the_list_comes_back_after_a_restart(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    bench = Bench("ws2025", journal=journal)
    bench.v1("POST", "/accelnet/", MACS)
    bench.service.close()
    assert Bench("ws2025", journal=journal).v1("GET", "/accelnet/")["Output"] == MACS
