"""Callbacks that a Linux program registers with the native libraries."""

from __future__ import annotations

import queue
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.service.notifications import HcnNotification, SystemNotification

from .shared_object import SharedObject, Text, callback, guid, utf16
from .world import World

NOTIFICATIONS = "learn.microsoft.com hcn HCN_NOTIFICATIONS"
REGISTER = "learn.microsoft.com hcn HcnRegisterServiceCallback"
HANDLES = "learn.microsoft.com hcn-declaration-handles: RPC context handles"

PATIENCE = 10
NETWORK = "11111111-2222-3333-4444-555555555555"
NAMESPACE = {"SchemaVersion": {"Major": 2, "Minor": 0}}
ENDPOINT = "22222222-2222-3333-4444-555555555555"
BALANCER = {
    **NAMESPACE,
    "HostComputeEndpoints": [ENDPOINT],
    "FrontendVIPs": ["1.1.1.2"],
    "PortMappings": [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}],
}
DISCONNECT = 0x01000000


@dataclass
class Heard:
    """A callback, and what it heard."""

    items: queue.Queue[tuple[int, int, str | None]] = field(default_factory=queue.Queue)
    function: Any = None

    def __post_init__(self) -> None:
        """Make the callback."""
        self.function = callback(lambda number, status, data: self.items.put((number, status, data)))

    def next(self) -> tuple[int, int, str | None]:
        """Wait for a notification."""
        return self.items.get(timeout=PATIENCE)


@pytest.mark.known("inferred", NOTIFICATIONS + "; the data is not published")
def test_a_change_is_told_with_the_objects_id(hcn: SharedObject) -> None:
    heard = Heard()
    _register(hcn, heard)
    hcn.create("HcnCreateNamespace", NAMESPACE, NETWORK)
    number, status, data = heard.next()
    assert (number, status) == (HcnNotification.NAMESPACE_CREATE, HResult.S_OK)
    assert NETWORK in (data or "").lower()


@pytest.mark.known("documentation", REGISTER)
def test_a_load_balancer_for_which_windows_has_no_number_is_not_told(hcn: SharedObject) -> None:
    network = hcn.create("HcnCreateNetwork", {**NAMESPACE, "Name": "nat", "Type": "NAT"})
    hcn.create("HcnCreateEndpoint", NAMESPACE, ENDPOINT, network)
    heard = Heard()
    _register(hcn, heard)
    hcn.create("HcnCreateLoadBalancer", BALANCER)
    hcn.create("HcnCreateNamespace", NAMESPACE)
    assert heard.next()[0] == HcnNotification.NAMESPACE_CREATE
    assert heard.items.empty()


@pytest.mark.known("documentation", REGISTER)
def test_every_registration_hears(hcn: SharedObject) -> None:
    first, second = Heard(), Heard()
    _register(hcn, first)
    _register(hcn, second)
    hcn.create("HcnCreateNamespace", NAMESPACE)
    assert first.next() == second.next()


@pytest.mark.known("documentation", REGISTER)
def test_after_unregistering_nothing_is_heard(hcn: SharedObject) -> None:
    gone, other = Heard(), Heard()
    registration = _register(hcn, gone)
    _register(hcn, other)
    assert hcn.call("HcnUnregisterServiceCallback", registration) == HResult.S_OK
    hcn.create("HcnCreateNamespace", NAMESPACE)
    other.next()
    assert gone.items.empty()


@pytest.mark.known("inferred", REGISTER + ": nothing forbids it")
def test_a_callback_may_end_its_own_registration(hcn: SharedObject) -> None:
    ended: queue.Queue[int] = queue.Queue()
    registration = c_void_p()

    def end(_number: int, _status: int, _data: str | None) -> None:
        ended.put(hcn.call("HcnUnregisterServiceCallback", registration))

    function = callback(end)
    assert hcn.call("HcnRegisterServiceCallback", function, None, byref(registration)) == HResult.S_OK
    hcn.create("HcnCreateNamespace", NAMESPACE)
    assert ended.get(timeout=PATIENCE) == HResult.S_OK
    assert hcn.call("HcnUnregisterServiceCallback", registration) == HResult.E_HANDLE


