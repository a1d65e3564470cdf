"""What a client finds when it goes on after a call that went wrong."""

from __future__ import annotations

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import HnsFailureError
from suites.host import AnswerLostError, Faults

GUID = "5c7b2a10-8a7e-4d5b-9d62-0f6a3f1c9e01"


@pytest.mark.known("client code", "Azure/azure-container-networking network/hnswrapper: goes on when a call takes long")
def test_a_create_whose_answer_was_lost_was_carried_out(nat: Workshop, faults: Faults) -> None:
    network = nat.adopt("Network", GUID)
    document = nat.network_document()
    with faults.inject(operation="HcnCreateNetwork", object=GUID, drop=True, times=1):
        with pytest.raises(AnswerLostError):
            nat.hns.create("Network", document, object_id=GUID)
        with pytest.raises(HnsFailureError) as again:
            nat.hns.create("Network", document, object_id=GUID)
    assert again.value.code == codes.ERROR_ALREADY_EXISTS
    assert nat.hns.query("Network", network)["Name"] == document["Name"]


@pytest.mark.known("published output", "kubernetes/kubernetes#139519: restored after the restart, and in the way")
def test_what_was_made_before_a_restart_of_the_service_is_in_the_way_of_making_it_again(
    nat: Workshop, faults: Faults
) -> None:
    endpoint = nat.endpoint(nat.network())
    document = documents.load_balancer([endpoint], "10.96.13.1", 80)
    with faults.inject(operation="HcnCreateLoadBalancer", restart=True, drop=True, times=1):
        with pytest.raises(AnswerLostError):
            nat.hns.create("LoadBalancer", document)
        (made,) = [one for one in nat.hns.enumerate("LoadBalancer") if _vips(nat, one) == ["10.96.13.1"]]
        nat.adopt("LoadBalancer", made)
        with pytest.raises(HnsFailureError) as again:
            nat.hns.create("LoadBalancer", document)
    assert again.value.code == codes.ERROR_ALREADY_EXISTS


@pytest.mark.known("inferred", "a call that is refused changes nothing")
def test_an_endpoint_that_was_refused_is_not_there_and_may_be_made_again(nat: Workshop, faults: Faults) -> None:
    network = nat.network()
    with faults.inject(operation="HcnCreateEndpoint", fail="HCN_E_ADDR_INVALID_OR_RESERVED", times=1):
        with pytest.raises(HnsFailureError) as refused:
            nat.endpoint(network)
        assert refused.value.code == codes.ADDR_INVALID_OR_RESERVED
        assert nat.hns.enumerate("Endpoint", VirtualNetwork=network) == []
        made = nat.endpoint(network)
    assert [one.lower() for one in nat.hns.enumerate("Endpoint", VirtualNetwork=network)] == [made.lower()]


def _vips(shop: Workshop, load_balancer: str) -> list[str]:
    vips: list[str] = shop.hns.query("LoadBalancer", load_balancer)["FrontendVIPs"]
    return vips
