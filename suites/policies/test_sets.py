"""Rules that name a network's sets of addresses."""

from __future__ import annotations

import pytest

from suites import documents
from suites.documents import acl
from suites.drivers import on
from suites.flows.reach import SHORT, reach
from suites.topology import NodeNetwork

NPM = "Azure/azure-container-networking npm/pkg/dataplane"


@on("L2Bridge")
@pytest.mark.known("client code", NPM)
def test_a_rule_follows_the_set_that_it_names(n1: NodeNetwork) -> None:
    if n1.host.release == "ws2019":
        pytest.skip("sets of addresses came with Windows Server 2022")
    inside, outside = n1.pod(), n1.pod()
    blocked = documents.add_policies(documents.npm_set("policies-blocked", inside.address))
    n1.hns.modify("Network", n1.network, blocked)
    [name] = [policy["Settings"]["Id"] for policy in blocked["Settings"]["Policies"]]
    # With sets, "local" names the source in both directions.
    server = n1.pod(acl("Block", "In", 100, LocalAddresses=name), acl("Allow", "In", 200), acl("Allow", "Out", 200))
    ends = (inside, outside)
    assert [reach(end.place, server.place, server.address, timeout=SHORT).ok for end in ends] == [False, True]
    other = documents.npm_set("policies-blocked", outside.address)
    n1.hns.modify("Network", n1.network, documents.add_policies(other, request="Update"))
    assert [reach(end.place, server.place, server.address, timeout=SHORT).ok for end in ends] == [True, False]
