"""Whole documents: every field that a client may send is read, and comes back as HNS gives it."""

from __future__ import annotations

from typing import Any

import pytest

from hnsfake.documents.endpoint import EndpointFlags
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import LoadBalancerFlags, PortMappingFlags
from hnsfake.documents.network import NetworkFlags

from .service import VERSION, Bench

NETWORK = "5F0B1190-63BE-4E0C-B974-BD0F55675A41"
OTHER = "5F0B1190-63BE-4E0C-B974-BD0F55675A42"
VLAN_V1 = [{"Type": "VLAN", "VLAN": 7}]
DNS = {"Domain": "d.local", "Search": ["a.local"], "ServerList": ["10.96.0.10"], "Options": ["ndots:5"]}
ROUTES = [{"NextHop": "10.2.0.1", "DestinationPrefix": "0.0.0.0/0", "Metric": 7}]
NETWORK_V1: dict[str, Any] = {
    "ID": NETWORK,
    "Name": "one",
    "Type": "l2bridge",
    "NetworkAdapterName": "Ethernet",
    "SourceMac": "00-15-5D-01-02-03",
    "Policies": VLAN_V1,
    "MacPools": [{"StartMacAddress": "00-15-5D-52-C0-00", "EndMacAddress": "00-15-5D-52-CF-FF"}],
    "Subnets": [{"AddressPrefix": "10.1.0.0/24", "GatewayAddress": "10.1.0.1", "Policies": VLAN_V1}],
    "DNSSuffix": "svc.local",
    "DNSServerList": "10.96.0.10,10.96.0.11",
    "DNSServerCompartment": 3,
    "ManagementIP": "10.127.0.11",
    "AutomaticDNS": True,
    "Flags": 1024,
}
ENDPOINT_V1: dict[str, Any] = {
    "ID": OTHER.lower(),
    "Name": "e",
    "VirtualNetwork": NETWORK.lower(),
    "MacAddress": "00-15-5D-52-C0-07",
    "IPAddress": "10.1.0.7",
    "PrefixLength": 24,
    "GatewayAddress": "10.1.0.1",
    "DNSSuffix": "pod.local",
    "DNSServerList": "10.96.0.12",
    "DNSDomain": "cluster.local",
    "EnableInternalDNS": True,
    "DisableICC": True,
    "EnableLowMetric": True,
    "EncapOverhead": 50,
    "AdditionalParams": {"pod-name": "web"},
    "Policies": [{"Type": "OutBoundNAT", "ExceptionList": ["10.0.0.0/8"]}],
}
NETWORK_V2: dict[str, Any] = {
    "ID": NETWORK,
    "Name": "two",
    "Type": "L2Bridge",
    "Policies": [{"Type": "AutomaticDNS", "Settings": {"Enable": True}}],
    "MacPool": {"Ranges": [{"StartMacAddress": "00-15-5D-62-C0-00", "EndMacAddress": "00-15-5D-62-CF-FF"}]},
    "Dns": DNS,
    "Ipams": [{"Type": "Static", "Subnets": [{"IpAddressPrefix": "10.2.0.0/24", "Flags": 1, "Routes": ROUTES}]}],
    "Flags": 1024,
    "SchemaVersion": VERSION,
}
ENDPOINT_V2: dict[str, Any] = {
    "ID": OTHER.lower(),
    "Name": "e",
    "HostComputeNetwork": NETWORK.lower(),
    "IpConfigurations": [{"IpAddress": "10.2.0.9", "PrefixLength": 24}],
    "Dns": DNS,
    "Routes": ROUTES,
    "MacAddress": "00-15-5D-62-C0-09",
    "Flags": 2,
    "Policies": [{"Type": "OutBoundNAT", "Settings": {"Exceptions": ["10.0.0.0/8"]}}],
    "SchemaVersion": VERSION,
}