@pytest.mark.known("inferred", REGISTER + ": nothing forbids it")
def test_a_callback_may_call(hcn: SharedObject) -> None:
    found: queue.Queue[list[str]] = queue.Queue()
    function = callback(lambda *_: found.put(hcn.enumerate("HcnEnumerateNetworks")))
    registration = c_void_p()
    assert hcn.call("HcnRegisterServiceCallback", function, None, byref(registration)) == HResult.S_OK
    hcn.create("HcnCreateNamespace", NAMESPACE)
    assert found.get(timeout=PATIENCE) == []
    assert hcn.call("HcnUnregisterServiceCallback", registration) == HResult.S_OK


@pytest.mark.known("inferred", HANDLES)
@pytest.mark.parametrize("number", [0, 1, 2**64 - 1])
def test_what_is_no_registration_cannot_be_ended(hcn: SharedObject, number: int) -> None:
    assert hcn.call("HcnUnregisterServiceCallback", c_void_p(number)) == HResult.E_HANDLE


@pytest.mark.known("inferred", HANDLES)
def test_an_open_object_is_no_registration(hcn: SharedObject) -> None:
    handle = hcn.create("HcnCreateNamespace", NAMESPACE)
    assert hcn.call("HcnUnregisterServiceCallback", handle) == HResult.E_HANDLE


@pytest.mark.known("documentation", NOTIFICATIONS + ": HcnNotificationServiceDisconnect")
def test_a_service_that_ends_is_told(api: World, hcn: SharedObject) -> None:
    heard = Heard()
    _register(hcn, heard)
    api.server.close()
    number, status, _ = heard.next()
    assert number == DISCONNECT
    assert status != HResult.S_OK


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/callback.go")
def test_a_compute_systems_end_is_told(vmcompute: SharedObject) -> None:
    heard, system, record = Heard(), c_void_p(), Text()
    configuration = utf16({"SystemType": "Container", "Name": "c"})
    assert not vmcompute.call("HcsCreateComputeSystem", utf16("c"), configuration, None, byref(system), record.place)
    registration = c_void_p()
    register = ("HcsRegisterComputeSystemCallback", system, heard.function, None, byref(registration))
    assert vmcompute.call(*register) == HResult.S_OK
    vmcompute.call("HcsStartComputeSystem", system, None, record.place)
    vmcompute.call("HcsTerminateComputeSystem", system, None, record.place)
    told = [heard.next()[0]]
    while told[-1] != SystemNotification.SYSTEM_EXITED:
        told.append(heard.next()[0])
    assert vmcompute.call("HcsUnregisterComputeSystemCallback", registration) == HResult.S_OK


@pytest.mark.known("documentation", NOTIFICATIONS)
def test_a_guest_network_service_is_told_of_its_own(hcn: SharedObject) -> None:
    heard, registration = Heard(), c_void_p()
    service = hcn.create("HcnCreateGuestNetworkService", {"VirtualMachineId": NETWORK}, NETWORK)
    register = ("HcnRegisterGuestNetworkServiceCallback", service, heard.function, None, byref(registration))
    assert hcn.call(*register) == HResult.S_OK
    assert hcn.call("HcnDeleteGuestNetworkService", guid(NETWORK), None) == HResult.S_OK
    assert heard.next()[0]
    assert hcn.call("HcnUnregisterGuestNetworkServiceCallback", registration) == HResult.S_OK


def _register(hcn: SharedObject, heard: Heard) -> c_void_p:
    registration = c_void_p()
    assert hcn.call("HcnRegisterServiceCallback", heard.function, None, byref(registration)) == HResult.S_OK
    return registration
