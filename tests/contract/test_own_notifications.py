"""Notifications of what Windows has no number for: the emulator's own, for who asks for them, and for nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from hnsfake import Lab
from hnsfake.node import Node
from hnsfake.service.notifications import EmulatorNotification as Own
from hnsfake.service.notifications import HcnNotification, Notification, Subscription
from tests.contract.service import VERSION

NUMBERS = "ComputeNetwork.h HCN_NOTIFICATIONS (microsoft/win32metadata): no number for it"
MAPPING = {"Protocol": 6, "InternalPort": 8080, "ExternalPort": 8090}


@pytest.fixture
def node() -> Node:
    return Lab(["n1"], dataplane="none", release="ws2025").nodes["n1"]


def _network(node: Node) -> str:
    subnets = [{"AddressPrefix": "10.1.0.0/24", "GatewayAddress": "10.1.0.1"}]
    made: str = node.hns_call("POST", "/networks/", {"Name": "n", "Type": "L2Bridge", "Subnets": subnets})["ID"]
    return made


def _endpoint(node: Node) -> str:
    made: str = node.hns_call("POST", "/endpoints/", {"VirtualNetwork": _network(node)})["ID"]
    return made


def _balancer(endpoint: str, **more: Any) -> dict[str, Any]:
    document = {"HostComputeEndpoints": [endpoint], "FrontendVIPs": ["1.1.1.2"], "PortMappings": [MAPPING]}
    return {**document, "SchemaVersion": VERSION, **more}


def _heard(subscription: Subscription) -> list[Notification]:
    subscription.close()
    return list(subscription)


def _kinds(subscription: Subscription) -> list[Any]:
    return [notification.kind for notification in _heard(subscription)]


@pytest.mark.known("inferred", NUMBERS)
def test_a_load_balancer_is_told_when_it_is_made_changed_and_deleted(node: Node) -> None:
    endpoint = _endpoint(node)
    with node.notifications(extended=True) as heard:
        handle = node.hcn("HcnCreateLoadBalancer", _balancer(endpoint)).handle
        changed = _balancer(endpoint, FrontendVIPs=["1.1.1.3"])
        node.hcn("HcnModifyLoadBalancer", changed, handle=handle)
        (made,) = node.service.state.load_balancers
        node.hcn("HcnDeleteLoadBalancer", object_id=made)
        told = _heard(heard)
    assert [one.kind for one in told] == [
        Own.LOAD_BALANCER_CREATE,
        Own.LOAD_BALANCER_MODIFY,
        Own.LOAD_BALANCER_DELETE,
    ]
    assert {(one.number, one.source) for one in told} == {(None, made)}


@pytest.mark.known("inferred", NUMBERS)
def test_a_policy_list_of_v1_is_told_as_what_it_is(node: Node) -> None:
    endpoint = _endpoint(node)
    heard = node.notifications(extended=True)
    elb = {"Type": "ELB", "VIPs": ["1.1.1.2"], "Protocol": 6, "InternalPort": 80, "ExternalPort": 80}
    route = {"Type": "ROUTE", "DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    for policy in (elb, route):
        document = {"References": [f"/endpoints/{endpoint}"], "Policies": [policy]}
        made = node.hns_call("POST", "/policylists/", document)
        node.hns_call("DELETE", f"/policylists/{made['ID']}")
    assert _kinds(heard) == [
        Own.LOAD_BALANCER_CREATE,
        Own.LOAD_BALANCER_DELETE,
        Own.SDN_ROUTE_CREATE,
        Own.SDN_ROUTE_DELETE,
    ]


@pytest.mark.known("inferred", NUMBERS)
def test_an_endpoint_is_told_beside_windows_own_numbers_in_the_order_of_its_life(node: Node) -> None:
    network = _network(node)
    heard = node.notifications(extended=True)
    endpoint = node.hns_call("POST", "/endpoints/", {"VirtualNetwork": network})["ID"]
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Host"})
    node.hns_call("DELETE", f"/endpoints/{endpoint}")
    assert _kinds(heard) == [
        Own.ENDPOINT_CREATE,
        HcnNotification.NETWORK_ENDPOINT_ATTACHED,
        HcnNotification.NETWORK_ENDPOINT_DETACHED,
        Own.ENDPOINT_DELETE,
    ]


@pytest.mark.known("documentation", NUMBERS)
def test_who_does_not_ask_hears_what_windows_has_a_number_for_alone(node: Node) -> None:
    heard = node.notifications()
    node.hcn("HcnCreateLoadBalancer", _balancer(_endpoint(node)))
    assert _kinds(heard) == [HcnNotification.NETWORK_PRE_CREATE, HcnNotification.NETWORK_CREATE]


@pytest.mark.known("inferred", "nothing changed")
def test_a_load_balancer_that_stays_as_it_is_is_not_told(node: Node) -> None:
    endpoint = _endpoint(node)
    handle = node.hcn("HcnCreateLoadBalancer", _balancer(endpoint)).handle
    heard = node.notifications(extended=True)
    node.hcn("HcnModifyLoadBalancer", _balancer(endpoint), handle=handle)
    assert _kinds(heard) == []


@pytest.mark.known("inferred", "a compute system's listener is told of that system")
def test_who_listens_to_a_container_hears_nothing_of_load_balancers(node: Node) -> None:
    node.create_compute_system("a")
    handle = node.hcn("HcsOpenComputeSystem", object_id="a").handle
    registration = node.hcn("HcsRegisterComputeSystemCallback", handle=handle).handle
    heard = node.service.subscription(registration, "")
    assert heard is not None
    heard.extended = True
    node.hcn("HcnCreateLoadBalancer", _balancer(_endpoint(node)))
    assert _kinds(heard) == []


@pytest.mark.known("inferred", "the wait is the listener's own")
def test_waiting_ends_in_time_though_only_the_emulators_own_come(node: Node) -> None:
    heard = node.notifications()
    node.service.notifications.publish([(Own.ENDPOINT_CREATE, "x")] * 5)
    with pytest.raises(TimeoutError):
        heard.next(timeout=0.01)
