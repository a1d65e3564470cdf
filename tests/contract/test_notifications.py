"""Notifications: who registered hears what changed (ComputeNetwork.h; microsoft/hcsshim internal/hcs/callback.go)."""

from __future__ import annotations

import pytest

from hnsfake import Lab
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.node import Node
from hnsfake.service.notifications import HcnNotification, Subscription, SystemNotification

NOTIFICATIONS = "learn.microsoft.com hcn HCN_NOTIFICATIONS"

VERSION = {"Major": 2, "Minor": 0}


@pytest.fixture
def node() -> Node:
    return Lab(["n1"], dataplane="none").nodes["n1"]


def _heard(subscription: Subscription) -> list[int | None]:
    subscription.close()
    return [notification.number for notification in subscription]


def _network(node: Node) -> str:
    subnets = [{"AddressPrefix": "10.1.0.0/24", "GatewayAddress": "10.1.0.1"}]
    made: str = node.hns_call("POST", "/networks/", {"Name": "n", "Type": "L2Bridge", "Subnets": subnets})["ID"]
    return made


@pytest.mark.known("documentation", NOTIFICATIONS)
def test_networks_are_told_before_and_after(node: Node) -> None:
    heard = node.notifications()
    node.hns_call("DELETE", f"/networks/{_network(node)}")
    N = HcnNotification  # noqa: N806
    told = [N.NETWORK_PRE_CREATE, N.NETWORK_CREATE, N.NETWORK_PRE_DELETE, N.NETWORK_DELETE]
    assert _heard(heard) == told


@pytest.mark.known("documentation", NOTIFICATIONS)
def test_namespaces_are_told(node: Node) -> None:
    heard = node.notifications()
    node.hcn("HcnCreateNamespace", {"SchemaVersion": VERSION}, object_id="11111111-2222-3333-4444-555555555555")
    node.hcn("HcnDeleteNamespace", object_id="11111111-2222-3333-4444-555555555555")
    assert _heard(heard) == [HcnNotification.NAMESPACE_CREATE, HcnNotification.NAMESPACE_DELETE]


@pytest.mark.known("documentation", NOTIFICATIONS)
def test_attached_and_detached_endpoints_are_told(node: Node) -> None:
    endpoint = node.hns_call("POST", "/endpoints/", {"Name": "e", "VirtualNetwork": _network(node)})["ID"]
    heard = node.notifications()
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Host"})
    node.hns_call("POST", f"/endpoints/{endpoint}/detach", {"SystemType": "Host"})
    assert _heard(heard) == [HcnNotification.NETWORK_ENDPOINT_ATTACHED, HcnNotification.NETWORK_ENDPOINT_DETACHED]


@pytest.mark.known("inferred", "what did not happen is not told")
def test_a_call_that_failed_tells_nothing(node: Node) -> None:
    heard = node.notifications()
    with pytest.raises(HnsError):
        node.hns_call("POST", "/networks/", {"Name": "n", "Type": "Nonsense"})
    assert _heard(heard) == []


@pytest.mark.ours("how our service keeps what nobody takes")
def test_who_never_listens_holds_nobody_up(node: Node) -> None:
    heard = node.notifications()
    for _ in range(20_000):
        node.service.notifications.publish([(HcnNotification.NETWORK_CREATE, "x")])
    assert len(_heard(heard)) < 20_000


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcs/callback.go")
def test_a_container_tells_of_itself_alone(node: Node) -> None:
    node.create_compute_system("a")
    node.create_compute_system("b")
    handle = node.hcn("HcsOpenComputeSystem", object_id="a").handle
    registration = node.hcn("HcsRegisterComputeSystemCallback", handle=handle).handle
    heard = node.service.subscription(registration, "")
    assert heard is not None
    node.delete_compute_system("b")
    _network(node)
    node.delete_compute_system("a")
    assert _heard(heard) == [SystemNotification.SYSTEM_EXITED]


