"""Fault rules over HTTP, in lab files and on the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from hnsfake import Lab
from hnsfake.documents.hresults import HResult
from hnsfake.frontends.labfile import LabFileError, describe
from hnsfake.frontends.server import LabServer
from tests.frontends.conftest import Hnsfake, Served

NETWORK = {"Name": "one", "Type": "nat"}
PATIENCE = 30.0


@pytest.fixture
def up(hnsfake: Hnsfake, lab_name: str) -> Iterator[str]:
    """A lab of one node, named like the lab, without packets."""
    done = hnsfake("up", "--detach", "--name", lab_name, "--node", lab_name, "--dataplane", "none")
    assert done.returncode == 0, done.stderr + done.stdout
    yield lab_name
    hnsfake("down", "--lab", lab_name)


def test_a_rule_is_added_listed_with_its_counters_and_removed(served: Served) -> None:
    with served.client() as http:
        added = http.post("/lab/faults", json={"operation": "POST /networks/", "fail": "HCN_E_SWITCH_NOT_FOUND"}).json()
        assert added == {
            "id": 1,
            "operation": "POST /networks",
            "fail": "HCN_E_SWITCH_NOT_FOUND",
            "matched": 0,
            "hits": 0,
        }
        refused = http.post("/networks/", json=NETWORK)
        assert int(refused.headers["HNS-HResult"], 16) == HResult.HCN_E_SWITCH_NOT_FOUND
        assert refused.json()["Error"] == "The virtual switch was not found. "
        assert http.get("/lab/faults").json() == [{**added, "matched": 1, "hits": 1}]
        assert http.delete("/lab/faults/1").status_code == 204
        assert http.get("/lab/faults").json() == []
        assert http.post("/networks/", json=NETWORK).json()["Success"]


def test_all_rules_are_removed_at_once(served: Served) -> None:
    with served.client() as http:
        for _ in range(2):
            http.post("/lab/faults", json={"drop": True})
        assert http.delete("/lab/faults").status_code == 204
        assert http.get("/lab/faults").json() == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"{", "not a JSON object"),
        (b"{}", "nothing would happen: give fail, delay, restart or drop"),
        (b'{"operation": "HcnNope", "drop": true}', "operation: 'HcnNope' is no function"),
        (b'{"delay": [1]}', "delay: neither seconds"),
        (b'{"fail": "0x80041234", "colour": 1}', "colour: there is no such key"),
    ],
)
def test_a_bad_rule_is_one_error_and_nothing_is_added(served: Served, body: bytes, says: str) -> None:
    with served.client() as http:
        answer = http.post("/lab/faults", content=body)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(says)
        assert http.get("/lab/faults").json() == []


@pytest.mark.parametrize("number", ["7", "x", "-1", "٣"])
def test_a_rule_that_is_not_in_force_cannot_be_removed(served: Served, number: str) -> None:
    with served.client() as http:
        answer = http.delete(f"/lab/faults/{number}")
    assert (answer.status_code, answer.json()) == (404, {"error": f"no fault rule {number} is in force"})


@pytest.mark.parametrize("path", ["/networks/", "/hcn/HcnCreateNetwork"])
def test_a_dropped_answer_is_a_closed_connection_after_the_work(
    served: Served, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served.client() as http:
        http.post("/lab/faults", json={"operation": "H*C*", "drop": True, "times": 1})
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            http.post(path, json={**NETWORK, "SchemaVersion": {"Major": 2, "Minor": 0}})
        assert [network["Name"] for network in http.get("/networks/").json()["Output"]] == ["one"]
    assert not caplog.records


def test_more_calls_than_a_pool_has_threads_may_be_delayed_while_others_go_on(served: Served) -> None:
    fault = served.lab.nodes["n1"].faults.add(operation="HcnEnumerateNetworks", delay=3600)
    with ThreadPoolExecutor(50) as others:
        late = [others.submit(_enumerate, served) for _ in range(50)]
        _wait_for_hits(fault, 50)
        with served.client() as http:
            assert http.get("/networks/").json()["Success"]
            http.delete("/lab/faults")
        assert {answer.result(PATIENCE)["hresult"] for answer in late} == {0}


def test_a_server_that_closes_answers_delayed_calls_at_once(lab_name: str) -> None:
    with Lab(["n1"], dataplane="none", name=lab_name) as lab, ThreadPoolExecutor(1) as other:
        server = LabServer(lab)
        fault = lab.nodes["n1"].faults.add(operation="HcnEnumerateNetworks", delay=3600)
        late = other.submit(_enumerate, Served(lab, server))
        _wait_for_hits(fault, 1)
        server.close()
        assert late.result(PATIENCE)["hresult"] == HResult.HCN_E_MANAGER_STOPPED


def test_the_command_line_adds_lists_and_clears(hnsfake: Hnsfake, up: str) -> None:
    added = hnsfake("fault", "add", up, "post /networks/", "--object", "one", "--fail", "0x803b0004", "--times", "1")
    assert (added.returncode, added.stdout) == (0, "1\n")
    hnsfake("fault", "add", up, "Hcn*", "--nth", "2", "--delay", "healthy", "--restart")
    refused = hnsfake("call", up, "POST", "/networks/", json.dumps(NETWORK))
    assert refused.returncode == 1
    assert json.loads(refused.stderr)["ErrorCode"] == HResult.HCN_E_SWITCH_NOT_FOUND
    assert hnsfake("fault", "list", up).stdout.splitlines() == [
        "1  POST /networks  object one  times 1  fail HCN_E_SWITCH_NOT_FOUND  (1 calls, 1 hit)",
        "2  Hcn*  nth 2  delay healthy  restart True  (0 calls, 0 hit)",
    ]
    assert hnsfake("fault", "clear", up, "1").returncode == 0
    assert hnsfake("fault", "list", up).stdout.startswith("2  ")
    assert hnsfake("fault", "clear", up).returncode == 0
    assert hnsfake("fault", "list", up).stdout == ""


def test_the_command_line_says_when_an_answer_was_dropped(hnsfake: Hnsfake, up: str) -> None:
    hnsfake("fault", "add", up, "POST /networks/", "--drop")
    done = hnsfake("call", up, "POST", "/networks/", json.dumps(NETWORK))
    assert done.returncode == 2
    assert done.stderr == "hnsfake: the connection broke before the answer came: the call may have been carried out\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "{}", "HcnCreateEndpont", "--drop"), "operation: 'HcnCreateEndpont' is no function"),
        (("add", "{}", "HcnCreateEndpoint"), "nothing would happen"),
        (("add", "{}", "HcnCreateEndpoint", "--fail", "nope"), "fail: not an HRESULT"),
        (("add", "{}", "HcnCreateEndpoint", "--delay", "soon"), "delay: neither seconds"),
        (("add", "{}", "HcnCreateEndpoint", "--nth", "x"), "'--nth'"),
        (("add", "no-such-node", "*", "--drop"), "no running lab has a node no-such-node"),
        (("clear", "{}", "7"), "no fault rule 7 is in force"),
        (("clear", "{}", "a/b"), "'number'"),
    ],
)
def test_bad_input_on_the_command_line_is_one_line(
    hnsfake: Hnsfake, up: str, arguments: tuple[str, ...], says: str
) -> None:
    done = hnsfake("fault", *(argument.format(up) for argument in arguments))
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_lab_file_has_rules_for_the_lab_and_for_a_node(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(
        """
