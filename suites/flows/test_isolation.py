"""What must not meet."""

from __future__ import annotations

import pytest

from suites import documents, topology
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.host import Lane
from suites.topology import NodeNetwork, remote_subnet_route

MOBY = "moby/moby integration/networking/nat_windows_test.go"


@on("Overlay")
@pytest.mark.flow("two VNIs do not meet")
@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking")
def test_the_same_addresses_on_two_vnis_do_not_meet(n1: NodeNetwork, n2: NodeNetwork) -> None:
    """Two tenants with one address plan, MACs among it (win-overlay makes them of addresses): each reaches its own."""
    document = documents.flannel_vxlan("tenant", n1.prefix, n1.gateway, 9000)
    tenant = n1.hns.create("Network", document)
    try:
        node = NodeNetwork(n1.host, n1.hns, tenant, n1.prefix, n1.gateway, n1.policies, n1.endpoint)
        with node.pods():
            mine, ours = n1.pod(), n1.pod()
            theirs, other = node.pod(address=mine.address), node.pod(address=ours.address)
            assert (theirs.mac, other.mac) == (mine.mac, ours.mac)
            for client, server, stranger in ((mine, ours, theirs), (theirs, other, mine)):
                assert reach(client.place, server.place, server.address).ok
                assert not reach(stranger.place, server.place, server.address, timeout=SHORT).ok
    finally:
        n1.hns.delete("Network", tenant)


@on("Overlay")
@pytest.mark.flow("a wrong inner MAC is dropped")
@pytest.mark.known("client code", "flannel-io/flannel pkg/backend/vxlan: the peer's DR MAC is needed")
def test_a_remote_subnet_route_with_a_wrong_mac_leads_nowhere(n1: NodeNetwork, n2: NodeNetwork) -> None:
    client, server = n1.pod(), n2.pod()
    right = remote_subnet_route(n2)
    settings = {**right["Settings"], "DistributedRouterMacAddress": "00-15-5D-01-02-03"}
    wrong = {"Type": "RemoteSubnetRoute", "Settings": settings}
    hns = n1.hns
    hns.modify("Network", n1.network, documents.add_policies(right, request="Remove"))
    hns.modify("Network", n1.network, documents.add_policies(wrong))
    try:
        outcome = client.place.ping(server.address, timeout=SHORT)
    finally:
        hns.modify("Network", n1.network, documents.add_policies(wrong, request="Remove"))
        hns.modify("Network", n1.network, documents.add_policies(right))
    assert not outcome.ok
    assert client.place.ping(server.address).ok


@pytest.mark.known("client code", MOBY)
def test_two_nat_networks_of_one_node_do_not_reach_each_other(lane: Lane) -> None:
    with topology.build("NAT", lane) as one, topology.build("NAT", lane) as other:
        client, server = one.nodes[0].pod(), other.nodes[0].pod()
        assert not reach(client.place, server.place, server.address, timeout=SHORT).ok
