"""What the coverage page says is checked of a field is checked: each is sent what it must refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest

from ci.coverage.validation import CHECKS
from hnsfake.documents.hresults import HResult
from tests.contract.service import VERSION, Bench

ID = "5F0B1190-63BE-4E0C-B974-BD0F55675A4"
V2 = {"SchemaVersion": VERSION}
SUBNET = {"IpAddressPrefix": "10.2.0.0/24", "IpSubnets": [{"IpAddressPrefix": "10.2.0.0/25"}]}
EXTENSION = {"Id": "F74F241B-440F-4433-BB28-00F89EAD20D8", "IsEnabled": True}
MACS = {"StartMacAddress": "00-15-5D-52-C0-00", "EndMacAddress": "00-15-5D-52-CF-FF"}
ROUTE = {"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0", "Metric": 7}


@dataclass
class Place:
    """A bench with an object of each kind, and the calls that take a document of each kind."""

    bench: Bench = field(default_factory=lambda: Bench("ws2025"))

    def __post_init__(self) -> None:
        self.network = self.bench.network("L2Bridge", Name="taken")["ID"]
        self.endpoint = self.bench.endpoint(self.network)["ID"]
        self.other = self.bench.endpoint(self.network)["ID"]
        self.namespace = self.bench.made("Namespace", V2)["ID"]
        reply = self.bench.invoke("HcsCreateComputeSystem", {}, id="web")
        self.system = reply.handle
        self.service = self.bench.invoke("HcnCreateGuestNetworkService", V2, id=ID + "9").handle

    def of(self, noun: str) -> int:
        """Open the object of a kind."""
        return self.bench.handle(noun, getattr(self, noun.lower()))


Parts = Mapping[str, Any]
Sent = tuple[str, Any, Parts]


def v1(path: str, document: Any) -> Sent:
    return "HNSCall", document, {"method": "POST", "path": path}


def modify(place: Place, noun: str, resource: str, request: str, settings: Any) -> Sent:
    document = {"ResourceType": resource, "RequestType": request, "Settings": settings}
    return f"HcnModify{noun}", document, {"handle": place.of(noun)}


def network_v1(place: Place) -> Sent:
    subnet = {"AddressPrefix": "10.2.0.0/24", "GatewayAddress": "10.2.0.1"}
    document = {"Type": "L2Bridge", "Name": "v1", "Subnets": [subnet], "MacPools": [MACS], "Extensions": [EXTENSION]}
    return v1("/networks/", document)


def network_v2(place: Place) -> Sent:
    return "HcnCreateNetwork", {"Type": "L2Bridge", "Name": "v2", "Ipams": [{"Subnets": [SUBNET]}], **V2}, {}


def endpoint_v1(place: Place) -> Sent:
    return v1("/endpoints/", {"VirtualNetwork": place.network, "IPAddress": "10.1.0.9", "PrefixLength": 24})


def endpoint_v2(place: Place) -> Sent:
    addresses = [{"IpAddress": "10.1.0.9", "PrefixLength": 24}]
    document = {"IpConfigurations": addresses, "Routes": [ROUTE], **V2}
    return "HcnCreateEndpoint", document, {"handle": place.of("Network")}


def load_balancer(place: Place) -> Sent:
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}]
    return "HcnCreateLoadBalancer", {"HostComputeEndpoints": [place.endpoint], "PortMappings": ports, **V2}, {}


def route(place: Place) -> Sent:
    setting = {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    return "HcnCreateSdnRoute", {"HostComputeEndpoints": [place.endpoint], "Setting": [setting], **V2}, {}


def policy_list(place: Place) -> Sent:
    policy = {"Type": "ELB", "Protocol": 6, "InternalPort": 80, "ExternalPort": 80}
    return v1("/policylists/", {"References": [f"/endpoints/{place.endpoint}"], "Policies": [policy]})


def resource(place: Place) -> Sent:
    document = {"Type": "Endpoint", "Data": {"Id": place.endpoint}}
    return v1(f"/namespaces/{place.namespace}/addresource", document)


def attach(place: Place) -> Sent:
    return v1(f"/endpoints/{place.endpoint}/attach", {"SystemType": "Container", "ContainerID": "web"})


def attach_to_host(place: Place) -> Sent:
    return v1(f"/endpoints/{place.endpoint}/attach", {"SystemType": "Host", "CompartmentID": 1})


def ip_subnets(place: Place) -> Sent:
    (subnet,) = place.bench.v1("GET", f"/networks/{place.network}")["Output"]["Subnets"]
    settings = {"SubnetId": subnet["ID"], "IpSubnets": [{"ID": subnet["IpSubnets"][0]["ID"]}]}
    endpoints = (place.endpoint, place.other)
    assert all(place.bench.invoke("HcnDeleteEndpoint", id=endpoint).ok for endpoint in endpoints)
    return modify(place, "Network", "IPSubnet", "Remove", settings)


def port(place: Place) -> Sent:
    document = {"Protocol": 1, "Access": 1, "Port": 80}
    return "HcnReserveGuestNetworkServicePort", document, {"handle": place.service}


def state(place: Place) -> Sent:
    document = {"ResourceType": "State", "RequestType": "Update", "Settings": {"State": "Paused"}}
    return "HcnModifyGuestNetworkService", document, {"handle": place.service}


def in_namespace(place: Place) -> Sent:
    return "HcsCreateComputeSystem", {"Container": {"Networking": {"Namespace": place.namespace}}}, {"id": "db"}


def hot_add(place: Place) -> Sent:
    document = {"ResourceType": "Network", "RequestType": "Add", "Settings": place.endpoint}
    return "HcsModifyComputeSystem", document, {"handle": place.system}


Where = tuple[Callable[[Place], Sent], tuple[str | int, ...]]
WHERE: Mapping[str, Where] = {
    "NetworkV1": (network_v1, ()),
    "SubnetV1": (network_v1, ("Subnets", 0)),
    "MacRange": (network_v1, ("MacPools", 0)),
    "ExtensionState": (network_v1, ("Extensions", 0)),
    "NetworkV2": (network_v2, ()),
    "SubnetV2": (network_v2, ("Ipams", 0, "Subnets", 0)),
    "IpSubnetV2": (network_v2, ("Ipams", 0, "Subnets", 0, "IpSubnets", 0)),
    "EndpointV1": (endpoint_v1, ()),
    "EndpointV2": (endpoint_v2, ()),
    "IpConfigurationV2": (endpoint_v2, ("IpConfigurations", 0)),
    "Route": (endpoint_v2, ("Routes", 0)),
    "LoadBalancerV2": (load_balancer, ()),
    "SdnRouteV2": (route, ()),
    "PolicyListV1": (policy_list, ()),
    "ElbPolicyV1": (policy_list, ("Policies", 0)),
    "NamespaceV1": (lambda _: v1("/namespaces/", {"ID": ID + "1"}), ()),
    "NamespaceV2": (lambda _: ("HcnCreateNamespace", {"ID": ID + "1", **V2}, {}), ()),
    "ResourceEntry": (resource, ()),
    "NamespaceResource.EndpointId": (
        lambda place: modify(place, "Namespace", "Endpoint", "Add", {"EndpointId": place.endpoint}),
        ("Settings",),
    ),
    "NamespaceResource.ContainerId": (
        lambda place: modify(place, "Namespace", "Container", "Add", {"ContainerId": "web"}),
        ("Settings",),
    ),
    "ModifyRequest": (lambda place: modify(place, "Network", "Policy", "Add", {"Policies": []}), ()),
    "IpSubnetSettings": (ip_subnets, ("Settings",)),
    "Query": (lambda _: ("HcnEnumerateNetworks", {"Filter": "{}", **V2}, {}), ()),
    "AttachRequest": (attach, ()),
    "AttachRequest.CompartmentID": (attach_to_host, ()),
    "ManagementMacV1": (
        lambda _: v1("/accelnet/", {"MacAddressList": [{"MacAddress": "00-15-5D-0A-B7-C6"}]}),
        ("MacAddressList", 0),
    ),
    "GuestNetworkServiceV2": (lambda _: ("HcnCreateGuestNetworkService", {"ID": ID + "2", **V2}, {}), ()),
    "StateRequest": (state, ("Settings",)),
    "PortRequest": (port, ()),
    "PortRangeRequest": (
        lambda place: ("HcnReserveGuestNetworkServicePortRange", {"PortCount": 2}, {"handle": place.service}),
        (),
    ),
    "SystemSettings": (lambda _: ("HcsCreateComputeSystem", {"Owner": "docker"}, {"id": "db"}), ()),
    "_Networking": (in_namespace, ("Container", "Networking")),
    "ResourceModification": (hot_add, ()),
}
"""By the model, or the field: a call that HNS takes, and where in its document the model's part is."""


def _where(name: str) -> Where:
    return WHERE[name] if name in WHERE else WHERE[name.partition(".")[0]]


def _outcome(place: Place, sent: Sent) -> int:
    operation, document, parts = sent
    reply = place.bench.invoke(operation, document, **parts)
    if operation == "HNSCall":
        envelope = json.loads(reply.output or "")
        return int(HResult.S_OK if envelope["Success"] else envelope["ErrorCode"])
    return reply.hresult


@pytest.mark.known("inferred", "the types and words of Microsoft's HCN schema; the codes by their texts")
@pytest.mark.parametrize("name", CHECKS)
def test_a_field_is_refused_what_it_can_not_be_and_taken_otherwise(name: str) -> None:
    make, path = _where(name)
    place = Place()
    operation, document, parts = make(place)
    wrong = deepcopy(document)
    part = wrong
    for step in path:
        part = part[step]
    part[name.partition(".")[2]] = CHECKS[name].bad
    assert HResult.by_code(_outcome(place, (operation, wrong, parts))) == CHECKS[name].error
    assert HResult.by_code(_outcome(place, (operation, document, parts))) == HResult.S_OK
