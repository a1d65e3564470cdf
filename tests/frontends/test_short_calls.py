"""Calls that need not wait are carried out where they arrive; all others get a thread."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from hnsfake import Lab
from hnsfake.dataplane.interface import Change
from hnsfake.frontends.server import LabServer
from hnsfake.frontends.sockets import tcp_listener
from hnsfake.service.call import Call
from tests.contract.service import VERSION, Bench

OF_ONE_OBJECT = [
    Call("HcnOpenNetwork", id="{id}"),
    Call("HNSCall", method="GET", path="/networks/{id}"),
]
OF_MANY = [
    Call("HcnEnumerateNetworks"),
    Call("HNSCall", method="GET", path="/networks"),
    Call("HNSCall", method="GET", path="/endpoints/"),
    Call("HcsEnumerateComputeSystems"),
]
NAT = json.dumps({"Name": "second", "Type": "NAT", "SchemaVersion": VERSION})
NAMESPACE = {"SchemaVersion": VERSION}
CHANGES = [
    Call("HcnCreateNetwork", NAT),
    Call("HNSCall", '{"Name": "second", "Type": "nat"}', method="POST", path="/networks"),
]


def _about(call: Call, network: str) -> Call:
    return Call(call.operation, call.document, call.id and network, None, call.method, call.path.format(id=network))


@pytest.mark.parametrize("call", OF_ONE_OBJECT, ids=str)
def test_a_call_that_reads_one_object_is_carried_out_at_once(call: Call, tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "journal")
    network = bench.network()["ID"]
    reply = bench.service.invoke_at_once(_about(call, network))
    assert reply is not None
    assert reply.ok


@pytest.mark.parametrize("call", OF_MANY, ids=str)
def test_a_call_that_lists_objects_is_not(call: Call) -> None:
    assert Bench().service.invoke_at_once(call) is None


@pytest.mark.parametrize("call", CHANGES, ids=str)
def test_a_change_is_carried_out_at_once_in_memory(call: Call) -> None:
    bench = Bench()
    assert bench.service.invoke_at_once(call) is not None
    assert [network.name for network in bench.service.state.networks.values()] == ["second"]


@pytest.mark.parametrize("call", CHANGES, ids=str)
def test_a_change_is_not_where_it_waits_for_the_disk(call: Call, tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "journal")
    assert bench.service.invoke_at_once(call) is None
    assert not bench.service.state.networks


def test_statistics_are_not_read_at_once_from_a_kernel(tmp_path: Path) -> None:
    call = Call("HNSCall", method="GET", path="/endpointstats/x")
    assert Bench(journal=tmp_path / "journal").service.invoke_at_once(call) is None


def test_nothing_is_carried_out_at_once_while_a_fault_rule_is_in_force() -> None:
    bench = Bench()
    with bench.service.faults.inject(fail="E_FAIL"):
        assert bench.service.invoke_at_once(CHANGES[0]) is None
    assert bench.service.invoke_at_once(CHANGES[0]) is not None


def test_nothing_is_carried_out_at_once_while_calls_are_recorded() -> None:
    bench = Bench()
    bench.service.observers.append(lambda _call, _reply: None)
    assert bench.service.invoke_at_once(CHANGES[0]) is None


def test_nothing_is_carried_out_at_once_while_another_call_is(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    begun, go_on = Event(), Event()

    def apply(_changes: Sequence[Change]) -> None:
        begun.set()
        go_on.wait(30)

    network = bench.network()["ID"]
    monkeypatch.setattr(bench.plane, "apply", apply)
    thread = Thread(target=bench.invoke, args=("HcnCreateNetwork", NAT))
    thread.start()
    try:
        assert begun.wait(30)
        assert bench.service.invoke_at_once(Call("HcnOpenNetwork", id=network)) is None
    finally:
        go_on.set()
        thread.join()
    assert bench.service.invoke_at_once(Call("HcnOpenNetwork", id=network)) is not None


@pytest.mark.parametrize("call", CHANGES, ids=str)
def test_a_change_is_begun_on_the_data_planes_thread(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    with ThreadPoolExecutor(1) as thread:
        monkeypatch.setattr(bench.plane, "thread", thread)
        assert bench.service.thread_for(call) is thread
        assert bench.service.thread_for(OF_MANY[0]) is None


def test_a_change_over_http_goes_on_while_a_call_holds_the_data_planes_thread_up(lab_name: str) -> None:
    with Lab(["n1"], name=lab_name) as lab, LabServer(lab) as server:
        node, url = lab.nodes["n1"], f"http://127.0.0.1:{server.addresses['n1'].tcp}"
        with httpx.Client(base_url=url) as http, ThreadPoolExecutor() as pool:

            def ask() -> int:
                return int(http.post("/hcn/HcnCreateNamespace", json=NAMESPACE).json()["hresult"])

            own = pool.submit(lambda: [node.hcn("HcnCreateNamespace", NAMESPACE).handle for _ in range(50)])
            theirs = pool.submit(lambda: [ask() for _ in range(50)])
            assert len(own.result(30)) == 50
            assert theirs.result(30) == [0] * 50


def test_an_answer_over_tcp_does_not_wait_for_the_last_ones_acknowledgement() -> None:
    with tcp_listener(0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.proto == socket.IPPROTO_TCP  # asyncio's condition for TCP_NODELAY
