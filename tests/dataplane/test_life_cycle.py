"""Packets while HNS is restarted, and after its node is rebooted."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from hnsfake import Lab
from hnsfake.dataplane.interface import HOST_COMPARTMENT, DataplaneError
from hnsfake.node import Node

V2 = {"SchemaVersion": {"Major": 2, "Minor": 0}}
CONTAINER = "web"
OUTSIDE = "203.0.113.10"


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab(["n1"]) as lab:
        yield lab


@pytest.fixture
def endpoint(lab: Lab) -> str:
    node = lab.nodes["n1"]
    routes = [{"NextHop": "10.127.0.1", "DestinationPrefix": "0.0.0.0/0"}]
    subnet = {"IpAddressPrefix": "10.127.0.0/24", "Routes": routes}
    network = {**V2, "Name": "n", "Type": "L2Bridge", "Ipams": [{"Subnets": [subnet]}]}
    handle = node.hcn("HcnCreateNetwork", network).handle
    made = node.hcn("HcnCreateEndpoint", {**V2, "IpConfigurations": [{"IpAddress": "10.127.0.50"}]}, handle=handle)
    shown: dict[str, str] = json.loads(node.hcn("HcnQueryEndpointProperties", V2, handle=made.handle).output or "")
    return shown["ID"]


def _attach(node: Node, endpoint: str) -> int:
    number = node.create_compute_system(CONTAINER)
    node.hns_call("POST", f"/endpoints/{endpoint}/attach", {"ContainerId": CONTAINER, "SystemType": "Container"})
    return number


@pytest.mark.known("inferred", "rules are VFP's and WinNAT's, drivers that go on without HNS")
def test_a_connection_lives_through_a_restart_of_the_service(lab: Lab, endpoint: str) -> None:
    node = lab.nodes["n1"]
    number = _attach(node, endpoint)
    assert node.linux is not None
    run = node.linux.sandbox.run
    with (
        run(lab.fabric.outside, socket.create_server, (OUTSIDE, 0)) as listener,
        run(node.linux.netns(number), socket.create_connection, listener.getsockname(), 3) as connection,
        listener.accept()[0] as accepted,
    ):
        node.restart_service()
        connection.sendall(b"still here")
        accepted.settimeout(3)
        assert accepted.recv(100) == b"still here"


@pytest.mark.known("inferred", "moby/moby#47576: the endpoint is there, its container is not")
def test_after_a_reboot_the_compartment_is_gone_and_the_endpoint_may_be_attached_again(lab: Lab, endpoint: str) -> None:
    node = lab.nodes["n1"]
    number = _attach(node, endpoint)
    node.reboot()
    assert list(node.compartments()) == [HOST_COMPARTMENT]
    with pytest.raises(DataplaneError):
        node.compartment(number)
    again = node.compartment(_attach(node, endpoint))
    with lab.outside.tcp_server() as server:
        assert again.tcp(OUTSIDE, server.port).ok
