"""ACLs at an endpoint's port."""

from __future__ import annotations

import pytest

from suites import documents
from suites.documents import acl
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.topology import NodeNetwork

CALICO = "projectcalico/calico felix/dataplane/windows/policysets"
DEFAULT = "microsoft/hcsshim#1059"


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: block in")
@pytest.mark.known("client code", CALICO)
def test_a_blocked_client_gets_no_answer_and_the_others_do(n1: NodeNetwork) -> None:
    bad, good = n1.pod(), n1.pod()
    server = n1.pod(
        acl("Block", "In", 100, RemoteAddresses=bad.address),
        acl("Allow", "In", 200),
        acl("Allow", "Out", 200),
    )
    assert reach(bad.place, server.place, server.address, timeout=SHORT).result == "timed out"
    assert reach(good.place, server.place, server.address).ok


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: the lower number wins")
@pytest.mark.known("client code", "Azure/azure-container-networking#4823")
@pytest.mark.parametrize(("allow", "block", "ok"), [(100, 200, True), (200, 100, False)])
def test_the_lower_priority_number_wins(n1: NodeNetwork, allow: int, block: int, ok: bool) -> None:
    client = n1.pod()
    server = n1.pod(acl("Allow", "In", allow), acl("Block", "In", block), acl("Allow", "Out", 100))
    assert reach(client.place, server.place, server.address, timeout=3 if ok else SHORT).ok is ok


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: what no rule matches is dropped")
@pytest.mark.known("client code", DEFAULT)
def test_any_acl_takes_the_default_away_in_both_directions(n1: NodeNetwork) -> None:
    other = n1.pod()
    pod = n1.pod(acl("Allow", "In", 100, Protocols="6", LocalPorts="80"))
    assert not other.place.ping(pod.address, timeout=SHORT).ok
    assert not pod.place.ping(other.address, timeout=SHORT).ok


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: answers of an allowed flow pass")
@pytest.mark.known("documentation", "Firestone, VFP, NSDI 2017: flows are tracked")
def test_answers_of_an_allowed_flow_pass_without_a_rule_out(n1: NodeNetwork) -> None:
    client = n1.pod()
    server = n1.pod(acl("Allow", "In", 100, Protocols="6", LocalPorts="80,8000-8010"))
    attempts = [reach(client.place, server.place, server.address, port=p, timeout=SHORT) for p in (80, 8005, 8011)]
    results = [attempt.result for attempt in attempts]
    assert results == ["connected", "connected", "timed out"]


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: block out is silent")
@pytest.mark.known("inferred", "VFP drops at the port, behind the sender's stack")
def test_a_blocked_sender_hears_nothing(n1: NodeNetwork) -> None:
    server = n1.pod()
    client = n1.pod(acl("Block", "Out", 100, RemoteAddresses=server.address), acl("Allow", "Out", 200))
    reached = reach(client.place, server.place, server.address, protocol="udp", timeout=SHORT)
    assert reached.result == "timed out"
    assert reached.peers == []


@on("L2Bridge", "Overlay")
@pytest.mark.flow("ACL: added to a running pod")
@pytest.mark.known("client code", "Azure/azure-container-networking npm/pkg/dataplane")
def test_an_acl_added_later_holds_and_removing_it_restores_the_default(n1: NodeNetwork) -> None:
    client, server = n1.pod(), n1.pod()
    assert client.place.ping(server.address).ok
    block = documents.add_policies(acl("Block", "In", 100))
    n1.hns.modify("Endpoint", server.endpoint, block)
    assert not client.place.ping(server.address, timeout=SHORT).ok
    n1.hns.modify("Endpoint", server.endpoint, {**block, "RequestType": "Remove"})
    assert client.place.ping(server.address).ok
