"""What HNS itself says of an object, and takes back in a document without heeding it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.service.field_support import NOT_ENFORCED_FIELDS
from tests.contract.service import VERSION, Bench

NOWHERE = "5F0B1190-63BE-4E0C-B974-BD0F55675A41"
HEALTH = {"Extra": {"LayeredOn": NOWHERE}}


def namespace(bench: Bench) -> str:
    made: str = bench.made("Namespace", {"SchemaVersion": VERSION})["ID"]
    return made


def load_balancer(*endpoints: str, **more: Any) -> dict[str, Any]:
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 8080}]
    return {"SchemaVersion": VERSION, "HostComputeEndpoints": list(endpoints), "PortMappings": ports, **more}


@pytest.mark.known("inferred", "containernetworking/plugins add the endpoint after they made it (pkg/hns)")
def test_an_endpoint_is_not_in_the_namespace_that_its_document_names() -> None:
    # unverified: that HNS ignores it; every client puts the endpoint into the namespace afterwards
    bench = Bench()
    into = namespace(bench)
    made = bench.endpoint(bench.network()["ID"], HostComputeNamespace=into)
    assert made["HostComputeNamespace"] == ""
    assert bench.shown("Namespace", bench.handle("Namespace", into))["Resources"] == []
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": made["ID"]}}
    assert bench.invoke("HcnModifyNamespace", request, handle=bench.handle("Namespace", into)).ok
    shown = bench.shown("Endpoint", bench.handle("Endpoint", made["ID"]))
    assert shown["HostComputeNamespace"].upper() == into.upper()


@pytest.mark.known("inferred", "HostComputeNamespace is a GUID (microsoft/hcsshim hcn/hcnendpoint.go)")
def test_a_namespace_of_a_document_has_to_be_an_id() -> None:
    bench = Bench()
    document = {"SchemaVersion": VERSION, "HostComputeNamespace": "pod"}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=bench.handle("Network", bench.network()["ID"]))
    assert reply.hresult == HResult.HCN_E_GUID_CONVERSION_FAILURE


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnetwork.go Health, hcn/hcnglobals.go")
@pytest.mark.parametrize("noun", ["Network", "Endpoint"])
def test_health_is_hns_own_and_shown_where_details_are_asked_for(noun: str) -> None:
    bench = Bench()
    network = bench.network(Health=HEALTH)
    made = network if noun == "Network" else bench.endpoint(network["ID"], Health=HEALTH)
    assert made["Health"] == {}
    detailed = {"SchemaVersion": VERSION, "Flags": 1}
    reply = bench.invoke(f"HcnQuery{noun}Properties", detailed, handle=bench.handle(noun, made["ID"]))
    shown = json.loads(reply.output or "")["Health"]
    assert "Resources" in shown["Extra"]
    assert NOWHERE not in str(shown)


@pytest.mark.known("inferred", "endpoints join by addresource (microsoft/hcsshim internal/hns/namespace.go)")
def test_v1s_namespace_of_an_endpoint_stays_when_a_document_has_another() -> None:
    bench = Bench()
    into = namespace(bench)
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    bench.v1("POST", f"/namespaces/{into}/addresource", {"Type": "Endpoint", "Data": {"Id": endpoint}})
    before = bench.v1("GET", f"/endpoints/{endpoint}")["Output"]
    after = bench.v1("POST", f"/endpoints/{endpoint}", {**before, "Namespace": {"ID": NOWHERE}})["Output"]
    assert after == before
    assert after["Namespace"]["ID"].upper() == into.upper()


@pytest.mark.known("inferred", "a backend is of one network (microsoft/hcsshim hcn/hcnloadbalancer.go)")
@pytest.mark.parametrize("noun", ["LoadBalancer", "SdnRoute"])
def test_the_network_of_backends_counts_whatever_the_document_says(noun: str) -> None:
    bench = Bench()
    network = bench.network()["ID"]
    endpoint = bench.endpoint(network)["ID"]
    document = load_balancer(endpoint, HostComputeNetwork=NOWHERE)
    if noun == "SdnRoute":
        document["Setting"] = [{"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}]
    made = bench.made(noun, document)
    assert "HostComputeNetwork" not in made
    assert bench.v1("GET", f"/policylists/{made['ID']}")["Output"]["HostComputeNetwork"].upper() == network.upper()


@pytest.mark.known("documentation", "learn.microsoft.com hns_schema SDNRoute")
def test_the_routes_of_microsofts_schema_come_back_as_hcsshims_setting() -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    route = {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    document = {"SchemaVersion": VERSION, "HostComputeEndpoints": [endpoint], "Routes": [route]}
    made = bench.made("SdnRoute", document)
    assert (made["Setting"], "Routes" in made) == ([route], False)


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsendpoint.go EndpointAttachDetachRequest")
def test_a_virtual_nics_name_of_an_attach_is_known_and_changes_nothing() -> None:
    bench = Bench()
    first, second = (bench.endpoint(bench.network(prefix=f"10.{n}.0.0/24")["ID"])["ID"] for n in (1, 2))
    plain = bench.v1("POST", f"/endpoints/{first}/attach", {"SystemType": "Host"})["Output"]
    named = {"SystemType": "Host", "VirtualNICName": "eth7"}
    attached = bench.v1("POST", f"/endpoints/{second}/attach", named)["Output"]
    assert (attached["State"], set(attached)) == (plain["State"], set(plain))
    assert "eth7" not in str(attached)
    assert bench.service.unknown_fields == {}
    assert not bench.v1("POST", f"/endpoints/{second}/attach", {**named, "VirtualNICName": 7})["Success"]


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1")
def test_a_subnet_and_its_ip_subnets_have_the_ids_that_were_asked_for() -> None:
    bench = Bench("ws2025")
    part = {"ID": NOWHERE.lower(), "IpAddressPrefix": "10.1.0.0/25", "Flags": 3}
    subnet = {"ID": NOWHERE[:-1] + "2", "IpAddressPrefix": "10.1.0.0/24", "IpSubnets": [part]}
    made = bench.network("L2Bridge", Ipams=[{"Subnets": [subnet]}])
    (shown,) = made["Ipams"][0]["Subnets"]
    assert [(one["ID"], one["Flags"]) for one in shown["IpSubnets"]] == [(NOWHERE, 3)]
    (v1,) = bench.v1("GET", f"/networks/{made['ID']}")["Output"]["Subnets"]
    assert (v1["ID"], v1["IpSubnets"][0]["ID"]) == (subnet["ID"], NOWHERE)


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1")
def test_an_ip_subnet_goes_by_its_id() -> None:
    bench = Bench("ws2025")
    parts = [{"ID": NOWHERE, "IpAddressPrefix": "10.1.0.0/25"}, {"IpAddressPrefix": "10.1.0.128/25"}]
    subnet = {"ID": NOWHERE[:-1] + "2", "IpAddressPrefix": "10.1.0.0/24", "IpSubnets": parts}
    network = bench.network("L2Bridge", Ipams=[{"Subnets": [subnet]}])["ID"]
    settings = {"SubnetId": subnet["ID"], "IpSubnets": [{"ID": NOWHERE}]}
    request = {"ResourceType": "IPSubnet", "RequestType": "Remove", "Settings": settings}
    assert bench.invoke("HcnModifyNetwork", request, handle=bench.handle("Network", network)).ok
    (left,) = bench.shown("Network", bench.handle("Network", network))["Ipams"][0]["Subnets"][0]["IpSubnets"]
    assert left["IpAddressPrefix"] == "10.1.0.128/25"


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnamespace.go")
def test_a_container_joins_and_leaves_its_namespace_by_name() -> None:
    bench = Bench()
    into = namespace(bench)
    handle = bench.handle("Namespace", into)

    def ask(request: str) -> int:
        document = {"ResourceType": "Container", "RequestType": request, "Settings": {"ContainerId": "web"}}
        return bench.invoke("HcnModifyNamespace", document, handle=handle).hresult

    assert ask("Add") == HResult.S_OK
    assert bench.shown("Namespace", handle)["Resources"] == [{"Type": "Container", "Data": {"Id": "web"}}]
    assert ask("Remove") == HResult.S_OK
    assert bench.shown("Namespace", handle)["Resources"] == []
    assert ask("Remove") == HResult.ERROR_NOT_FOUND


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint.go RequestTypeRefresh")
@pytest.mark.parametrize("noun", ["Network", "Endpoint"])
def test_refreshing_policies_keeps_them_as_they_are(noun: str) -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    policy = {"Type": "OutBoundNAT", "Settings": {"Exceptions": ["10.0.0.0/8"]}}
    made = network if noun == "Network" else bench.endpoint(network, Policies=[policy])["ID"]
    before = bench.shown(noun, bench.handle(noun, made))
    request = {"ResourceType": "Policy", "RequestType": "Refresh", "Settings": {"Policies": []}}
    assert bench.invoke(f"HcnModify{noun}", request, handle=bench.handle(noun, made)).ok
    assert bench.shown(noun, bench.handle(noun, made)) == before


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnroute.go")
def test_a_route_is_replaced_by_deleting_it_and_by_nothing_else() -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    setting = {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    document = {"SchemaVersion": VERSION, "HostComputeEndpoints": [endpoint], "Setting": [setting]}
    made = bench.made("SdnRoute", document)
    other = {**document, "Setting": [{**setting, "DestinationPrefix": "10.97.0.0/16"}]}
    handle = bench.handle("SdnRoute", made["ID"])
    assert bench.invoke("HcnModifySdnRoute", other, handle=handle).hresult == HResult.E_NOTIMPL
    assert bench.shown("SdnRoute", handle) == made


@pytest.mark.known("inferred", "the texts of HCN_E_INVALID_ENDPOINT and its like")
@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"Routes": [{"NextHop": "10.1.0.1", "DestinationPrefix": "nowhere"}]}, HResult.HCN_E_INVALID_PREFIX),
        ({"Routes": [{"NextHop": "fd00::1", "DestinationPrefix": "0.0.0.0/0"}]}, HResult.HCN_E_INVALID_ENDPOINT),
        ({"Routes": [{"DestinationPrefix": "0.0.0.0/0", "Metric": 1 << 16}]}, HResult.HCN_E_INVALID_ENDPOINT),
        ({"MacAddress": "00-15-5D"}, HResult.HCN_E_INVALID_ENDPOINT),
        ({"IpConfigurations": [{"IpAddress": "10.1.0.7", "PrefixLength": 33}]}, HResult.HCN_E_INVALID_ENDPOINT),
    ],
    ids=["no prefix", "two families", "too far", "no MAC", "too long"],
)
def test_an_endpoint_of_parts_that_can_not_be_is_refused(settings: dict[str, Any], code: HResult) -> None:
    bench = Bench()
    handle = bench.handle("Network", bench.network()["ID"])
    reply = bench.invoke("HcnCreateEndpoint", {"SchemaVersion": VERSION, **settings}, handle=handle)
    assert reply.hresult == code


@pytest.mark.known("inferred", "a switch port goes by its MAC; the code by its text")
def test_a_mac_is_had_by_one_endpoint_of_a_network() -> None:
    bench = Bench()
    network = bench.network()["ID"]
    bench.endpoint(network, MacAddress="00-15-5D-52-C0-07")
    document = {"SchemaVersion": VERSION, "MacAddress": "00:15:5d:52:c0:07"}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=bench.handle("Network", network))
    assert reply.hresult == HResult.ERROR_OBJECT_ALREADY_EXISTS


@pytest.mark.ours("what the log says of fields without effect")
def test_a_field_and_a_flag_without_effect_are_said_once_a_node(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    with caplog.at_level(logging.WARNING, "hnsfake.documents"):
        for number in (1, 2):
            bench.network("L2Bridge", f"10.{number}.0.0/24", Flags=8192 | 8, Dns={"ServerList": ["10.96.0.10"]})
    said = ("NetworkV2.Dns", "NetworkFlags.IOV")
    assert [record.getMessage() for record in caplog.records] == [
        f"accepted, not enforced: {name} ({NOT_ENFORCED_FIELDS[name]})" for name in said
    ]


@pytest.mark.ours("what the log says of fields without effect")
def test_a_field_that_is_empty_or_as_it_would_be_anyway_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    with caplog.at_level(logging.WARNING, "hnsfake.documents"):
        ipams = [{"Type": "Static", "Subnets": [{"IpAddressPrefix": "10.1.0.0/24"}]}]
        bench.network("L2Bridge", Dns={}, Ipams=ipams)
    assert caplog.records == []


HNSS_OWN: dict[str, Any] = {
    "Owner": "somebody",
    "Version": 1,
    "Telemetry": {"a": 1},
    "State": 3,
    "Health": {"Data": {}},
    "AdditionalParams": {"b": 2},
}
SCHEMA = "MicrosoftDocs/Virtualization-Documentation hns_schema"


@pytest.mark.known("inferred", f"{SCHEMA}: members that HNS itself writes; clients send whole documents back")
def test_what_all_objects_have_is_known_and_hnss_own() -> None:
    bench = Bench(strict=True)
    plain, sent = bench.network(prefix="10.1.0.0/24"), bench.network(prefix="10.2.0.0/24", **HNSS_OWN)
    assert sent.keys() == plain.keys()
    assert sent["Health"] == plain["Health"]
    shown = bench.v1("GET", f"/networks/{sent['ID']}")["Output"]
    assert shown["State"] == 1
    assert shown["Version"] == bench.v1("GET", f"/networks/{plain['ID']}")["Output"]["Version"]


@pytest.mark.known("inferred", f"{SCHEMA}: the compartment is HNS's, and so is its GUID")
def test_a_compartments_guid_is_hnss_own() -> None:
    asked = "11111111-2222-3333-4444-555555555555"
    made = Bench(strict=True).made("Namespace", {"SchemaVersion": VERSION, "NamespaceGuid": asked})
    assert made["NamespaceGuid"].lower() != asked


@pytest.mark.known("documentation", f"{SCHEMA}, ModifySettingRequest")
def test_a_modify_request_may_have_a_resource_uri() -> None:
    bench = Bench(strict=True)
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    request = {"ResourceUri": "/x", "ResourceType": "Policy", "RequestType": "Add", "Settings": {"Policies": []}}
    assert bench.invoke("HcnModifyEndpoint", request, handle=bench.handle("Endpoint", endpoint)).ok


@pytest.mark.known("documentation", f"{SCHEMA}, SDNRoutePolicySetting")
def test_a_routes_endpoint_monitor_is_kept() -> None:
    bench = Bench(strict=True)
    settings = {"DestinationPrefix": "10.9.0.0/16", "NextHop": "10.1.0.1", "AutomaticEndpointMonitor": True}
    sent = [{"Type": "SDNRoute", "Settings": settings}]
    assert bench.endpoint(bench.network("L2Bridge")["ID"], Policies=sent)["Policies"] == sent
