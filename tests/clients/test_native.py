"""The Linux shared objects in a Linux program: what they carry, who owns what, and what is refused."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint16, c_void_p
from pathlib import Path
from typing import Any

import pefile
import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.native import find

from .exports import EXPORTS
from .shared_object import CallError, PortEntry, PortRange, SharedObject, Text, bytes_in_use, guid, utf16
from .world import World

HCN = "microsoft/hcsshim hcn/hcn.go"
HANDLES = "learn.microsoft.com hcn-declaration-handles: RPC context handles"
CARRIED = "what our libraries carry to a service, and how they find it"

VERSION = {"Major": 2, "Minor": 0}
NETWORK = "11111111-2222-3333-4444-555555555555"
NOWHERE = "99999999-0000-0000-0000-000000000000"
REPOSITORY = Path(__file__).parents[2]
_OPENER = """
import sys
from tests.clients.shared_object import SharedObject
print(SharedObject("libcomputenetwork.so").create("HcnCreateNamespace", {"SchemaVersion": {"Major": 2}}).value)
sys.stdout.flush()
sys.stdin.read()
"""


@pytest.mark.ours(CARRIED)
@pytest.mark.parametrize("name", EXPORTS)
def test_every_function_is_exported_to_linux(name: str) -> None:
    library = ctypes.CDLL(str(find(f"lib{name}.so")))
    assert {function for function in EXPORTS[name] if not hasattr(library, function)} == set()


@pytest.mark.ours(CARRIED)
@pytest.mark.parametrize("name", EXPORTS)
def test_every_function_and_nothing_else_is_exported_to_windows(name: str) -> None:
    library = pefile.PE(str(find(f"{name}.dll")))
    assert library.FILE_HEADER.Machine == pefile.MACHINE_TYPE["IMAGE_FILE_MACHINE_AMD64"]
    assert {symbol.name.decode() for symbol in library.DIRECTORY_ENTRY_EXPORT.symbols} == EXPORTS[name]


@pytest.mark.known("client code", HCN)
def test_an_object_is_created_found_queried_and_deleted(hcn: SharedObject) -> None:
    handle = hcn.create("HcnCreateNetwork", _network("Zürich 🐧"), NETWORK)
    assert hcn.query("HcnQueryNetworkProperties", handle)["Name"] == "Zürich 🐧"
    assert hcn.call("HcnCloseNetwork", handle) == HResult.S_OK
    assert [found.lower() for found in hcn.enumerate("HcnEnumerateNetworks")] == [NETWORK]
    assert hcn.call("HcnDeleteNetwork", guid(NETWORK), None) == HResult.S_OK
    assert hcn.enumerate("HcnEnumerateNetworks") == []


@pytest.mark.known("client code", HCN)
def test_a_filter_reaches_the_service(hcn: SharedObject) -> None:
    hcn.create("HcnCreateNetwork", _network("one"), NETWORK)
    query = {"SchemaVersion": VERSION, "Filter": json.dumps({"Name": "two"})}
    assert hcn.enumerate("HcnEnumerateNetworks", query) == []


@pytest.mark.known("client code", HCN)
def test_an_endpoint_takes_its_networks_handle(hcn: SharedObject) -> None:
    network = hcn.create("HcnCreateNetwork", _network("n"), NETWORK)
    endpoint = hcn.create("HcnCreateEndpoint", {"SchemaVersion": VERSION, "Name": "e"}, parent=network)
    shown = hcn.query("HcnQueryEndpointProperties", endpoint, {"SchemaVersion": VERSION})
    assert shown["HostComputeNetwork"].lower() == NETWORK


@pytest.mark.known("client code", HCN)
def test_a_failure_hands_out_a_record_and_no_handle(hcn: SharedObject) -> None:
    opened, record = c_void_p(1), Text()
    assert hcn.call("HcnOpenNetwork", guid(NOWHERE), byref(opened), record.place) == HResult.HCN_E_NETWORK_NOT_FOUND
    assert json.loads(record.take() or "")["ErrorCode"] == HResult.HCN_E_NETWORK_NOT_FOUND
    assert opened.value is None


@pytest.mark.known("client code", HCN + ": any record is an error")
def test_a_success_hands_out_no_record(hcn: SharedObject) -> None:
    output, record = Text(), Text()
    assert hcn.call("HcnEnumerateNetworks", None, output.place, record.place) == HResult.S_OK
    assert (output.take(), record.take()) == ("[]", None)


@pytest.mark.known("documentation", HANDLES)
def test_a_caller_need_not_want_the_record(hcn: SharedObject) -> None:
    opened = c_void_p()
    assert hcn.call("HcnOpenNetwork", guid(NOWHERE), byref(opened), None) == HResult.HCN_E_NETWORK_NOT_FOUND


@pytest.mark.known("inferred", HANDLES + ": which arguments are optional")
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("HcnEnumerateNetworks", (None, None, None)),
        ("HcnOpenNetwork", (None, None, None)),
        ("HcnCreateNetwork", (None, None, None, None)),
        ("HcnDeleteNetwork", (None, None)),
        ("HcnQueryNetworkProperties", (c_void_p(1), None, None, None)),
        ("HcnRegisterServiceCallback", (None, None, None)),
        ("HcnReserveGuestNetworkServicePort", (c_void_p(1), 1, 1, c_uint16(80), None)),
    ],
)
def test_a_null_where_a_place_is_needed_is_an_invalid_argument(
    hcn: SharedObject, function: str, arguments: tuple[object, ...]
) -> None:
    assert hcn.call(function, *arguments) == HResult.E_INVALIDARG


@pytest.mark.known("inferred", HANDLES)
def test_a_closed_handle_is_invalid(hcn: SharedObject) -> None:
    handle = hcn.create("HcnCreateNetwork", _network("n"), NETWORK)
    assert hcn.call("HcnCloseNetwork", handle) == HResult.S_OK
    assert _query_of(hcn, "HcnQueryNetworkProperties", handle) == HResult.E_HANDLE
    assert hcn.call("HcnCloseNetwork", handle) == HResult.E_HANDLE


@pytest.mark.known("inferred", HANDLES)
@pytest.mark.parametrize("number", [0, 1, 2**63, 2**64 - 1])
def test_a_number_that_is_no_handle_is_invalid(hcn: SharedObject, number: int) -> None:
    assert _query_of(hcn, "HcnQueryNetworkProperties", c_void_p(number)) == HResult.E_HANDLE


@pytest.mark.known("inferred", HANDLES)
def test_a_handle_of_another_kind_is_invalid(hcn: SharedObject) -> None:
    handle = hcn.create("HcnCreateNetwork", _network("n"), NETWORK)
    assert _query_of(hcn, "HcnQueryEndpointProperties", handle) == HResult.E_HANDLE


@pytest.mark.known("inferred", HANDLES)
def test_a_handle_of_another_process_is_invalid(hcn: SharedObject) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", _OPENER], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        handle = c_void_p(int(other.stdout.readline()))
        assert _query_of(hcn, "HcnQueryNamespaceProperties", handle) == HResult.E_HANDLE
        other.communicate("")
    assert other.returncode == 0


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsfuncs.go")
def test_v1_calls_are_carried(vmcompute: SharedObject) -> None:
    made = _v1(vmcompute, "POST", "/networks/", {"Name": "n", "Type": "nat"})
    assert made["Success"] is True
    assert _v1(vmcompute, "GET", f"/networks/{made['Output']['ID']}")["Output"]["Name"] == "n"
    assert _v1(vmcompute, "GET", "/networks/no such thing")["Success"] is False


@pytest.mark.ours("the carrier has HNSCall's methods, whatever HTTP calls its own")
@pytest.mark.parametrize(("method", "hresult"), [("get", HResult.S_OK), ("FETCH", HResult.HCN_E_REQUEST_UNSUPPORTED)])
def test_a_method_that_http_does_not_have_is_carried(vmcompute: SharedObject, method: str, hresult: int) -> None:
    answer = _v1(vmcompute, method, "/networks/")
    assert answer.get("ErrorCode", HResult.S_OK) == hresult


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hns/hnsfuncs.go always has both")
@pytest.mark.parametrize(("method", "path"), [(None, "/networks/"), ("GET", None), ("", "/"), ("GET /", "/networks/")])
def test_a_v1_call_without_method_or_path_is_an_invalid_argument(
    vmcompute: SharedObject, method: str | None, path: str | None
) -> None:
    answer = Text()
    assert vmcompute.call("HNSCall", utf16(method), utf16(path), None, answer.place) == HResult.E_INVALIDARG


@pytest.mark.known("client code", "microsoft/hcsshim internal/vmcompute/vmcompute.go: ids are texts")
def test_compute_systems_have_names_for_ids(vmcompute: SharedObject) -> None:
    system, record = c_void_p(), Text()
    configuration = utf16({"SystemType": "Container", "Name": "pod 1"})
    made = vmcompute.call("HcsCreateComputeSystem", utf16("pod 1/a"), configuration, None, byref(system), record.place)
    assert (made, record.take()) == (HResult.S_OK, None)
    assert [found["Id"] for found in vmcompute.enumerate("HcsEnumerateComputeSystems")] == ["pod 1/a"]


@pytest.mark.known("inferred", "RFC 8259: what a reader does with one is unpredictable")
def test_a_lone_surrogate_is_refused(hcn: SharedObject) -> None:
    with pytest.raises(CallError):
        hcn.create("HcnCreateNetwork", '{"Name": "\ud83d", "Type": "NAT"}')
    assert hcn.enumerate("HcnEnumerateNetworks") == []


@pytest.mark.ours(CARRIED)
def test_a_document_of_a_megabyte_is_carried(hcn: SharedObject) -> None:
    handle = hcn.create("HcnCreateNetwork", {**_network("n"), "Name": "x" * 1_000_000}, NETWORK)
    assert len(hcn.query("HcnQueryNetworkProperties", handle)["Name"]) == 1_000_000


@pytest.mark.ours(CARRIED)
def test_threads_may_call_at_the_same_time(hcn: SharedObject) -> None:
    def churn(number: int) -> int:
        handle = hcn.create("HcnCreateNamespace", {"SchemaVersion": VERSION})
        shown: dict[str, str] = hcn.query("HcnQueryNamespaceProperties", handle)
        hcn.call("HcnCloseNamespace", handle)
        return hcn.call("HcnDeleteNamespace", guid(shown["ID"]), None)

    before = hcn.enumerate("HcnEnumerateNamespaces")
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(churn, range(80))) == {HResult.S_OK}
    assert hcn.enumerate("HcnEnumerateNamespaces") == before


@pytest.mark.ours(CARRIED)
def test_calls_keep_no_memory(hcn: SharedObject) -> None:
    def calls(count: int) -> None:
        for _ in range(count):
            opened, record = c_void_p(), Text()
            hcn.call("HcnOpenNetwork", guid(NOWHERE), byref(opened), record.place)
            record.take()
            hcn.enumerate("HcnEnumerateNetworks")

    def grown(count: int) -> int:
        before = bytes_in_use()
        calls(count)
        return bytes_in_use() - before

    calls(50)  # what libraries set up once
    # The lab is in this process, too, and its heap comes and goes; what a call keeps is kept in every round.
    assert min(grown(500) for _ in range(4)) < 500 * 32  # an empty record alone would be more


@pytest.mark.known("documentation", "ComputeNetwork.h, in microsoft/windows-rs Win32/System/HostComputeNetwork")
def test_ports_are_reserved_listed_and_released(hcn: SharedObject) -> None:
    service = hcn.create("HcnCreateGuestNetworkService", {"VirtualMachineId": NETWORK}, NETWORK)
    one, several, found = c_void_p(), c_void_p(), PortRange()
    assert hcn.call("HcnReserveGuestNetworkServicePort", service, 1, 1, c_uint16(8080), byref(one)) == HResult.S_OK
    ranged = hcn.call("HcnReserveGuestNetworkServicePortRange", service, c_uint16(16), byref(found), byref(several))
    assert (ranged, found.last - found.first) == (HResult.S_OK, 15)
    assert _reservations(hcn) == {(1, 8080, 8080), (3, found.first, found.last)}
    assert hcn.call("HcnReleaseGuestNetworkServicePortReservationHandle", one) == HResult.S_OK
    assert _reservations(hcn) == {(3, found.first, found.last)}


@pytest.mark.ours(CARRIED)
def test_a_service_is_found_by_tcp(api: World, hcn: SharedObject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNSFAKE_URL", f"http://127.0.0.1:{api.server.addresses['n1'].tcp}")
    assert hcn.enumerate("HcnEnumerateNetworks") == []


def _network(name: str) -> dict[str, object]:
    subnet = {"IpAddressPrefix": "10.1.0.0/24", "Routes": [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0"}]}
    return {
        "SchemaVersion": VERSION,
        "Name": name,
        "Type": "L2Bridge",
        "Ipams": [{"Type": "Static", "Subnets": [subnet]}],
    }


def _query_of(hcn: SharedObject, function: str, handle: c_void_p) -> int:
    output, record = Text(), Text()
    hresult = hcn.call(function, handle, None, output.place, record.place)
    assert output.take() is None
    record.take()
    return hresult


def _v1(vmcompute: SharedObject, method: str, path: str, document: object = None) -> dict[str, Any]:
    answer = Text()
    assert vmcompute.call("HNSCall", utf16(method), utf16(path), utf16(document), answer.place) == HResult.S_OK
    said: dict[str, Any] = json.loads(answer.take() or "")
    return said


def _reservations(hcn: SharedObject) -> set[tuple[int, int, int]]:
    count, entries = ctypes.c_uint32(), ctypes.POINTER(PortEntry)()
    assert hcn.call("HcnEnumerateGuestNetworkPortReservations", byref(count), byref(entries)) == HResult.S_OK
    found = {(entries[at].protocol, entries[at].first, entries[at].last) for at in range(count.value)}
    hcn.library.HcnFreeGuestNetworkPortReservations(entries)
    return found