@pytest.mark.known("documentation", "learn.microsoft.com hcn HcnRegisterServiceCallback, HcnUnregisterServiceCallback")
def test_a_registration_ends_once(node: Node) -> None:
    registration = node.hcn("HcnRegisterServiceCallback").handle
    heard = node.service.subscription(registration, "")
    assert heard is not None
    node.hcn("HcnUnregisterServiceCallback", handle=registration)
    assert list(heard) == []
    with pytest.raises(HnsError) as refused:
        node.hcn("HcnUnregisterServiceCallback", handle=registration)
    assert refused.value.hresult == HResult.E_HANDLE


@pytest.mark.known("inferred", "learn.microsoft.com hcn-declaration-handles: handles are RPC context handles")
def test_another_clients_registration_is_no_handle(node: Node) -> None:
    registration = node.hcn("HcnRegisterServiceCallback").handle
    assert node.service.subscription(registration, "somebody else") is None


def _service(node: Node, object_id: str) -> int | None:
    return node.hcn("HcnCreateGuestNetworkService", {"SchemaVersion": VERSION}, object_id=object_id).handle


@pytest.mark.known("inferred", "learn.microsoft.com HCN_NOTIFICATIONS")
def test_a_guest_network_service_tells_who_registered_with_it_of_its_states_and_its_end(node: Node) -> None:
    all_of_hns = node.notifications()
    service = _service(node, "11111111-2222-3333-4444-555555555555")
    _service(node, "22222222-2222-3333-4444-555555555555")
    registration = node.hcn("HcnRegisterGuestNetworkServiceCallback", handle=service).handle
    heard = node.service.subscription(registration, "")
    assert heard is not None
    for state in ("Paused", "Paused", "Synchronized"):
        request = {"ResourceType": "State", "RequestType": "Update", "Settings": {"State": state}}
        node.hcn("HcnModifyGuestNetworkService", request, handle=service)
    node.hcn("HcnDeleteGuestNetworkService", object_id="22222222-2222-3333-4444-555555555555")
    node.hcn("HcnDeleteGuestNetworkService", object_id="11111111-2222-3333-4444-555555555555")
    N = HcnNotification  # noqa: N806
    created, deleted = N.GUEST_NETWORK_SERVICE_CREATE, N.GUEST_NETWORK_SERVICE_DELETE
    changed = N.GUEST_NETWORK_SERVICE_STATE_CHANGED
    assert _heard(heard) == [changed, changed, deleted]
    assert _heard(all_of_hns) == [created, created, deleted, deleted]


@pytest.mark.known("inferred", "learn.microsoft.com HcnUnregisterGuestNetworkServiceCallback")
@pytest.mark.parametrize("kind", ["GuestNetworkService", "ComputeSystem"])
def test_a_registration_with_an_object_ends_once_and_nothing_is_heard_after_it(node: Node, kind: str) -> None:
    if kind == "GuestNetworkService":
        prefix, source = "Hcn", _service(node, "11111111-2222-3333-4444-555555555555")
    else:
        node.create_compute_system("a")
        prefix, source = "Hcs", node.hcn("HcsOpenComputeSystem", object_id="a").handle
    registration = node.hcn(f"{prefix}Register{kind}Callback", handle=source).handle
    heard = node.service.subscription(registration, "")
    assert heard is not None
    node.hcn(f"{prefix}Unregister{kind}Callback", handle=registration)
    node.reboot()
    assert list(heard) == []
    with pytest.raises(HnsError) as refused:
        node.hcn(f"{prefix}Unregister{kind}Callback", handle=registration)
    assert refused.value.hresult == HResult.E_HANDLE


@pytest.mark.known("inferred", "learn.microsoft.com HcnRegisterGuestNetworkServiceCallback takes a handle")
@pytest.mark.parametrize("function", ["HcnRegisterGuestNetworkServiceCallback", "HcsRegisterComputeSystemCallback"])
def test_who_has_no_handle_of_the_object_can_not_register_with_it(node: Node, function: str) -> None:
    network = node.hcn("HcnOpenNetwork", object_id=_network(node)).handle
    with pytest.raises(HnsError) as refused:
        node.hcn(function, handle=network)
    assert refused.value.hresult == HResult.E_HANDLE
