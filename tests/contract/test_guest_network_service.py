"""Guest network services and the host ports they reserve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Reply
from tests.contract.service import VERSION, Bench

HEADER = "ComputeNetwork.h, in microsoft/windows-rs Win32/System/HostComputeNetwork"

TCP, UDP, BOTH = 1, 2, 3
EXCLUSIVE, SHARED = 1, 2
VM = "11111111-2222-3333-4444-555555555555"
SERVICE = {"VirtualMachineId": VM, "MirrorHostNetworking": True, "Flags": 3, "SchemaVersion": VERSION}


def service(bench: Bench, object_id: str = VM) -> int:
    handle = bench.invoke("HcnCreateGuestNetworkService", SERVICE, id=object_id).handle
    assert handle is not None
    return handle


def reserve(bench: Bench, handle: int, port: int, protocol: int = TCP, access: int = EXCLUSIVE) -> Reply:
    document = {"Protocol": protocol, "Access": access, "Port": port}
    return bench.invoke("HcnReserveGuestNetworkServicePort", document, handle=handle)


def reservations(bench: Bench) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(bench.invoke("HcnEnumerateGuestNetworkPortReservations").output or "")
    return listed


@pytest.mark.known("documentation", HEADER)
def test_a_reserved_port_is_listed_until_its_handle_is_released() -> None:
    bench = Bench()
    made = reserve(bench, service(bench), 8080)
    (entry,) = reservations(bench)
    assert (entry["Protocol"], entry["StartingPort"], entry["EndingPort"]) == (TCP, 8080, 8080)
    assert VM in (entry["OwningPartitionId"], entry["TargetPartitionId"])
    assert bench.invoke("HcnReleaseGuestNetworkServicePortReservationHandle", handle=made.handle).ok
    assert reservations(bench) == []
    again = bench.invoke("HcnReleaseGuestNetworkServicePortReservationHandle", handle=made.handle)
    assert again.hresult == HResult.E_HANDLE


@pytest.mark.known("inferred", HEADER + ": HCN_PORT_ACCESS_EXCLUSIVE, _SHARED")
@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ((TCP, EXCLUSIVE), (TCP, EXCLUSIVE), False),
        ((TCP, EXCLUSIVE), (UDP, EXCLUSIVE), True),
        ((BOTH, EXCLUSIVE), (UDP, EXCLUSIVE), False),
        ((UDP, SHARED), (UDP, SHARED), True),
        ((UDP, SHARED), (UDP, EXCLUSIVE), False),
        ((UDP, EXCLUSIVE), (UDP, SHARED), False),
    ],
)
def test_only_shared_reservations_of_one_port_live_together(
    first: tuple[int, int], second: tuple[int, int], together: bool
) -> None:
    bench = Bench()
    handle = service(bench)
    assert reserve(bench, handle, 5353, *first).ok
    assert reserve(bench, handle, 5353, *second).ok is together


@pytest.mark.known("documentation", HEADER)
def test_ranges_are_as_long_as_asked_and_do_not_overlap() -> None:
    bench = Bench()
    handle = service(bench)
    taken: set[int] = set()
    for count in (1, 100, 1000):
        reply = bench.invoke("HcnReserveGuestNetworkServicePortRange", {"PortCount": count}, handle=handle)
        chosen = json.loads(reply.output or "")
        ports = set(range(chosen["StartingPort"], chosen["EndingPort"] + 1))
        assert len(ports) == count
        assert not ports & taken
        taken |= ports


@pytest.mark.known("inferred", "projectcalico/calico#4682: pools of ports are reserved for OutBoundNAT")
def test_a_range_leaves_the_ports_of_outbound_nat_alone() -> None:
    bench = Bench()
    bench.endpoint(bench.network("L2Bridge")["ID"], Policies=[{"Type": "OutBoundNAT", "Settings": {}}])
    (endpoint,) = bench.service.state.endpoints.values()
    assert endpoint.pool is not None
    reply = bench.invoke("HcnReserveGuestNetworkServicePortRange", {"PortCount": 8}, handle=service(bench))
    assert json.loads(reply.output or "")["StartingPort"] not in range(endpoint.pool[0], sum(endpoint.pool))


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_PORT_ALREADY_EXISTS")
def test_more_ports_than_there_are_is_refused() -> None:
    bench = Bench()
    reply = bench.invoke("HcnReserveGuestNetworkServicePortRange", {"PortCount": 65535}, handle=service(bench))
    assert reply.hresult == HResult.ERROR_INTERNAL_ERROR


@pytest.mark.known("inferred", HEADER + ": HCN_PORT_PROTOCOL, HCN_PORT_ACCESS")
@pytest.mark.parametrize(("port", "protocol", "access"), [(0, TCP, EXCLUSIVE), (80, 4, EXCLUSIVE), (80, TCP, 0)])
def test_numbers_that_name_nothing_are_an_invalid_argument(port: int, protocol: int, access: int) -> None:
    bench = Bench()
    assert reserve(bench, service(bench), port, protocol, access).hresult == HResult.E_INVALIDARG


@pytest.mark.known("inferred", "a reservation is made for a service (ComputeNetwork.h)")
def test_a_deleted_service_takes_its_reservations_along() -> None:
    bench = Bench()
    keeper = service(bench)
    other = service(bench, "22222222-2222-3333-4444-555555555555")
    reserve(bench, keeper, 80)
    reserve(bench, other, 81)
    assert bench.invoke("HcnDeleteGuestNetworkService", id=VM).ok
    assert [entry["StartingPort"] for entry in reservations(bench)] == [81]
    assert reserve(bench, keeper, 82).hresult == HResult.ERROR_NOT_FOUND


@pytest.mark.known("inferred", "MicrosoftDocs/Virtualization-Documentation HCN schema: GuestNetworkServiceState")
def test_a_state_that_is_one_is_taken_and_another_refused() -> None:
    bench = Bench()
    handle = service(bench)

    def to(state: str) -> Reply:
        request = {"ResourceType": "State", "RequestType": "Update", "Settings": {"State": state}}
        return bench.invoke("HcnModifyGuestNetworkService", request, handle=handle)

    assert to("Bootstrapping").ok
    (kept,) = bench.service.state.guest_network_services.values()
    assert kept.state == "Bootstrapping"
    assert to("Dancing").hresult == HResult.E_INVALIDARG


@pytest.mark.known("documentation", HEADER)
def test_a_closed_service_is_still_there_and_its_handle_is_not() -> None:
    bench = Bench()
    handle = service(bench)
    assert bench.invoke("HcnCloseGuestNetworkService", handle=handle).ok
    assert reserve(bench, handle, 80).hresult == HResult.E_HANDLE
    assert bench.invoke("HcnDeleteGuestNetworkService", id=VM).ok


@pytest.mark.known("inferred", "learn.microsoft.com hcn-declaration-handles: handles are RPC context handles")
def test_after_a_restart_services_are_there_and_reservations_went_with_their_handles(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    bench = Bench(journal=journal)
    reserve(bench, service(bench), 80)
    bench.service.close()
    again = Bench(journal=journal)
    assert reservations(again) == []
    assert again.invoke("HcnDeleteGuestNetworkService", id=VM).ok


WHOLE: dict[str, Any] = {
    "ID": VM,
    "Name": "wsl",
    "Owner": "WSL",
    "VirtualMachineId": VM,
    "MirroredInterfaces": [{"InterfaceGuid": VM}],
    "MirrorHostNetworking": True,
    "GnsRpcServerInformation": {"RpcEndpoints": []},
    "Flags": "IsFlowsteered",
    "SchemaVersion": VERSION,
}


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation, GuestNetworkService")
def test_a_service_has_the_id_of_its_document_and_every_field_is_known() -> None:
    bench = Bench()
    assert bench.invoke("HcnCreateGuestNetworkService", WHOLE).ok
    (made,) = bench.service.state.guest_network_services.values()
    assert (made.id, made.virtual_machine, made.mirror_host, made.flags) == (VM, VM, True, "IsFlowsteered")
    assert bench.service.unknown_fields == {}
    assert bench.invoke("HcnCreateGuestNetworkService", WHOLE).hresult == HResult.ERROR_ALREADY_EXISTS


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation, GuestNetworkService")
@pytest.mark.parametrize("name", WHOLE)
def test_a_field_of_a_service_that_has_another_type_is_refused(name: str) -> None:
    bench = Bench()
    reply = bench.invoke("HcnCreateGuestNetworkService", {**WHOLE, name: 1.5})
    assert reply.hresult == HResult.HCN_E_INVALID_JSON
    assert bench.service.state.guest_network_services == {}
