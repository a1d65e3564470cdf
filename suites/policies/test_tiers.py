"""Tiers of rules before the ACLs of an endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from suites import documents
from suites.documents import Document, acl
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.topology import NodeNetwork

SCHEMA = "microsoft/hcsshim hcn/hcnpolicy.go"


def tier(order: int, action: str, direction: str = "In", **rule: Any) -> Document:
    """Return a tier of one rule."""
    rules = [{"Id": f"t{order}", "Priority": 100, "TierAclRuleAction": action, **rule}]
    return documents.policy("TierAcl", Name=f"tier{order}", Direction=direction, Order=order, TierAclRules=rules)


@on("L2Bridge")
@pytest.mark.known("client code", SCHEMA + " TierAclPolicySetting")
def test_a_tier_that_blocks_comes_before_acls_that_allow(newer: NodeNetwork) -> None:
    client = newer.pod()
    blocked = tier(1, "Block", Protocols="6", LocalPorts="8080")
    server = newer.pod(blocked, acl("Allow", "In", 1), acl("Allow", "Out", 1))
    results = [reach(client.place, server.place, server.address, port=p, timeout=SHORT).result for p in (8080, 8081)]
    assert results == ["timed out", "connected"]


@on("L2Bridge")
@pytest.mark.known("client code", SCHEMA + " TierAclPolicySetting")
def test_the_lower_order_of_two_tiers_decides(newer: NodeNetwork) -> None:
    client = newer.pod()
    server = newer.pod(tier(20, "Block"), tier(10, "Allow"))
    assert reach(client.place, server.place, server.address).ok


@on("L2Bridge")
@pytest.mark.known("client code", SCHEMA + " ActionTypePass")
@pytest.mark.parametrize(("last", "result"), [("Allow", "connected"), ("Block", "timed out")])
def test_a_tier_that_passes_leaves_it_to_the_acls(newer: NodeNetwork, last: str, result: str) -> None:
    client = newer.pod()
    server = newer.pod(tier(1, "Pass"), acl(last, "In", 100), acl("Allow", "Out", 100))
    assert reach(client.place, server.place, server.address, timeout=SHORT).result == result