def _holds(shown: Any, sent: Any) -> bool:
    """Whether all that was sent is in what is shown, which may have more."""
    if isinstance(sent, dict):
        return isinstance(shown, dict) and all(name in shown and _holds(shown[name], sent[name]) for name in sent)
    if isinstance(sent, list):
        return isinstance(shown, list) and all(any(_holds(one, each) for one in shown) for each in sent)
    return bool(shown == sent)


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsnetwork.go")
@pytest.mark.parametrize("name", NETWORK_V1)
def test_a_field_of_a_v1_network_comes_back(name: str) -> None:
    bench = Bench()
    made = bench.v1("POST", "/networks/", NETWORK_V1)["Output"]
    assert _holds(made[name], NETWORK_V1[name])
    assert bench.v1("GET", f"/networks/{NETWORK}")["Output"][name] == made[name]
    assert bench.service.unknown_fields == {}


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnetwork.go")
@pytest.mark.parametrize("name", NETWORK_V2)
def test_a_field_of_a_v2_network_comes_back(name: str) -> None:
    bench = Bench()
    assert _holds(bench.made("Network", NETWORK_V2)[name], NETWORK_V2[name])
    assert bench.service.unknown_fields == {}


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsendpoint.go")
@pytest.mark.parametrize("name", ENDPOINT_V1)
def test_a_field_of_a_v1_endpoint_comes_back(name: str) -> None:
    bench = Bench()
    bench.v1("POST", "/networks/", NETWORK_V1)
    assert _holds(bench.v1("POST", "/endpoints/", ENDPOINT_V1)["Output"][name], ENDPOINT_V1[name])
    assert bench.service.unknown_fields == {}


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint.go")
@pytest.mark.parametrize("name", ENDPOINT_V2)
def test_a_field_of_a_v2_endpoint_comes_back(name: str) -> None:
    bench = Bench()
    bench.made("Network", NETWORK_V2)
    made = bench.made("Endpoint", ENDPOINT_V2, handle=bench.handle("Network", NETWORK))
    assert _holds(made[name], ENDPOINT_V2[name])
    assert bench.service.unknown_fields == {}


@pytest.mark.known("client code", "Azure/azure-container-networking network/endpoint_windows.go")
@pytest.mark.parametrize(
    "extra", [{}, {"IPv6Address": "fd00::7", "IPv6PrefixLength": 64, "GatewayAddressV6": "fd00::1"}]
)
def test_a_v1_endpoint_may_have_an_address_of_each_family(extra: dict[str, Any]) -> None:
    bench = Bench()
    subnets = [*NETWORK_V1["Subnets"], {"AddressPrefix": "fd00::/64", "GatewayAddress": "fd00::1"}]
    bench.v1("POST", "/networks/", {**NETWORK_V1, "Subnets": subnets})
    made = bench.v1("POST", "/endpoints/", {**ENDPOINT_V1, **extra})["Output"]
    assert {name: made[name] for name in extra} == extra


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows: passes over remote endpoints")
def test_a_v1_remote_endpoint_says_that_it_is_one() -> None:
    bench = Bench()
    bench.v1("POST", "/networks/", NETWORK_V1)
    remote = {"VirtualNetwork": NETWORK, "IsRemoteEndpoint": True, "IPAddress": "10.1.0.9"}
    made = bench.v1("POST", "/endpoints/", {**remote, "MacAddress": "00-15-5D-52-C0-09"})["Output"]
    assert made["IsRemoteEndpoint"] is True


