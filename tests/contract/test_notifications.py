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
