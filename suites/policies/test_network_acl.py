"""Rules that a network has for all of its endpoints."""

from __future__ import annotations

import pytest

from suites import documents
from suites.documents import Document, acl
from suites.drivers import on
from suites.flows.reach import SHORT
from suites.topology import NodeNetwork

SCHEMA = "microsoft/hcsshim hcn/hcnpolicy.go NetworkACLPolicySetting"


def _for_all(action: str, direction: str, priority: int) -> Document:
    return {**acl(action, direction, priority), "Type": "NetworkACL"}


@on("L2Bridge")
@pytest.mark.known("client code", SCHEMA)
def test_a_networks_rule_holds_at_endpoints_that_are_there_until_it_goes(newer: NodeNetwork) -> None:
    client, server = newer.pod(), newer.pod()
    assert client.place.ping(server.address).ok
    block = documents.add_policies(_for_all("Block", "In", 100), _for_all("Allow", "Out", 100))
    newer.hns.modify("Network", newer.network, block)
    assert not client.place.ping(server.address, timeout=SHORT).ok
    newer.hns.modify("Network", newer.network, {**block, "RequestType": "Remove"})
    assert client.place.ping(server.address).ok
