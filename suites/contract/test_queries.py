"""Filters of enumerations, and the two forms of an answer, for every kind of object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from suites import documents
from suites.contract.conftest import Workshop
from suites.hns import Hns

HCSSHIM = "microsoft/hcsshim hcn/*.go: filters have v1's names"
SCRIPT = "microsoft/SDN Kubernetes/windows/hns.v2.psm1"
V1 = {"Major": 1, "Minor": 0}


@dataclass
class Objects:
    """One object of each kind, with the network's name."""

    hns: Hns
    name: str
    ids: dict[str, str]

    def found(self, noun: str, **conditions: Any) -> bool:
        """Whether the object of a kind is among those that meet the conditions."""
        return self.ids[noun].lower() in [found.lower() for found in self.hns.enumerate(noun, **conditions)]


@pytest.fixture
def made(bridge: Workshop) -> Iterator[Objects]:
    document = bridge.network_document()
    network = bridge.network(document)
    endpoint = bridge.endpoint(network)
    namespace = bridge.namespace()
    bridge.hns.join(namespace, endpoint)
    balancer = {
        "HostComputeEndpoints": [endpoint],
        "FrontendVIPs": ["10.96.0.77"],
        "PortMappings": [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 8077}],
        "SchemaVersion": documents.VERSION,
    }
    route = {
        "HostComputeEndpoints": [endpoint],
        "Setting": [{"DestinationPrefix": "10.97.0.0/16", "NeedEncap": True}],
        "SchemaVersion": documents.VERSION,
    }
    ids = {
        "Network": network,
        "Endpoint": endpoint,
        "Namespace": namespace,
        "LoadBalancer": bridge.adopt("LoadBalancer", bridge.hns.create("LoadBalancer", balancer)),
        "SdnRoute": bridge.adopt("SdnRoute", bridge.hns.create("SdnRoute", route)),
    }
    yield Objects(bridge.hns, document["Name"], ids)
    bridge.hns.leave(namespace, endpoint)


NOUNS = ("Network", "Endpoint", "Namespace", "LoadBalancer", "SdnRoute")


@pytest.mark.known("client code", HCSSHIM)
@pytest.mark.parametrize("noun", NOUNS)
def test_each_kind_is_found_by_its_id_in_any_case(made: Objects, noun: str) -> None:
    for object_id in (made.ids[noun].lower(), made.ids[noun].upper()):
        assert [found.lower() for found in made.hns.enumerate(noun, ID=object_id)] == [made.ids[noun].lower()]


@pytest.mark.known("client code", HCSSHIM)
@pytest.mark.parametrize("noun", NOUNS)
def test_no_filter_and_an_empty_one_find_all(made: Objects, noun: str) -> None:
    assert made.found(noun)
    query = json.dumps({"SchemaVersion": documents.VERSION, "Filter": "{\r\n\r\n}"})
    for document in ("", "{}", query):
        found = json.loads(made.hns.host.invoke(f"HcnEnumerate{noun}s", document).output or "[]")
        assert made.ids[noun].lower() in [one.lower() for one in found]


@pytest.mark.known("client code", HCSSHIM)
def test_endpoints_are_found_by_their_network(made: Objects) -> None:
    network = made.ids["Network"]
    assert made.found("Endpoint", VirtualNetwork=network.lower())
    assert made.found("Endpoint", VirtualNetworkName=made.name)
    assert not made.found("Endpoint", VirtualNetworkName=made.name.upper())
    assert not made.found("Endpoint", VirtualNetwork=made.ids["Endpoint"])


@pytest.mark.known("client code", "Azure/azure-container-networking npm, kubernetes/kubernetes pkg/proxy/winkernel")
def test_endpoints_are_found_by_state_and_by_being_remote(made: Objects) -> None:
    assert made.found("Endpoint", State=3)
    assert not made.found("Endpoint", State=2)
    assert made.found("Endpoint", IsRemoteEndpoint=False)
    assert not made.found("Endpoint", IsRemoteEndpoint=True)


@pytest.mark.known("client code", HCSSHIM)
def test_endpoints_are_found_by_their_namespace(made: Objects) -> None:
    assert made.found("Endpoint", NamespaceID=made.ids["Namespace"].lower())
    assert not made.found("Endpoint", NamespaceID=made.ids["Network"])


@pytest.mark.known("inferred", "types are words of no case (moby sends them in lower case)")
def test_networks_are_found_by_type(made: Objects) -> None:
    assert made.found("Network", Type="L2Bridge")
    assert made.found("Network", Type="l2bridge")
    assert not made.found("Network", Type="NAT")


@pytest.mark.known("client code", HCSSHIM)
def test_all_conditions_have_to_be_met(made: Objects) -> None:
    assert made.found("Endpoint", Name="pod", VirtualNetwork=made.ids["Network"])
    assert not made.found("Endpoint", Name="other", VirtualNetwork=made.ids["Network"])


@pytest.mark.known("inferred", "what an object doesn't have it can't have equal to anything")
def test_a_condition_on_a_field_that_is_not_there_finds_nothing(made: Objects) -> None:
    assert not made.found("Network", Colour="green")
    assert not made.found("Network", Colour=None)


@pytest.mark.known("client code", SCRIPT + " -Version 1")
@pytest.mark.parametrize(
    ("noun", "v1", "v2"),
    [
        ("Network", "MacPools", "MacPool"),
        ("Endpoint", "VirtualNetwork", "HostComputeNetwork"),
        ("Namespace", "ResourceList", "Resources"),
        ("LoadBalancer", "References", "HostComputeEndpoints"),
        ("SdnRoute", "References", "HostComputeEndpoints"),
    ],
)
def test_the_schemas_version_chooses_the_form(made: Objects, noun: str, v1: str, v2: str) -> None:
    old = made.hns.query(noun, made.ids[noun], {"SchemaVersion": V1, "Flags": 0})
    new = made.hns.query(noun, made.ids[noun], {"SchemaVersion": documents.VERSION, "Flags": 0})
    assert v1 in old
    assert "SchemaVersion" not in old
    assert v2 in new
    assert new["SchemaVersion"]["Major"] == 2


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcn.go HostComputeQueryFlags, hcn/hcnnetwork.go Health.Extra")
@pytest.mark.parametrize("noun", ["Network", "Endpoint"])
def test_details_are_given_where_they_are_asked_for(made: Objects, noun: str) -> None:
    plain, detailed = (
        made.hns.query(noun, made.ids[noun], {"SchemaVersion": documents.VERSION, "Flags": flags}) for flags in (0, 1)
    )
    assert "Extra" not in plain["Health"]
    assert detailed["Health"]["Extra"]["Resources"]
    assert {**plain, "Health": {}} == {**detailed, "Health": {}}
