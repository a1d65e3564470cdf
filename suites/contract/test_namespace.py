"""Namespaces: create, query, enumerate, endpoints in and out, delete, errors; v1 and v2."""

from __future__ import annotations

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import Hns, HnsFailureError

HCN = "microsoft/hcsshim hcn/hcnnamespace.go"
HCN_TESTS = "microsoft/hcsshim hcn/hcnnamespace_test.go"
CONTAINERD = "containerd/containerd pkg/netns/netns_windows.go"
NOWHERE = "11111111-2222-3333-4444-555555555555"


@pytest.mark.known("client code", CONTAINERD)
def test_a_namespace_of_nothing_but_a_version_is_of_type_host(nat: Workshop) -> None:
    shown = nat.hns.query("Namespace", nat.namespace(documents.CONTAINERD_NAMESPACE))
    assert shown["Type"] == "Host"
    assert shown["NamespaceId"] > 1
    assert shown["Resources"] == []


@pytest.mark.known("client code", HCN_TESTS)
@pytest.mark.parametrize("kind", ["Host", "HostDefault", "Guest", "GuestDefault"])
def test_every_type_can_be_made_and_deleted_twice(nat: Workshop, kind: str) -> None:
    document = {"Type": kind, "NamespaceId": 5, "SchemaVersion": documents.VERSION}
    for _ in range(2):
        namespace = nat.namespace(document)
        assert nat.hns.query("Namespace", namespace)["Type"] == kind
        nat.hns.delete("Namespace", namespace)


@pytest.mark.known("published output", "projectcalico/calico#8465")
def test_the_hosts_own_namespace_is_there_from_the_start(hns: Hns) -> None:
    defaults = [namespace for namespace in hns.call("GET", "/namespaces/") if namespace["IsDefault"]]
    assert 1 in [namespace["CompartmentId"] for namespace in defaults]


@pytest.mark.known("client code", "microsoft/windows-container-networking plugins: ids of resources are upper case")
def test_an_endpoint_joins_shows_and_leaves(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    (resource,) = shop.hns.query("Namespace", namespace)["Resources"]
    assert resource == {"Data": {"Id": endpoint.upper()}, "Type": "Endpoint"}
    assert shop.hns.query("Endpoint", endpoint)["HostComputeNamespace"].upper() == namespace
    assert shop.hns.enumerate("Endpoint", NamespaceID=namespace) == [endpoint]
    shop.hns.leave(namespace, endpoint)
    assert shop.hns.query("Namespace", namespace)["Resources"] == []
    assert shop.hns.query("Endpoint", endpoint)["HostComputeNamespace"] == ""


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows: state 2 or 3 is attached")
def test_a_joined_endpoints_state_says_attached(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    assert shop.hns.call("GET", f"/endpoints/{endpoint}")["State"] == 1
    shop.hns.join(namespace, endpoint)
    assert shop.hns.call("GET", f"/endpoints/{endpoint}")["State"] in (2, 3)


@pytest.mark.known("client code", HCN)
def test_a_joined_endpoint_is_an_interface_of_the_compartment(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    (interface,) = shop.hns.host.interfaces(shop.hns.compartment(namespace))
    shown = shop.hns.query("Endpoint", endpoint)
    address = shown["IpConfigurations"][0]
    assert interface.mac == shown["MacAddress"]
    assert interface.addresses == (f"{address['IpAddress']}/{address['PrefixLength']}",)


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS")
def test_a_joined_endpoint_cannot_join_another_namespace(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    with pytest.raises(HnsFailureError) as refused:
        shop.hns.join(shop.namespace(), endpoint)
    assert refused.value.code == codes.ENDPOINT_NAMESPACE_ALREADY_EXISTS


@pytest.mark.known("client code", "containernetworking/plugins pkg/hns/endpoint_windows.go: a repeated ADD")
def test_a_joined_endpoint_may_join_its_namespace_again(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    shop.hns.join(namespace, endpoint)
    assert len(shop.hns.query("Namespace", namespace)["Resources"]) == 1


@pytest.mark.known("client code", "microsoft/hcsshim internal/hcsoci/network.go")
def test_v1_removes_an_endpoint_from_a_namespace(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    resource = {"Type": "Endpoint", "Data": {"Id": endpoint}}
    shop.hns.call("POST", f"/namespaces/{namespace}/removeresource", resource)
    assert shop.hns.query("Namespace", namespace)["Resources"] == []


@pytest.mark.known("client code", CONTAINERD)
def test_deleting_a_namespace_leaves_its_endpoint_detached(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    shop.hns.join(namespace, endpoint)
    shop.hns.delete("Namespace", namespace)
    assert shop.hns.enumerate("Namespace", ID=namespace) == []
    assert shop.hns.query("Endpoint", endpoint)["HostComputeNamespace"] == ""


@pytest.mark.known("client code", "containernetworking/plugins pkg/hns: ADD after a failed DEL")
def test_an_endpoint_can_go_from_one_namespace_to_another(shop: Workshop) -> None:
    endpoint, first, second = shop.endpoint(shop.network()), shop.namespace(), shop.namespace()
    shop.hns.join(first, endpoint)
    shop.hns.leave(first, endpoint)
    shop.hns.join(second, endpoint)
    assert len(shop.hns.host.interfaces(shop.hns.compartment(second))) == 1


@pytest.mark.known("published output", "antrea-io/antrea#2301")
@pytest.mark.parametrize("object_id", [NOWHERE, "00000000-0000-0000-0000-000000000000"])
def test_opening_a_namespace_that_is_not_there_is_element_not_found(hns: Hns, object_id: str) -> None:
    with pytest.raises(HnsFailureError, match="Element not found") as refused:
        hns.query("Namespace", object_id)
    assert refused.value.code == codes.ERROR_NOT_FOUND


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_REQUEST_UNSUPPORTED")
def test_an_unknown_resource_type_is_refused(nat: Workshop) -> None:
    request = {"ResourceType": "Volume", "RequestType": "Add", "Settings": {}}
    with pytest.raises(HnsFailureError) as refused:
        nat.hns.modify("Namespace", nat.namespace(), request)
    assert refused.value.code == codes.REQUEST_UNSUPPORTED


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_GUID_CONVERSION_FAILURE")
def test_an_id_that_is_no_guid_is_refused(hns: Hns) -> None:
    with pytest.raises(HnsFailureError) as refused:
        hns.query("Namespace", "not a guid")
    assert refused.value.code == codes.GUID_CONVERSION_FAILURE
