"""What a compartment has in its own registry view: routes, metrics, name servers."""

from __future__ import annotations

import uuid

import pytest

from suites import documents, topology
from suites.drivers import on
from suites.host import Lane, Route
from suites.topology import NodeNetwork, Pod

LOW_METRIC = 8  # an endpoint's flag (microsoft/SDN Kubernetes/windows/hns.v2.psm1)
IN_A_CONTAINER = "microsoft/Windows-Containers#386: route print"
SUM = "learn.microsoft.com Get-NetRoute: RouteMetric is added to InterfaceMetric"
EVERYWHERE = "0.0.0.0/0"


def _defaults(node: NodeNetwork, compartment: int) -> list[Route]:
    return [route for route in node.host.routes(compartment) if route.destination == EVERYWHERE]


def _second_endpoint(node: NodeNetwork, pod: Pod, **more: object) -> str:
    """Give a pod an endpoint on another network; return its id."""
    document = node.endpoint(f"{uuid.uuid4().hex[:12]}", node.address(), node.gateway, **more)
    endpoint = node.hns.create("Endpoint", document, network=node.network)
    node.undo(node.hns.delete, "Endpoint", endpoint)
    node.hns.join(pod.namespace, endpoint)
    return endpoint


@on("NAT")
@pytest.mark.known("published output", IN_A_CONTAINER)
def test_a_containers_routes_have_metric_256_on_an_interface_of_5000(n1: NodeNetwork) -> None:
    pod = n1.pod()
    routes = n1.host.routes(pod.compartment)
    assert {(route.destination, route.next_hop) for route in routes} >= {(EVERYWHERE, n1.gateway), (n1.prefix, "")}
    assert {(route.metric, route.interface_metric) for route in routes} == {(256, 5000)}


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnglobals.go Route: NextHop, DestinationPrefix, Metric")
def test_a_routes_metric_is_that_of_the_document(n1: NodeNetwork) -> None:
    pod = n1.pod(Routes=[{"NextHop": n1.gateway, "DestinationPrefix": EVERYWHERE, "Metric": 7}])
    (default,) = _defaults(n1, pod.compartment)
    assert (default.next_hop, default.metric) == (n1.gateway, 7)


@pytest.mark.known("documentation", SUM)
def test_each_route_has_the_metric_of_its_interface(n1: NodeNetwork) -> None:
    pod = n1.pod()
    metrics = {interface.alias: interface.metric for interface in n1.host.interfaces(pod.compartment)}
    assert metrics
    assert {route.alias: route.interface_metric for route in n1.host.routes(pod.compartment)} == metrics


@pytest.mark.known("inferred", "the name EnableLowMetric")
def test_an_endpoint_with_low_metric_has_a_lower_one(n1: NodeNetwork) -> None:
    plain, low = n1.pod(), n1.pod(Flags=LOW_METRIC)
    (high,), (lower,) = (_defaults(n1, pod.compartment) for pod in (plain, low))
    assert lower.effective_metric < high.effective_metric


@pytest.mark.known("documentation", SUM)
def test_packets_leave_by_the_endpoint_whose_route_has_the_lower_metric(lane: Lane) -> None:
    with topology.build("NAT", lane) as one, topology.build("NAT", lane) as other:
        here, there = one.nodes[0], other.nodes[0]
        with here.pods(), there.pods():
            pod = here.pod()
            second = _second_endpoint(there, pod, Flags=LOW_METRIC)
            address = there.hns.query("Endpoint", second)["IpConfigurations"][0]["IpAddress"]
            listening = lane.outside.tcp_server()
            with_both = pod.place.tcp(lane.outside_address, listening.port).local
            there.hns.leave(pod.namespace, second)
            with_one = pod.place.tcp(lane.outside_address, listening.port).local
            listening.stop()
    assert with_both is not None
    assert with_one is not None
    assert (with_both[0], with_one[0]) == (address, pod.address)


@pytest.mark.known("published output", "kubernetes-sigs/sig-windows-tools#340: ipconfig /all in a pod")
def test_suffix_and_name_servers_are_the_interfaces_own(n1: NodeNetwork) -> None:
    search = ["development.svc.cluster.local", "svc.cluster.local", "cluster.local"]
    pod = n1.pod(Dns={"ServerList": ["10.96.0.10"], "Search": search})
    (client,) = n1.host.dns_clients(pod.compartment)
    assert (client.suffix, client.servers) == (search[0], ("10.96.0.10",))


@pytest.mark.known("documentation", "kubernetes/website windows-networking: each container has its own settings")
def test_the_hosts_settings_are_apart_from_a_pods(n1: NodeNetwork) -> None:
    before = n1.host.dns_clients(), n1.host.routes()
    n1.pod(Dns={"ServerList": ["10.96.0.10"], "Search": ["default.svc.cluster.local"]})
    assert (n1.host.dns_clients(), n1.host.routes()) == before


@pytest.mark.known("inferred", "the settings are the endpoint's, which leaves the namespace with them")
def test_an_endpoint_takes_its_settings_along_to_another_namespace(n1: NodeNetwork) -> None:
    pod, empty = n1.pod(Dns={"ServerList": ["10.96.0.10"]}), n1.hns.create("Namespace", documents.CONTAINERD_NAMESPACE)
    n1.undo(n1.hns.delete, "Namespace", empty)
    before = n1.host.routes(pod.compartment), n1.host.dns_clients(pod.compartment)
    n1.hns.leave(pod.namespace, pod.endpoint)
    n1.hns.join(empty, pod.endpoint)
    compartment = n1.hns.compartment(empty)
    assert (n1.host.routes(compartment), n1.host.dns_clients(compartment)) == before
    assert n1.host.routes(pod.compartment) == []
    assert n1.host.dns_clients(pod.compartment) == []
