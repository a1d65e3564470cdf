"""A compartment's registry view: what its endpoints' documents say, and the same as the kernel has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hnsfake import Lab
from hnsfake.dataplane.metrics import INTERNAL_VNIC, LOW_VNIC, VNIC
from hnsfake.documents.dns import DnsSettings
from hnsfake.node import Node
from hnsfake.service.registry import NoCompartmentError

V2 = {"Major": 2, "Minor": 0}
NAMESPACE = "11111111-2222-3333-4444-555555555555"
LOW_METRIC = 8
ROUTES: list[dict[str, Any]] = [
    {"NextHop": "10.1.1.1", "DestinationPrefix": "0.0.0.0/0", "Metric": 7},
    {"NextHop": "10.1.1.2", "DestinationPrefix": "10.9.0.0/16"},
]
DNS = {"ServerList": ["10.96.0.10"], "Search": ["a.test", "b.test"]}


@dataclass
class Pod:
    """A namespace on a node, to which endpoints are added."""

    node: Node

    def add(self, kind: str, prefix: str, **more: Any) -> str:
        """Give the namespace an endpoint on a network of its own; return its id."""
        gateway = prefix.replace(".0/24", ".1")
        subnets = [{"IpAddressPrefix": prefix, "Routes": [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0"}]}]
        document = {"Name": f"{kind}-{prefix}", "Type": kind, "Ipams": [{"Subnets": subnets}], "SchemaVersion": V2}
        network = self.node.hcn("HcnCreateNetwork", document).handle
        endpoint = {"Name": f"on {kind}", "SchemaVersion": V2, **more}
        made = self.node.hcn("HcnCreateEndpoint", endpoint, handle=network).handle
        self.node.hcn("HcnCloseEndpoint", handle=made)
        return self.join(list(self.node.service.state.endpoints)[-1])

    def join(self, endpoint: str) -> str:
        """Put an endpoint into the namespace."""
        return self._modify(endpoint, "Add")

    def leave(self, endpoint: str) -> str:
        """Take an endpoint out of the namespace."""
        return self._modify(endpoint, "Remove")

    def _modify(self, endpoint: str, request: str) -> str:
        handle = self.node.hcn("HcnOpenNamespace", object_id=NAMESPACE).handle
        settings = {"ResourceType": "Endpoint", "RequestType": request, "Settings": {"EndpointId": endpoint}}
        self.node.hcn("HcnModifyNamespace", settings, handle=handle)
        return endpoint


@pytest.fixture
def pod() -> Iterator[Pod]:
    with Lab(["n1"], dataplane="none") as lab:
        yield _pod(lab)


@pytest.fixture
def real_pod() -> Iterator[Pod]:
    with Lab(["n1"]) as lab:
        yield _pod(lab)


def _pod(lab: Lab) -> Pod:
    node = lab.nodes["n1"]
    node.hcn("HcnCreateNamespace", {"SchemaVersion": V2}, object_id=NAMESPACE)
    return Pod(node)


@pytest.mark.known("published output", "microsoft/Windows-Containers#386; projectcalico/cni-plugin#987")
@pytest.mark.parametrize(
    ("kind", "flags", "metric"),
    [
        ("NAT", 0, INTERNAL_VNIC),
        ("L2Bridge", 0, VNIC),
        ("NAT", LOW_METRIC, LOW_VNIC),
        ("L2Bridge", LOW_METRIC, LOW_VNIC),
    ],
)
def test_an_interfaces_metric_goes_by_its_switch_unless_it_is_to_be_low(
    pod: Pod, kind: str, flags: int, metric: int
) -> None:
    pod.add(kind, "10.1.1.0/24", Flags=flags)
    (interface,) = pod.node.registry(2).interfaces
    assert interface.metric == metric


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsendpoint.go EnableLowMetric")
def test_v1s_low_metric_is_v2s(pod: Pod) -> None:
    network = pod.node.hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})["ID"]
    document = {"VirtualNetwork": network, "EnableLowMetric": True}
    pod.join(pod.node.hns_call("POST", "/endpoints/", document)["ID"].upper())
    (interface,) = pod.node.registry(2).interfaces
    assert interface.metric == LOW_VNIC


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint.go: Dns and Routes of an endpoint")
def test_what_the_document_says_is_registered(pod: Pod) -> None:
    endpoint = pod.add("L2Bridge", "10.1.1.0/24", Routes=ROUTES, Dns=DNS, IpConfigurations=[{"IpAddress": "10.1.1.10"}])
    shown = pod.node.registry(2).shown()
    (interface,) = shown["interfaces"]
    assert (shown["compartment"], shown["search_list"]) == (2, ["a.test", "b.test"])
    assert (interface["guid"], interface["alias"]) == (endpoint, "vEthernet (on L2Bridge)")
    assert (interface["addresses"], interface["suffix"]) == (["10.1.1.10/24"], "a.test")
    assert interface["name_servers"] == ["10.96.0.10"]
    assert [tuple(route.values()) for route in interface["routes"]] == [
        ("0.0.0.0/0", "10.1.1.1", 7, 22),
        ("10.9.0.0/16", "10.1.1.2", 256, 271),
    ]


@pytest.mark.known("published output", "openziti/desktop-edge-win#338: names go to the interface of the lowest metric")
def test_names_are_resolved_by_the_interface_of_the_lowest_metric(pod: Pod) -> None:
    pod.add("NAT", "10.1.1.0/24", Dns={"ServerList": ["10.1.1.53"]})
    assert pod.node.dns(2).servers == ("10.1.1.53",)
    pod.add("NAT", "10.1.2.0/24", Dns={"ServerList": ["10.1.2.53"]}, Flags=LOW_METRIC)
    assert pod.node.dns(2).servers == ("10.1.2.53",)


@pytest.mark.known("inferred", "the view is of what is in the compartment")
def test_an_endpoint_that_leaves_takes_its_settings_along(pod: Pod) -> None:
    endpoint = pod.add("NAT", "10.1.1.0/24", Dns=DNS)
    before = pod.node.registry(2)
    pod.leave(endpoint)
    assert (pod.node.registry(2).interfaces, pod.node.dns(2)) == ((), DnsSettings())
    pod.join(endpoint)
    assert pod.node.registry(2) == before


@pytest.mark.known("documentation", "kubernetes/website windows-networking: each container has its own settings")
def test_the_hosts_view_is_apart_from_a_containers(pod: Pod) -> None:
    pod.add("L2Bridge", "10.1.1.0/24", Dns=DNS)
    pod.add("NAT", "10.1.2.0/24")
    shown = {one.alias: (one.metric, [str(a) for a in one.addresses]) for one in pod.node.registry(1).interfaces}
    assert shown == {
        "vEthernet (Ethernet)": (VNIC, ["10.127.0.11/24"]),
        "vEthernet (NAT-10.1.2.0/24)": (INTERNAL_VNIC, ["10.1.2.1/24"]),
    }
    assert pod.node.registry(1).dns == DnsSettings()


@pytest.mark.known("inferred", "the settings are the endpoint's, which outlives both (projectcalico/calico#5164)")
def test_a_restart_changes_nothing_and_after_a_reboot_the_endpoint_brings_its_settings_again(pod: Pod) -> None:
    endpoint = pod.add("L2Bridge", "10.1.1.0/24", Routes=[{**ROUTES[0], "Metric": 9}], Dns=DNS, Flags=LOW_METRIC)
    before = pod.node.registry(2)
    pod.node.restart_service()
    assert pod.node.registry(2) == before
    pod.node.reboot()
    with pytest.raises(NoCompartmentError):
        pod.node.registry(2)
    pod.node.hcn("HcnCreateNamespace", {"SchemaVersion": V2}, object_id=NAMESPACE)
    pod.join(endpoint)
    assert pod.node.registry(2) == before


@pytest.mark.known("inferred", "what is registered is what is in force")
@pytest.mark.parametrize("number", [1, 2])
def test_the_kernel_has_what_is_registered(real_pod: Pod, number: int) -> None:
    real_pod.add("L2Bridge", "10.1.1.0/24", Routes=ROUTES)
    real_pod.add("NAT", "10.1.2.0/24", Flags=LOW_METRIC)
    node, view = real_pod.node, real_pod.node.registry(number)
    assert node.linux is not None
    metrics = {interface.alias: interface.metric for interface in node.linux.interfaces(number)}
    assert metrics == {interface.alias: interface.metric for interface in view.interfaces}
    active = {(route.destination, route.next_hop, route.metric) for route in node.routes(number)}
    for interface in view.interfaces:
        on_link = {(address.network, None, interface.metric + 256) for address in interface.addresses}
        given = {(route.destination, route.next_hop, interface.metric + route.metric) for route in interface.routes}
        assert on_link | given <= active