@pytest.mark.known("inferred", "microsoft/hcsshim internal/hns/namespace.go; its v2 tests ask for NamespaceId 5")
def test_a_v1_namespace_has_the_compartment_that_was_asked_for() -> None:
    bench = Bench()
    asked = {"ID": OTHER, "IsDefault": False, "CompartmentId": 9, "ResourceList": []}
    made = bench.v1("POST", "/namespaces/", asked)["Output"]
    assert {name: made[name] for name in asked} == asked


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnnamespace.go: a namespace has Resources")
@pytest.mark.parametrize("face", ["v1", "v2"])
def test_a_namespace_is_made_with_what_is_to_be_in_it(face: str) -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    if face == "v1":
        resources = [{"Type": "Endpoint", "Data": {"Id": endpoint}}, {"Type": "Container", "Data": {"Id": "web"}}]
        bench.v1("POST", "/namespaces/", {"ID": OTHER, "ResourceList": resources})
    else:
        resources = [{"Type": "Endpoint", "Data": {"ID": endpoint}}, {"Type": "Container", "Data": {"ID": "web"}}]
        bench.made("Namespace", {"ID": OTHER, "Resources": resources, "SchemaVersion": VERSION})
    shown = bench.shown("Namespace", bench.handle("Namespace", OTHER))["Resources"]
    assert {(one["Type"], str(*one["Data"].values()).lower()) for one in shown} == {
        ("Endpoint", endpoint),
        ("Container", "web"),
    }


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_ENDPOINT_NOT_FOUND")
def test_a_namespace_with_something_that_is_not_there_is_not_made() -> None:
    bench = Bench()
    resources = [{"Type": "Endpoint", "Data": {"ID": NETWORK}}]
    reply = bench.invoke("HcnCreateNamespace", {"ID": OTHER, "Resources": resources, "SchemaVersion": VERSION})
    assert reply.hresult == HResult.HCN_E_ENDPOINT_NOT_FOUND
    assert bench.invoke("HcnOpenNamespace", id=OTHER).hresult == HResult.ERROR_NOT_FOUND


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnspolicylist.go IsDSR")
@pytest.mark.parametrize("dsr", [True, False])
def test_a_v1_load_balancer_says_whether_it_is_dsr(dsr: bool) -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    policy = {
        "Type": "ELB",
        "Protocol": 6,
        "InternalPort": 80,
        "ExternalPort": 8080,
        "VIPs": ["10.96.0.9"],
        "IsDSR": dsr,
    }
    asked = {"ID": OTHER, "References": [f"/endpoints/{endpoint}"], "Policies": [policy]}
    made = bench.v1("POST", "/policylists/", asked)["Output"]
    assert (made["ID"].upper(), made["Policies"][0].get("IsDSR", False)) == (OTHER, dsr)


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/namespace.go, internal/hcsoci/network.go")
def test_a_v1_namespace_is_changed_and_deleted() -> None:
    bench = Bench()
    bench.v1("POST", "/namespaces/", {"ID": OTHER})
    container = {"Type": "Container", "Data": {"Id": "web"}}
    assert bench.v1("POST", f"/namespaces/{OTHER}/addresource", container)["Success"]
    assert bench.v1("GET", f"/namespaces/{OTHER}")["Output"]["ResourceList"] == [container]
    assert bench.v1("POST", f"/namespaces/{OTHER}/removeresource", container)["Success"]
    assert bench.v1("GET", f"/namespaces/{OTHER}")["Output"]["ResourceList"] == []
    assert bench.v1("DELETE", f"/namespaces/{OTHER}")["Success"]
    assert not bench.v1("GET", f"/namespaces/{OTHER}")["Success"]


@pytest.mark.known("client code", "microsoft/WSL hcs_schema.h NetworkFlags")
@pytest.mark.parametrize("flag", NetworkFlags, ids=lambda flag: str(flag.name))
def test_a_flag_of_a_network_comes_back_in_both_faces(flag: NetworkFlags) -> None:
    bench = Bench()
    made = bench.network("L2Bridge", Flags=int(flag))
    assert made["Flags"] == flag
    assert bench.v1("GET", f"/networks/{made['ID']}")["Output"]["Flags"] == flag
    assert bench.service.unknown_fields == {}


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1")
@pytest.mark.parametrize(
    ("flag", "word"),
    [
        (EndpointFlags.REMOTE, "IsRemoteEndpoint"),
        (EndpointFlags.DISABLE_ICC, "DisableICC"),
        (EndpointFlags.ENABLE_LOW_METRIC, "EnableLowMetric"),
    ],
)
def test_a_flag_of_an_endpoint_is_a_word_in_v1(flag: EndpointFlags, word: str) -> None:
    bench = Bench()
    address = [{"IpAddress": "10.1.0.9"}]
    made = bench.endpoint(bench.network("Overlay")["ID"], Flags=int(flag), IpConfigurations=address)
    assert made["Flags"] == flag
    assert bench.v1("GET", f"/endpoints/{made['ID']}")["Output"][word] is True


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation hns_schema, EndpointFlags")
@pytest.mark.parametrize("flag", EndpointFlags, ids=lambda flag: str(flag.name))
def test_a_flag_of_an_endpoint_comes_back(flag: EndpointFlags) -> None:
    bench = Bench()
    address = [{"IpAddress": "10.1.0.9"}]
    assert bench.endpoint(bench.network("Overlay")["ID"], Flags=int(flag), IpConfigurations=address)["Flags"] == flag


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnloadbalancer.go")
@pytest.mark.parametrize("flag", PortMappingFlags, ids=lambda flag: str(flag.name))
@pytest.mark.parametrize("whole", [0, LoadBalancerFlags.DSR, LoadBalancerFlags.IPV6])
def test_flags_of_a_load_balancer_and_its_ports_come_back(flag: PortMappingFlags, whole: int) -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    port = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 8080, "Flags": int(flag)}
    document = {
        "HostComputeEndpoints": [endpoint],
        "PortMappings": [port],
        "Flags": int(whole),
        "SchemaVersion": VERSION,
    }
    made = bench.made("LoadBalancer", document)
    assert (made["Flags"], made["PortMappings"][0]["Flags"]) == (whole, flag)
