"""Routes have Windows' effective metrics, the interface's and the route's own together, and packets go by them."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import pytest

from hnsfake.dataplane.interface import EndpointWant, NetworkWant, RouteWant
from hnsfake.dataplane.metrics import INTERNAL_VNIC, LOW_VNIC, VNIC, automatic
from hnsfake.dataplane.node import LinuxNode

from .policies import sdn_route
from .world import EVERYWHERE, OUTSIDE, World, compartments, create, endpoint, l2bridge, modify, nat, remove

ONE, OTHER = nat("172.20.1.0/24", "one"), nat("172.20.2.0/24", "other")


def _on(network: NetworkWant, interface_metric: int, route_metric: int = 256, compartment: int = 2) -> EndpointWant:
    prefix = network.subnets[0].prefix
    want = endpoint(network, str(prefix[10]), compartment)
    routes = tuple(replace(route, metric=route_metric) for route in want.routes)
    return replace(want, interface_metric=interface_metric, routes=routes)


def _active(node: LinuxNode, number: int = 2) -> dict[str, list[int]]:
    """Return the metrics of the routes to each destination, the lowest first."""
    found: dict[str, list[int]] = {}
    for view in node.routes(number):
        found.setdefault(str(view.destination), []).append(view.metric)
    return found


def _leaves_by(world: World) -> str:
    """Return the address that the compartment's packets to the world have."""
    place = world.place(world.n1, 2)
    with world.outside.tcp_server() as server:
        outcome = place.tcp(OUTSIDE, server.port)
    assert outcome.local is not None, outcome
    return outcome.local[0]


@pytest.mark.known("documentation", "SupportArticles-docs windows-server/networking/automatic-metric-for-ipv4-routes")
@pytest.mark.parametrize(
    ("megabits", "metric"), [(100_000, 5), (99_999, 10), (10_000, 15), (2_500, 20), (1_000, 25), (100, 35), (0.1, 75)]
)
def test_the_automatic_metric_goes_by_link_speed(megabits: float, metric: int) -> None:
    assert automatic(megabits) == metric


@pytest.mark.known("published output", "microsoft/Windows-Containers#386")
def test_a_container_has_the_routes_of_its_address_with_one_metric(world: World) -> None:
    world.n1.apply(create(ONE, *compartments(2), _on(ONE, INTERNAL_VNIC)))
    assert _active(world.n1) == {"0.0.0.0/0": [5256], "172.20.1.0/24": [5256]}


@pytest.mark.known("published output", "microsoft/Windows-Containers#386: the host's 15 beside the container's 5256")
def test_the_hosts_routes_are_apart_from_a_containers(world: World) -> None:
    before = _active(world.n1, 1)
    assert before == {"0.0.0.0/0": [15], "10.127.0.0/24": [271]}
    world.n1.apply(create(ONE, *compartments(2), _on(ONE, INTERNAL_VNIC)))
    assert _active(world.n1, 1) == {**before, "172.20.1.0/24": [5256]}


@pytest.mark.known("published output", "projectcalico/cni-plugin#987: the host's endpoint has a gateway of metric 256")
def test_an_endpoint_of_the_host_leaves_the_hosts_own_default_route_first(world: World) -> None:
    network = l2bridge("10.1.1.0/24")
    world.n1.apply(create(network, endpoint(network, "10.1.1.2", 1)))
    assert _active(world.n1, 1)["0.0.0.0/0"] == [15, 271]


@pytest.mark.known("documentation", "learn.microsoft.com Get-NetRoute: RouteMetric is added to InterfaceMetric")
@pytest.mark.parametrize("low_first", [True, False])
def test_packets_leave_by_the_interface_of_the_lower_metric(world: World, low_first: bool) -> None:
    low, high = _on(OTHER, LOW_VNIC), _on(ONE, VNIC)
    world.n1.apply(create(ONE, OTHER, *compartments(2), *((low, high) if low_first else (high, low))))
    assert _leaves_by(world) == "172.20.2.10"


@pytest.mark.known("documentation", "learn.microsoft.com Get-NetRoute: RouteMetric is added to InterfaceMetric")
def test_a_routes_own_metric_outweighs_the_interfaces(world: World) -> None:
    low, high = _on(ONE, LOW_VNIC, 300), _on(OTHER, VNIC, 7)
    world.n1.apply(create(ONE, OTHER, *compartments(2), low, high))
    assert _active(world.n1)["0.0.0.0/0"] == [VNIC + 7, LOW_VNIC + 300]
    assert _leaves_by(world) == "172.20.2.10"


@pytest.mark.known("inferred", "the vNIC leaves the compartment, and its routes with it")
def test_when_an_endpoint_leaves_packets_go_by_the_other_at_once(world: World) -> None:
    low, high = _on(ONE, LOW_VNIC), _on(OTHER, VNIC)
    world.n1.apply(create(ONE, OTHER, *compartments(2), low, high))
    assert _leaves_by(world) == "172.20.1.10"
    world.n1.apply(modify(low, replace(low, compartment=None)))
    assert _active(world.n1) == {"0.0.0.0/0": [271], "172.20.2.0/24": [271]}
    assert _leaves_by(world) == "172.20.2.10"


@pytest.mark.known("client code", "aws/amazon-vpc-cni-plugins plugins/vpc-bridge: a route by a next hop is a policy")
def test_a_route_that_is_added_to_an_endpoint_is_there_and_goes_again(world: World) -> None:
    plain = _on(ONE, VNIC)
    routed = replace(plain, policies=(sdn_route("10.96.0.0/12", "172.20.1.1"),))
    world.n1.apply(create(ONE, *compartments(2), plain))
    world.n1.apply(modify(plain, routed))
    assert _active(world.n1)["10.96.0.0/12"] == [271]
    world.n1.apply(modify(routed, plain))
    assert "10.96.0.0/12" not in _active(world.n1)


@pytest.mark.known("documentation", "learn.microsoft.com New-NetRoute: RouteMetric is 256 by default")
@pytest.mark.parametrize(("hop", "metric"), [("10.127.0.12", 271), ("172.20.1.10", 5256)])
def test_a_route_of_the_host_has_the_metric_of_the_interface_that_reaches_its_next_hop(
    world: World, hop: str, metric: int
) -> None:
    world.n1.apply(create(ONE))
    world.n1.add_route(IPv4Network("10.9.0.0/16"), IPv4Address(hop))
    assert _active(world.n1, 1)["10.9.0.0/16"] == [metric]


@pytest.mark.known("inferred", "the adapter's routes follow its address to the vSwitch and back")
def test_the_hosts_metrics_are_the_same_with_a_vswitch_and_without(world: World) -> None:
    network = l2bridge("10.1.1.0/24")
    before = _active(world.n1, 1)
    world.n1.apply(create(network))
    assert _active(world.n1, 1) == before
    world.n1.apply(remove(network))
    assert _active(world.n1, 1) == before


@pytest.mark.known("inferred", "an endpoint's own routes are those of its document")
def test_a_route_to_a_part_of_the_world_goes_by_its_own_interface(world: World) -> None:
    low, high = _on(ONE, LOW_VNIC), _on(OTHER, VNIC)
    more = RouteWant(IPv4Network(f"{OUTSIDE}/32"), IPv4Address("172.20.2.1"))
    high = replace(high, routes=(RouteWant(EVERYWHERE, IPv4Address("172.20.2.1")), more))
    world.n1.apply(create(ONE, OTHER, *compartments(2), low, high))
    assert _leaves_by(world) == "172.20.2.10"
