"""VLANs: frames of a network or subnet with a VLAN are tagged on the wire; a pod sees no tag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from suites import documents
from suites.flows.reach import SHORT
from suites.hns import Hns
from suites.host import Host, Lane, capturing, wait_for
from suites.topology import NodeNetwork, Pod

ACCESS = "MicrosoftDocs/Virtualization-Documentation container-networking/advanced.md: access mode, trunk mode"
MakePod = Callable[[Host, int, int], Pod]
PREFIX = "10.90.0.0/24"


@pytest.fixture
def tagged(lane: Lane, request: pytest.FixtureRequest) -> Iterator[MakePod]:
    """Make pods in VLANs: one L2Bridge network a node and a VLAN, all with one subnet."""
    if lack := lane.lacks("VLAN"):
        pytest.skip(lack)
    networks: dict[tuple[str, int], NodeNetwork] = {}
    with ExitStack() as stack:

        def make(host: Host, vlan: int, number: int) -> Pod:
            if (host.name, vlan) not in networks:
                networks[host.name, vlan] = _network(host, vlan, getattr(request, "param", "network"))
                stack.callback(networks[host.name, vlan].close)
            return networks[host.name, vlan].pod(address=f"10.90.0.{number}")

        yield make


def _network(host: Host, vlan: int, where: str) -> NodeNetwork:
    document = documents.network("L2Bridge", f"vlan{vlan}", PREFIX, "10.90.0.1")
    policies = [documents.policy("VLAN", IsolationId=vlan)]
    if where == "subnet":
        document["Ipams"][0]["Subnets"][0]["Policies"] = policies
    else:
        document["Policies"] = policies
    hns = Hns(host)
    node = NodeNetwork(host, hns, hns.create("Network", document), PREFIX, "10.90.0.1")
    node.undo(hns.delete, "Network", node.network)
    return node


@pytest.mark.known("documentation", ACCESS)
@pytest.mark.parametrize("tagged", ["network", "subnet"], indirect=True)
def test_frames_of_a_vlan_are_tagged_on_the_wire_and_nowhere_else(lane: Lane, tagged: MakePod) -> None:
    client, server = tagged(lane.hosts[0], 100, 10), tagged(lane.hosts[1], 100, 11)
    with capturing(lane.wire()) as wire, capturing(server.place.capture()) as inside:
        assert client.place.ping(server.address).ok
        outer = wait_for(wire, lambda f: f.source == client.address and f.icmp_type == 8)
        inner = wait_for(inside, lambda f: f.source == client.address and f.icmp_type == 8)
    assert {f.vlan for f in wire.frames() if client.address in (f.source, f.destination)} == {100}
    assert (outer.source_mac, outer.destination_mac) == (lane.hosts[0].mac, lane.hosts[1].mac)
    assert inner.vlan is None


@pytest.mark.known("documentation", ACCESS)
def test_two_vlans_of_one_node_do_not_meet(lane: Lane, tagged: MakePod) -> None:
    one, other = tagged(lane.hosts[0], 100, 10), tagged(lane.hosts[0], 200, 11)
    assert not one.place.ping(other.address, timeout=SHORT).ok
    assert one.place.ping(tagged(lane.hosts[0], 100, 12).address).ok


@pytest.mark.known("documentation", ACCESS)
def test_two_vlans_of_two_nodes_do_not_meet(lane: Lane, tagged: MakePod) -> None:
    one, other = tagged(lane.hosts[0], 100, 10), tagged(lane.hosts[1], 200, 11)
    with capturing(lane.wire()) as wire:
        assert not one.place.ping(other.address, timeout=SHORT).ok
    assert {f.vlan for f in wire.frames() if f.source == one.address} == {100}


@pytest.mark.known("inferred", "VLAN 0 is no VLAN (IEEE 802.1Q)")
def test_vlan_0_is_untagged(lane: Lane, tagged: MakePod) -> None:
    client, server = tagged(lane.hosts[0], 0, 10), tagged(lane.hosts[1], 0, 11)
    with capturing(lane.wire()) as wire:
        assert client.place.ping(server.address).ok
    assert {f.vlan for f in wire.frames() if f.source == client.address} == {None}
