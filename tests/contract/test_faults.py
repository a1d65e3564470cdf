"""Fault rules: which calls they are for, what happens to these, and what is left of the work."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hnsfake import Lab
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.lab import LabError, NodeConfig
from hnsfake.service.call import Reply
from hnsfake.service.faults import FaultRule, FaultRuleError, LabFaultRule
from hnsfake.service.latencies import PROFILES
from hnsfake.service.pipeline import AnswerLostError
from tests.contract.service import VERSION, Bench

pytestmark = pytest.mark.ours("rules that make calls go wrong are ours; Windows has none")

NAMESPACE = {"SchemaVersion": VERSION}
NETWORK = {"Name": "one", "Type": "NAT", "SchemaVersion": VERSION}
GUID = "11111111-2222-3333-4444-555555555555"
PATIENCE = 30.0
FOR_EVER = 3600.0


def test_a_call_that_fails_has_the_hresult_and_its_record_and_does_nothing() -> None:
    bench = Bench()
    before = bench.service.state
    bench.service.faults.add(operation="HcnCreateNamespace", fail="HCN_E_NAMESPACE_ATTACH_FAILED")
    reply = bench.invoke("HcnCreateNamespace", NAMESPACE)
    assert reply == Reply(
        0x803B002E,
        '{"Success":false,"Error":"The requested operation for attach namespace failed. ","ErrorCode":2151350318}',
    )
    assert bench.service.state is before


@pytest.mark.parametrize(("method", "hresult"), [("POST", 0x803B001E), ("GET", 0)])
def test_a_v1_call_that_fails_says_so_in_its_envelope(method: str, hresult: int) -> None:
    bench = Bench()
    bench.service.faults.add(operation="HNSCall", fail="HCN_E_INVALID_IP")
    reply = bench.invoke("HNSCall", method=method, path="/endpoints/")
    envelope = json.loads(reply.output or "")
    assert (reply.hresult, reply.record, envelope["Success"], envelope["ErrorCode"]) == (
        hresult,
        None,
        False,
        0x803B001E,
    )


@pytest.mark.parametrize("written", ["HCN_E_INVALID_IP", "hcn_e_invalid_ip", "0x803b001e", 0x803B001E, -2143616994])
def test_an_hresult_may_be_written_as_symbol_or_number(written: object) -> None:
    assert FaultRule.read({"fail": written}).fail is HResult.HCN_E_INVALID_IP


def test_a_failure_that_is_not_listed_here_reaches_the_caller_with_its_number() -> None:
    with Lab(["n1"], dataplane="none") as lab:
        node = lab.nodes["n1"]
        with node.faults.inject(fail=0x80041234), pytest.raises(HnsError) as failed:
            node.hcn("HcnEnumerateNetworks")
    assert failed.value.hresult == 0x80041234


@pytest.mark.parametrize(
    ("pattern", "hit"),
    [
        ("HcnCreateNetwork", ["HcnCreateNetwork"]),
        ("hcncreate*", ["HcnCreateNetwork", "HcnCreateNamespace"]),
        ("HcnCreateN[ea]*", ["HcnCreateNetwork", "HcnCreateNamespace"]),
        ("HNSCall", ["GET /networks/", "POST /networks", "GET /networks/x"]),
        ("GET /networks", ["GET /networks/"]),
        ("* /networks/", ["GET /networks/", "POST /networks"]),
        ("get /networks/*", ["GET /networks/x"]),
        ("POST networks/", ["POST /networks"]),
        ("*", ["HcnCreateNetwork", "HcnCreateNamespace", "GET /networks/", "POST /networks", "GET /networks/x"]),
    ],
)
def test_an_operation_is_a_pattern_of_functions_or_of_method_and_path(pattern: str, hit: list[str]) -> None:
    bench = Bench()
    bench.service.faults.add(operation=pattern, fail="E_FAIL")
    calls = ["HcnCreateNetwork", "HcnCreateNamespace", "GET /networks/", "POST /networks", "GET /networks/x"]
    assert [call for call in calls if _code(_called(bench, call)) == HResult.E_FAIL] == hit


@pytest.mark.parametrize(
    ("rule", "hit"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"times": 2}, [1, 2]),
        ({"nth": 3}, [3]),
        ({"nth": 2, "times": 3}, [2, 3, 4]),
    ],
)
def test_a_rule_is_for_all_calls_or_some_in_a_row(rule: dict[str, int], hit: list[int]) -> None:
    bench = Bench()
    fault = bench.service.faults.add(operation="HcnCreateNamespace", fail="E_FAIL", **rule)
    replies = []
    for _ in range(5):
        bench.invoke("HcnEnumerateNetworks")
        replies.append(bench.invoke("HcnCreateNamespace", NAMESPACE))
    assert [number for number, reply in enumerate(replies, 1) if not reply.ok] == hit
    assert (fault.matched, fault.hits) == (5, len(hit))


@pytest.mark.parametrize("pattern", [GUID, GUID.upper(), f"{{{GUID}}}", "1111*", "one", "O*"])
def test_an_object_is_known_by_id_and_by_name_however_the_call_names_it(pattern: str) -> None:
    bench = Bench()
    other = bench.network(prefix="10.2.0.0/24", Name="two")["ID"]
    calls: dict[str, Callable[[], Reply]] = {
        "create": lambda: bench.invoke("HcnCreateNetwork", NETWORK, id=GUID),
        "open": lambda: bench.invoke("HcnOpenNetwork", id=GUID),
        "open other": lambda: bench.invoke("HcnOpenNetwork", id=other),
        "query": lambda: bench.invoke("HcnQueryNetworkProperties", handle=handle),
        "query other": lambda: bench.invoke("HcnQueryNetworkProperties", handle=other_handle),
        "endpoint of": lambda: bench.invoke("HcnCreateEndpoint", NAMESPACE, handle=handle),
        "v1": lambda: bench.invoke("HNSCall", method="GET", path=f"/networks/{GUID}"),
        "list": lambda: bench.invoke("HNSCall", method="GET", path="/networks/"),
    }
    assert calls["create"]().ok
    handle, other_handle = bench.handle("Network", GUID), bench.handle("Network", other)
    bench.service.faults.add(object=pattern, fail="E_FAIL")
    hit = [name for name, call in calls.items() if _code(call()) == HResult.E_FAIL]
    assert hit == ["create", "open", "query", "endpoint of", "v1"]


def test_an_object_that_is_not_there_yet_is_known_by_the_name_in_its_document() -> None:
    bench = Bench()
    bench.service.faults.add(operation="HcnCreateNetwork", object="one", fail="E_FAIL")
    assert bench.invoke("HcnCreateNetwork", NETWORK).hresult == HResult.E_FAIL
    assert bench.invoke("HcnCreateNetwork", {**NETWORK, "Name": "two"}).ok


def test_a_document_that_cannot_be_read_is_still_the_services_to_refuse() -> None:
    bench = Bench()
    bench.service.faults.add(object="one", fail="E_FAIL")
    assert bench.invoke("HcnCreateNetwork", "{").hresult == HResult.HCN_E_INVALID_JSON


@given(
    document=st.binary(max_size=40) | st.just(b'{"name": 5, "ID": "\xed\xa0\x80"}'),
    texts=st.tuples(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8)),
    handle=st.none() | st.integers(),
)
def test_whatever_a_call_is_about_the_rules_can_be_asked(
    document: bytes, texts: tuple[str, str, str], handle: int | None
) -> None:
    path, object_id, pattern = texts
    bench = Bench()
    bench.service.faults.add(object=pattern, fail="E_FAIL")
    for operation in ("HNSCall", "HcnOpenNetwork", "HcnQueryNetworkProperties"):
        reply = bench.invoke(operation, document, method="GET", path=path, id=object_id, handle=handle)
        assert _code(reply) != HResult.E_UNEXPECTED


def test_while_one_call_is_delayed_others_go_on() -> None:
    bench = Bench()
    with ThreadPoolExecutor(1) as other:
        with bench.service.faults.inject(operation="HcnCreateNetwork", delay=FOR_EVER) as fault:
            late = other.submit(bench.invoke, "HcnCreateNetwork", NETWORK)
            _wait_until(lambda: fault.hits == 1)
            assert bench.invoke("HcnCreateNamespace", NAMESPACE).ok
            assert not late.done()
            assert not bench.service.state.networks
        assert late.result(PATIENCE).ok
    assert [network.name for network in bench.service.state.networks.values()] == ["one"]


def test_a_delay_of_seconds_is_that_long() -> None:
    bench = Bench()
    bench.service.faults.add(delay=0.05)
    began = time.monotonic()
    assert bench.invoke("HcnEnumerateNetworks").ok
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("end", ["close", "interrupt"])
def test_a_service_that_stops_says_so_to_delayed_calls(end: str) -> None:
    bench = Bench()
    fault = bench.service.faults.add(delay=FOR_EVER)
    with ThreadPoolExecutor(1) as other:
        late = other.submit(bench.invoke, "HcnCreateNetwork", NETWORK)
        _wait_until(lambda: fault.hits == 1)
        getattr(bench.service.faults, end)()
        assert late.result(PATIENCE).hresult == HResult.HCN_E_MANAGER_STOPPED
    assert not bench.service.state.networks


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_keeps_between_its_ends_and_is_the_same_with_the_same_seed(profile: str) -> None:
    least, most = PROFILES[profile].least, PROFILES[profile].most
    first, again = (_draws(profile, seed=1) for _ in range(2))
    assert first == again != _draws(profile, seed=2)
    assert all(least <= seconds <= most for seconds in first)
    assert len(set(first)) == len(first)


def test_rules_take_nothing_from_what_the_seed_fixes_elsewhere() -> None:
    plain, late = Bench(seed=7), Bench(seed=7)
    late.service.faults.add(operation="HcnClose*", delay="healthy")
    shown = [bench.endpoint(bench.network()["ID"]) for bench in (plain, late)]
    assert shown[0]["MacAddress"] == shown[1]["MacAddress"]


def test_a_dropped_answer_is_an_exception_after_the_work() -> None:
    bench = Bench()
    with bench.service.faults.inject(operation="HcnCreateNetwork", drop=True), pytest.raises(AnswerLostError):
        bench.invoke("HcnCreateNetwork", NETWORK, id=GUID)
    assert bench.invoke("HcnCreateNetwork", NETWORK, id=GUID).hresult == HResult.ERROR_ALREADY_EXISTS


def test_an_answer_dropped_of_a_call_that_failed_leaves_nothing() -> None:
    bench = Bench()
    bench.service.faults.add(operation="HcnCreateNetwork", fail="E_FAIL", drop=True)
    with pytest.raises(AnswerLostError):
        bench.invoke("HcnCreateNetwork", NETWORK)
    assert not bench.service.state.networks


def test_a_restart_comes_after_the_work_and_takes_the_handle_with_it() -> None:
    bench = Bench()
    bench.service.faults.add(operation="HcnCreateNetwork", restart=True, times=1)
    made = bench.invoke("HcnCreateNetwork", NETWORK, id=GUID)
    assert made.ok
    assert bench.invoke("HcnQueryNetworkProperties", handle=made.handle).hresult == HResult.E_HANDLE
    assert bench.shown("Network", bench.handle("Network", GUID))["Name"] == "one"


def test_several_rules_may_meet_one_call() -> None:
    bench = Bench()
    faults = bench.service.faults
    late, refused, other = faults.add(delay=0.01), faults.add(fail="E_FAIL"), faults.add(fail="E_ACCESSDENIED")
    assert bench.invoke("HcnEnumerateNetworks").hresult == HResult.E_FAIL
    assert (late.hits, refused.hits, other.hits) == (1, 1, 1)


def test_rules_are_listed_in_order_and_gone_when_they_are_removed() -> None:
    faults = Bench().service.faults
    first, second = faults.add(drop=True), faults.add(operation="POST /endpoints/", fail=0x803B001E)
    assert [fault.shown() for fault in faults.list()] == [
        {"id": 1, "operation": "*", "drop": True, "matched": 0, "hits": 0},
        {"id": 2, "operation": "POST /endpoints", "fail": "HCN_E_INVALID_IP", "matched": 0, "hits": 0},
    ]
    assert faults.remove(first.id)
    assert not faults.remove(first.id)
    assert faults.list() == (second,)
    faults.clear()
    assert faults.list() == ()


def test_an_injected_rule_ends_with_its_block_also_by_an_exception() -> None:
    bench = Bench()
    with pytest.raises(KeyError), bench.service.faults.inject(fail="E_FAIL"):
        raise KeyError
    assert bench.invoke("HcnEnumerateNetworks").ok


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({}, "nothing would happen"),
        ({"operation": "HcnCreateEndpont", "drop": True}, "operation: 'HcnCreateEndpont' is no function"),
        ({"fail": "HCN_E_NOPE"}, "fail: not an HRESULT"),
        ({"fail": 0}, "fail: 0x00000000 is not a failure"),
        ({"fail": True}, "fail: not an HRESULT"),
        ({"delay": "slow"}, "delay: neither seconds, at most 86400, nor one of healthy"),
        ({"delay": -1}, "delay: neither"),
        ({"delay": float("nan")}, "delay: neither"),
        ({"delay": 1e9}, "delay: neither"),
        ({"delay": 10**400}, "delay: neither"),
        ({"fail": 10**400}, "fail: not an HRESULT"),
        ({"nth": 0, "drop": True}, "nth: "),
        ({"colour": "green", "drop": True}, "colour: there is no such key"),
        ([], "dictionary"),
    ],
)
def test_a_rule_that_cannot_be_read_is_said_in_one_line(words: Any, says: str) -> None:
    with pytest.raises(FaultRuleError) as refused:
        FaultRule.read(words)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_labs_rules_are_for_the_nodes_and_releases_they_name_and_each_node_counts_its_own() -> None:
    nodes = [NodeConfig("n1"), NodeConfig("n2"), NodeConfig("old", "ws2019", [FaultRule(drop=True)])]
    rules = [LabFaultRule(node="n*", fail="E_FAIL", times=1), LabFaultRule(release="ws2019", delay=0.01)]
    with Lab(nodes, dataplane="none", faults=rules) as lab:
        for name in ("n1", "n2"):
            assert [lab.nodes[name].faults.list()[0].hits, len(lab.nodes[name].faults.list())] == [0, 1]
            with pytest.raises(HnsError):
                lab.nodes[name].hcn("HcnEnumerateNetworks")
            lab.nodes[name].hcn("HcnEnumerateNetworks")
        assert [fault.rule.words() for fault in lab.nodes["old"].faults.list()] == [
            {"operation": "*", "drop": True},
            {"operation": "*", "delay": 0.01},
        ]


def test_a_labs_rule_for_no_node_is_a_slip() -> None:
    with pytest.raises(LabError, match="no node: node n9"):
        Lab(["n1"], dataplane="none", faults=[LabFaultRule(node="n9", drop=True)])


def _called(bench: Bench, call: str) -> Reply:
    method, _, path = call.partition(" ")
    return bench.invoke("HNSCall", method=method, path=path) if path else bench.invoke(call, NAMESPACE)


def _code(reply: Reply) -> int:
    answer = json.loads(reply.output or "{}")
    return answer.get("ErrorCode", reply.hresult) if isinstance(answer, dict) else reply.hresult


def _draws(profile: str, seed: int) -> list[float]:
    bench = Bench(seed=seed)
    fault = bench.service.faults.add(delay=profile)
    return [fault.seconds() for _ in range(50)]


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to that"