dataplane: none
faults:
  - {operation: HcnCreateEndpoint, nth: 3, fail: HCN_E_ADDR_INVALID_OR_RESERVED, release: ws2019}
  - {operation: POST /policylists/, delay: load-balancers-ws2019, node: n*}
nodes:
  - n1
  - {name: old, release: ws2019, faults: [{operation: HcnDelete*, fail: 0x803b0015, drop: true}]}
"""
    )
    described = describe(path, {})
    with Lab(described.configs(), dataplane="none", faults=described.faults) as lab:
        shown = {name: [fault.rule.words() for fault in node.faults.list()] for name, node in lab.nodes.items()}
    assert shown == {
        "n1": [{"operation": "POST /policylists", "delay": "load-balancers-ws2019"}],
        "old": [
            {"operation": "HcnDelete*", "fail": "HCN_E_REQUEST_UNSUPPORTED", "drop": True},
            {"operation": "HcnCreateEndpoint", "nth": 3, "fail": "HCN_E_ADDR_INVALID_OR_RESERVED"},
        ],
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("faults: [{operation: HcnNope, drop: true}]", "faults.0.operation: 'HcnNope' is no function"),
        ("faults: [{drop: true, nod: n1}]", "faults.0.nod: there is no such key"),
        ("nodes: [{name: a, faults: [{drop: true, node: b}]}]", "nodes.0.faults.0.node: there is no such key"),
        ("nodes: [{name: a, faults: [{}]}]", "nodes.0.faults.0: nothing would happen"),
        ("faults: 5", "faults: "),
    ],
)
def test_a_bad_rule_in_a_lab_file_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    with pytest.raises(LabFileError) as refused:
        describe(path, {})
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_lab_file_is_served_with_its_rules(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(
        f"name: {lab_name}\ndataplane: none\nnodes: [{lab_name}]\n"
        "faults: [{operation: GET /networks/, fail: E_FAIL}]\n"
    )
    assert hnsfake("up", "--detach", "-f", str(path)).returncode == 0
    refused = hnsfake("call", lab_name, "GET", "/networks/")
    hnsfake("down", "--lab", lab_name)
    assert json.loads(refused.stderr)["Error"] == "Unspecified error "


def _enumerate(served: Served) -> Any:
    with served.client() as http:
        return http.post("/hcn/HcnEnumerateNetworks").json()


def _wait_for_hits(fault: Any, hits: int) -> None:
    end = time.monotonic() + PATIENCE
    while fault.hits < hits:
        assert time.monotonic() < end, f"{fault.hits} of {hits} calls came"
