"""A service that is away, slow, killed or started again: what its clients get, and what is left of their work."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest

from hnsfake.documents.hresults import HResult

from .daemon import Daemon
from .programs import Go
from .shared_object import CallError, SharedObject, Text, guid, utf16

UNBREAKABLE = "what our libraries and our journal do when the service ends"

SERVER_UNAVAILABLE = 0x800706BA
CALL_FAILED = 0x800706BE
TIMED_OUT = 0x800705B4
IN_TIME = 6  # seconds: the libraries' own patience with a service that is away, and a busy machine
VERSION = {"Major": 2, "Minor": 0}
NETWORK = "11111111-2222-3333-4444-555555555555"
PATIENCE = 60


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    lab = Daemon(tmp_path / "state")
    monkeypatch.setenv("HNSFAKE_URL", lab.url)
    lab.start()
    yield lab
    lab.kill()


@pytest.fixture
def hcn() -> SharedObject:
    return SharedObject("libcomputenetwork.so")


@pytest.mark.known("inferred", "learn.microsoft.com RPC_S_SERVER_UNAVAILABLE: HNS is called by RPC")
def test_no_service_is_an_unavailable_server(daemon: Daemon, hcn: SharedObject) -> None:
    daemon.kill()
    began = monotonic()
    assert _list(hcn) == SERVER_UNAVAILABLE
    assert monotonic() - began < IN_TIME


@pytest.mark.ours("how long our libraries wait")
def test_a_slow_service_is_a_time_out(daemon: Daemon, hcn: SharedObject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNSFAKE_TIMEOUT", "0.5")
    daemon.send(signal.SIGSTOP)
    began = monotonic()
    assert _list(hcn) == TIMED_OUT
    assert 0.5 <= monotonic() - began < IN_TIME
    daemon.send(signal.SIGCONT)
    assert _list(hcn) == HResult.S_OK


@pytest.mark.ours("how long our libraries wait")
@pytest.mark.parametrize("patience", ["nonsense", "-1", "0", "1e9", "nan"])
def test_a_patience_that_is_none_is_the_usual_one(
    daemon: Daemon, hcn: SharedObject, monkeypatch: pytest.MonkeyPatch, patience: str
) -> None:
    monkeypatch.setenv("HNSFAKE_TIMEOUT", patience)
    assert _list(hcn) == HResult.S_OK


@pytest.mark.known("inferred", "moby/moby#30342: hnsCall failed in Win32: The remote procedure call failed (0x6be)")
def test_a_service_killed_during_a_call_is_a_failed_call(daemon: Daemon, hcn: SharedObject) -> None:
    daemon.send(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as other:
        call = other.submit(_list, hcn)
        _wait_for_a_connection(daemon)
        daemon.kill()
        assert call.result(IN_TIME) == CALL_FAILED


@pytest.mark.ours(UNBREAKABLE)
def test_a_call_waits_for_a_service_that_is_starting(daemon: Daemon, hcn: SharedObject) -> None:
    daemon.kill()
    with ThreadPoolExecutor(1) as other:
        started = other.submit(daemon.start)
        ends = [_list(hcn)]
        while ends[-1] == SERVER_UNAVAILABLE and not started.done():
            ends.append(_list(hcn))
        started.result(PATIENCE)
    assert (ends[-1], _list(hcn)) == (HResult.S_OK, HResult.S_OK)


@pytest.mark.known("inferred", "learn.microsoft.com hcn-declaration-handles: handles are RPC context handles")
def test_after_a_restart_a_handle_is_invalid_and_may_be_opened_again(daemon: Daemon, hcn: SharedObject) -> None:
    document = {"SchemaVersion": VERSION, "Name": "n", "Type": "NAT"}
    handle = hcn.create("HcnCreateNetwork", document, NETWORK)
    daemon.kill()
    daemon.start()
    with pytest.raises(CallError) as refused:
        hcn.query("HcnQueryNetworkProperties", handle)
    assert refused.value.hresult == HResult.E_HANDLE
    again = c_void_p()
    assert hcn.call("HcnOpenNetwork", guid(NETWORK), byref(again), None) == HResult.S_OK
    assert hcn.query("HcnQueryNetworkProperties", again)["Name"] == "n"


@pytest.mark.ours(UNBREAKABLE)
def test_a_call_that_timed_out_was_done_once_or_not_at_all(
    daemon: Daemon, hcn: SharedObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = utf16({"SchemaVersion": VERSION, "Name": "n", "Type": "NAT"})
    monkeypatch.setenv("HNSFAKE_TIMEOUT", "0.5")
    daemon.send(signal.SIGSTOP)
    opened, record = c_void_p(), Text()
    create = ("HcnCreateNetwork", guid(NETWORK), document, byref(opened), record.place)
    assert hcn.call(*create) == TIMED_OUT
    daemon.send(signal.SIGCONT)
    monkeypatch.delenv("HNSFAKE_TIMEOUT")
    assert hcn.call(*create) in (HResult.S_OK, HResult.ERROR_ALREADY_EXISTS)
    record.take()
    assert [found.lower() for found in hcn.enumerate("HcnEnumerateNetworks")] == [NETWORK]


@pytest.mark.ours(UNBREAKABLE)
@pytest.mark.parametrize("seed", range(3))
def test_a_service_killed_anywhere_loses_nothing_it_acknowledged(daemon: Daemon, hcn: SharedObject, seed: int) -> None:
    daemon.kill()
    daemon.dataplane = "linux"
    daemon.start()
    subnet = {"IpAddressPrefix": "10.1.0.0/24", "Routes": [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0"}]}
    document = {"SchemaVersion": VERSION, "Name": "n", "Type": "L2Bridge", "Ipams": [{"Subnets": [subnet]}]}
    network = hcn.create("HcnCreateNetwork", document, NETWORK)
    killer = Timer(random.Random(seed).uniform(0.1, 0.6), daemon.send, (signal.SIGKILL,))
    killer.start()
    done = _pods_until_the_end(hcn, network)
    killer.join()
    daemon.kill()
    daemon.start()
    kept = {endpoint.lower() for endpoint in hcn.enumerate("HcnEnumerateEndpoints")}
    assert set(done.endpoints) <= kept
    assert len(kept) <= len(done.endpoints) + 1  # one more may have been made and not answered
    opened = c_void_p()
    assert hcn.call("HcnOpenNetwork", guid(NETWORK), byref(opened), None) == HResult.S_OK
    done.add_pod(hcn, opened)
    for namespace, address in done.attached:
        assert f" {address}/" in daemon.exec(namespace, "ip", "-br", "address")


@pytest.mark.ours("our libraries for Windows and for Linux say the same")
def test_a_windows_program_gets_the_same_errors(daemon: Daemon, go: Go) -> None:
    daemon.kill()
    daemon.dataplane = "linux"
    daemon.start()
    with daemon.wine(str(go.program("./list")), patience=0.5) as program:
        assert "0 networks" in _ask(program)
        daemon.send(signal.SIGSTOP)
        assert "0x5b4" in _ask(program)
        daemon.send(signal.SIGCONT)
        assert "0 networks" in _ask(program)
        daemon.kill()
        assert "0x6ba" in _ask(program)


def _list(hcn: SharedObject) -> int:
    output, record = Text(), Text()
    hresult = hcn.call("HcnEnumerateNetworks", None, output.place, record.place)
    output.take()
    record.take()
    return hresult


def _wait_for_a_connection(daemon: Daemon) -> None:
    end = monotonic() + PATIENCE
    while not daemon.connections():
        assert monotonic() < end, "the call never reached the service"


def _ask(program: subprocess.Popen[str]) -> str:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write("\n")
    program.stdin.flush()
    return program.stdout.readline()


@dataclass
class Acknowledged:
    """What the service said it had done."""

    endpoints: list[str] = field(default_factory=list)
    attached: list[tuple[str, str]] = field(default_factory=list)

    def add_pod(self, hcn: SharedObject, network: c_void_p) -> None:
        """Make a namespace with an endpoint."""
        namespace = hcn.create("HcnCreateNamespace", {"SchemaVersion": VERSION})
        endpoint = hcn.create("HcnCreateEndpoint", {"SchemaVersion": VERSION}, parent=network)
        query = {"SchemaVersion": VERSION}
        shown = hcn.query("HcnQueryEndpointProperties", endpoint, query)
        self.endpoints.append(shown["ID"].lower())
        settings = {"EndpointId": shown["ID"]}
        request = utf16({"ResourceType": "Endpoint", "RequestType": "Add", "Settings": settings})
        record = Text()
        hresult = hcn.call("HcnModifyNamespace", namespace, request, record.place)
        if hresult:
            raise CallError(hresult, record.take())
        name = hcn.query("HcnQueryNamespaceProperties", namespace, query)["ID"]
        self.attached.append((name, shown["IpConfigurations"][0]["IpAddress"]))


def _pods_until_the_end(hcn: SharedObject, network: c_void_p) -> Acknowledged:
    done = Acknowledged()

    def add_pods() -> None:
        while True:
            done.add_pod(hcn, network)

    with pytest.raises(CallError) as end:
        add_pods()
    assert end.value.hresult in (CALL_FAILED, SERVER_UNAVAILABLE)
    return done
