"""HcnModifyNetwork and its like, and v1's POST to an object: what can be changed, and what can't."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import Hns, HnsFailureError

SCRIPT = "microsoft/SDN Kubernetes/windows/hns.v2.psm1"
MULTI_SUBNET = "MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet"
CAPTURE = "430BDADD-BAB0-41AB-A369-94B67FA5BE0A"
OPEN_VSWITCH = "583CC151-73EC-4A6A-8B47-578297AD7623"
NOWHERE = "11111111-2222-3333-4444-555555555555"


def request(resource: str, kind: str, **settings: Any) -> documents.Document:
    return {"ResourceType": resource, "RequestType": kind, "Settings": settings}


@pytest.fixture
def subnets(bridge: Workshop) -> Workshop:
    """A workshop of a release whose networks' subnets come and go."""
    if bridge.hns.host.release == "ws2019":
        pytest.skip("subnets come and go since Windows Server 2022")
    return bridge


# network: name servers


@pytest.mark.known("client code", SCRIPT + " Update-HnsNetworkDNS")
def test_an_update_of_dns_replaces_it(shop: Workshop) -> None:
    network = shop.network(Dns={"Domain": "old.example", "ServerList": ["192.0.2.1"]})
    new = {"Domain": "new.example", "Search": ["a.example", "b.example"], "ServerList": ["192.0.2.53"], "Options": []}
    shop.hns.modify("Network", network, request("DNS", "Update", **new))
    assert shop.hns.query("Network", network)["Dns"] == {key: value for key, value in new.items() if value}
    v1 = shop.hns.call("GET", f"/networks/{network}")
    assert (v1["DNSServerList"], v1["DNSSuffix"]) == ("192.0.2.53", "a.example,b.example")


@pytest.mark.known("inferred", SCRIPT + " Modify-HnsNetworkDNS takes any request type")
def test_name_servers_are_added_and_removed(nat: Workshop) -> None:
    network = nat.network(Dns={"ServerList": ["192.0.2.1"]})
    nat.hns.modify("Network", network, request("DNS", "Add", ServerList=["192.0.2.2", "192.0.2.1"]))
    assert nat.hns.query("Network", network)["Dns"]["ServerList"] == ["192.0.2.1", "192.0.2.2"]
    nat.hns.modify("Network", network, request("DNS", "Remove", ServerList=["192.0.2.1"]))
    assert nat.hns.query("Network", network)["Dns"]["ServerList"] == ["192.0.2.2"]
    nat.hns.modify("Network", network, request("DNS", "Refresh"))
    assert nat.hns.query("Network", network)["Dns"]["ServerList"] == ["192.0.2.2"]


# network: extensions


def _extensions(hns: Hns, network: str) -> dict[str, bool]:
    return {e["Id"]: e["IsEnabled"] for e in hns.call("GET", f"/networks/{network}")["Extensions"]}


@pytest.mark.known("client code", SCRIPT + " Update-HnsNetworkExtension")
def test_an_extension_is_switched_off_and_on(bridge: Workshop) -> None:
    network = bridge.network()
    for on in (False, True):
        bridge.hns.modify("Network", network, request("Extension", "Update", Id=CAPTURE.lower(), IsEnabled=on))
        assert _extensions(bridge.hns, network)[CAPTURE] is on


@pytest.mark.known("client code", "antrea-io/antrea pkg/agent/util: nothing but Extensions")
def test_v1_switches_an_extension_and_keeps_all_else(bridge: Workshop) -> None:
    network = bridge.network(Dns={"ServerList": ["192.0.2.1"]})
    before = bridge.hns.query("Network", network)
    document = {"Extensions": [{"Id": OPEN_VSWITCH, "IsEnabled": True}]}
    bridge.hns.call("POST", f"/networks/{network}", document)
    assert _extensions(bridge.hns, network)[OPEN_VSWITCH] is True
    assert bridge.hns.query("Network", network) == before


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_SWITCH_EXTENSION_NOT_FOUND")
def test_an_extension_that_is_not_there_is_not_switched(bridge: Workshop) -> None:
    network = bridge.network()
    with pytest.raises(HnsFailureError, match="The specified switch extension does not exist") as refused:
        bridge.hns.modify("Network", network, request("Extension", "Update", Id=NOWHERE, IsEnabled=True))
    assert refused.value.code == codes.SWITCH_EXTENSION_NOT_FOUND


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_SHARED_SWITCH_MODIFICATION")
def test_a_switch_of_several_networks_is_not_changed(bridge: Workshop) -> None:
    network = bridge.network()
    bridge.network()
    with pytest.raises(HnsFailureError, match="Cannot modify a switch shared by multiple networks") as refused:
        bridge.hns.modify("Network", network, request("Extension", "Update", Id=CAPTURE, IsEnabled=False))
    assert refused.value.code == codes.SHARED_SWITCH_MODIFICATION


# network: subnets


def _prefixes(hns: Hns, network: str) -> list[str]:
    return [subnet["AddressPrefix"] for subnet in hns.call("GET", f"/networks/{network}").get("Subnets", [])]


@pytest.mark.known("documentation", MULTI_SUBNET)
def test_a_subnet_is_added_used_and_removed(subnets: Workshop) -> None:
    hns, network = subnets.hns, subnets.network()
    (old,) = _prefixes(hns, network)
    new = {"IpAddressPrefix": "11.250.1.0/24", "Routes": [{"NextHop": "11.250.1.1", "DestinationPrefix": "0.0.0.0/0"}]}
    hns.modify("Network", network, request("Subnet", "Add", Subnets=[new]))
    assert _prefixes(hns, network) == [old, "11.250.1.0/24"]
    endpoint = subnets.endpoint(network, documents.endpoint("pod", "11.250.1.9"))
    assert hns.query("Endpoint", endpoint)["Routes"][0]["NextHop"] == "11.250.1.1"
    with pytest.raises(HnsFailureError) as refused:
        hns.modify("Network", network, request("Subnet", "Remove", Subnets=[new]))
    assert refused.value.code == codes.ENTITY_HAS_REFERENCES
    hns.delete("Endpoint", endpoint)
    hns.modify("Network", network, request("Subnet", "Remove", Subnets=[new]))
    assert _prefixes(hns, network) == [old]


@pytest.mark.known("inferred", "as where a network is made with them")
def test_a_subnet_that_overlaps_is_not_added(subnets: Workshop) -> None:
    network = subnets.network()
    (old,) = _prefixes(subnets.hns, network)
    with pytest.raises(HnsFailureError):
        subnets.hns.modify("Network", network, request("Subnet", "Add", Subnets=[{"IpAddressPrefix": old}]))
    assert _prefixes(subnets.hns, network) == [old]


@pytest.mark.known("inferred", "a network has the subnets it has")
def test_a_subnet_that_is_not_there_is_not_removed(subnets: Workshop) -> None:
    network = subnets.network()
    with pytest.raises(HnsFailureError) as refused:
        subnets.hns.modify(
            "Network", network, request("Subnet", "Remove", Subnets=[{"IpAddressPrefix": "11.250.2.0/24"}])
        )
    assert refused.value.code == codes.SUBNET_NOT_FOUND


@pytest.mark.known("documentation", MULTI_SUBNET + ": since Windows Server 2022, on l2bridge, l2tunnel and overlay")
def test_subnets_do_not_come_and_go_on_nat_nor_on_2019(shop: Workshop) -> None:
    network = shop.network()
    asked = request("Subnet", "Add", Subnets=[{"IpAddressPrefix": "13.250.1.0/24"}])
    if shop.driver != "NAT" and shop.hns.host.release != "ws2019":
        if shop.driver == "Overlay":
            vsid = shop.hns.query("Network", network)["Ipams"][0]["Subnets"][0]["Policies"]
            asked["Settings"]["Subnets"][0]["Policies"] = vsid
        shop.hns.modify("Network", network, asked)
        assert "13.250.1.0/24" in _prefixes(shop.hns, network)
        return
    with pytest.raises(HnsFailureError) as refused:
        shop.hns.modify("Network", network, asked)
    assert refused.value.code == codes.REQUEST_UNSUPPORTED


def _subnet(hns: Hns, network: str) -> documents.Document:
    subnet: documents.Document = hns.call("GET", f"/networks/{network}")["Subnets"][0]
    return subnet


def _small(hns: Hns, network: str, number: int) -> str:
    """Return one of the /26 of a network's subnet."""
    return str(list(ip_network(_subnet(hns, network)["AddressPrefix"]).subnets(new_prefix=26))[number])


@pytest.mark.known("published output", "rancher/rke2#3925: one IP subnet, Flags 3")
def test_a_subnet_has_one_ip_subnet_of_its_own_prefix(subnets: Workshop) -> None:
    subnet = _subnet(subnets.hns, subnets.network())
    (part,) = subnet["IpSubnets"]
    assert (part["IpAddressPrefix"], part["Flags"]) == (subnet["AddressPrefix"], 3)


def _network_of_ip_subnets(subnets: Workshop, *flags: int) -> str:
    """Make a network whose subnet has a /26 for each of ``flags``."""
    document = subnets.network_document()
    subnet = document["Ipams"][0]["Subnets"][0]
    parts = ip_network(subnet["IpAddressPrefix"]).subnets(new_prefix=26)
    subnet["IpSubnets"] = [{"IpAddressPrefix": str(p), "Flags": f} for p, f in zip(parts, flags, strict=False)]
    return subnets.network(document)


@pytest.mark.known("documentation", MULTI_SUBNET)
def test_ip_subnets_are_given_at_creation_added_and_removed(subnets: Workshop) -> None:
    hns, network = subnets.hns, _network_of_ip_subnets(subnets, 3)
    subnet = _subnet(hns, network)
    added = {"IpAddressPrefix": _small(hns, network, 2), "Flags": 0}
    asked = {"SubnetId": subnet["ID"].lower(), "IpSubnets": [added]}
    hns.modify("Network", network, request("IPSubnet", "Add", **asked))
    prefixes = [(part["IpAddressPrefix"], part["Flags"]) for part in _subnet(hns, network)["IpSubnets"]]
    assert prefixes == [(_small(hns, network, 0), 3), (_small(hns, network, 2), 0)]
    hns.modify("Network", network, request("IPSubnet", "Remove", **asked))
    assert [part["IpAddressPrefix"] for part in _subnet(hns, network)["IpSubnets"]] == [_small(hns, network, 0)]


@pytest.mark.known("documentation", MULTI_SUBNET)
def test_an_endpoint_gets_an_address_of_the_ip_subnet_it_names(subnets: Workshop) -> None:
    network = _network_of_ip_subnets(subnets, 3, 3, 3)
    part = _subnet(subnets.hns, network)["IpSubnets"][1]
    document = documents.endpoint("pod")
    document["IpConfigurations"] = [{"IpSubnetId": part["ID"]}]
    endpoint = subnets.endpoint(network, document)
    shown = subnets.hns.call("GET", f"/endpoints/{endpoint}")
    assert ip_network(f"{shown['IPAddress']}/26", strict=False) == ip_network(part["IpAddressPrefix"])
    assert shown["IPSubnetId"].lower() == part["ID"].lower()
    document["IpConfigurations"] = [{"IpSubnetId": NOWHERE}]
    with pytest.raises(HnsFailureError) as refused:
        subnets.endpoint(network, document)
    assert refused.value.code == codes.INVALID_IP_SUBNET


@pytest.mark.known("client code", SCRIPT + " IPSubnetFlags: EnableBroadcast, ReserveNetworkAddress")
@pytest.mark.parametrize(("flags", "free"), [(0, {0, 63}), (1, {0}), (2, {63}), (3, set())])
def test_the_flags_of_an_ip_subnet_set_its_first_and_last_address_aside(
    subnets: Workshop, flags: int, free: set[int]
) -> None:
    network = _network_of_ip_subnets(subnets, 3, flags)
    prefix = ip_network(_small(subnets.hns, network, 1))
    for number in (0, 63):
        document = documents.endpoint("pod", str(prefix[number]))
        if number in free:
            assert subnets.endpoint(network, document)
            continue
        with pytest.raises(HnsFailureError) as refused:
            subnets.endpoint(network, document)
        assert refused.value.code == codes.ADDR_INVALID_OR_RESERVED


# what there is no request for


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_REQUEST_UNSUPPORTED")
@pytest.mark.parametrize(
    ("noun", "resource", "kind"),
    [
        ("Network", "Port", "Add"),
        ("Network", "Extension", "Add"),
        ("Network", "Subnet", "Update"),
        ("Network", "IPSubnet", "Refresh"),
        ("Endpoint", "DNS", "Update"),
        ("Endpoint", "Port", "Update"),
        ("Namespace", "Endpoint", "Update"),
        ("Namespace", "Container", "Refresh"),
        ("Namespace", "Policy", "Add"),
    ],
)
def test_what_an_object_has_no_request_for_is_refused(nat: Workshop, noun: str, resource: str, kind: str) -> None:
    network = nat.network()
    made = {"Network": network, "Endpoint": nat.endpoint(network), "Namespace": nat.namespace()}
    with pytest.raises(HnsFailureError, match="The specified request is unsupported") as refused:
        nat.hns.modify(noun, made[noun], request(resource, kind))
    assert refused.value.code == codes.REQUEST_UNSUPPORTED


@pytest.mark.known("inferred", "a request type is one of four words (microsoft/hcsshim hcn/hcn.go)")
def test_a_request_type_that_is_none_is_refused(nat: Workshop) -> None:
    with pytest.raises(HnsFailureError) as refused:
        nat.hns.modify("Network", nat.network(), request("Policy", "Replace", Policies=[]))
    assert refused.value.code == codes.INVALID_JSON


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint.go VmEndpointRequest")
def test_a_port_is_not_made_for_a_virtual_machine_that_is_not_there(nat: Workshop) -> None:
    endpoint = nat.endpoint(nat.network())
    port = {"PortId": NOWHERE, "VirtualNicName": f"{NOWHERE}--{endpoint}", "VirtualMachineId": NOWHERE}
    with pytest.raises(HnsFailureError):
        nat.hns.modify("Endpoint", endpoint, request("Port", "Add", **port))
    with pytest.raises(HnsFailureError) as refused:
        nat.hns.modify("Endpoint", endpoint, request("Port", "Remove"))
    assert refused.value.code == codes.ERROR_NOT_FOUND


# v1


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows: a partial document")
def test_v1_changes_what_a_networks_document_names(shop: Workshop) -> None:
    network = shop.network(Dns={"ServerList": ["192.0.2.1"]})
    before = shop.hns.query("Network", network)
    shop.hns.call("POST", f"/networks/{network}", {"DNSServerList": "192.0.2.7,192.0.2.8"})
    after = shop.hns.query("Network", network)
    assert after.pop("Dns")["ServerList"] == ["192.0.2.7", "192.0.2.8"]
    assert after == {name: value for name, value in before.items() if name != "Dns"}


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsendpoint.go: whole documents are sent back")
@pytest.mark.parametrize("noun", ["networks", "endpoints"])
def test_v1_takes_back_the_document_it_gave(shop: Workshop, noun: str) -> None:
    network = shop.network()
    made = {"networks": network, "endpoints": shop.endpoint(network)}[noun]
    given = shop.hns.call("GET", f"/{noun}/{made}")
    assert shop.hns.call("POST", f"/{noun}/{made}", given) == given


@pytest.mark.known("inferred", "a refresh changes nothing that is in order")
@pytest.mark.parametrize("path", ["/networks/{}/refresh", "endpoints/{}/refresh/"])
def test_a_refresh_gives_the_object(nat: Workshop, path: str) -> None:
    network = nat.network()
    made = network if "networks" in path else nat.endpoint(network)
    assert nat.hns.call("POST", path.format(made.lower()))["ID"].lower() == made.lower()
    with pytest.raises(HnsFailureError):
        nat.hns.call("POST", path.format(NOWHERE))


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.psm1 Get-HNSActivities")
@pytest.mark.parametrize("path", ["/activities/", "/activities", "activities", "/plugins"])
def test_there_are_no_activities_and_no_plugins(hns: Hns, path: str) -> None:
    assert hns.call("GET", path) == []


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.psm1, microsoft/hcsshim internal/hns")
@pytest.mark.parametrize("form", ["/{}/{}", "{}/{}", "/{}/{}/", "{}/{}/"])
@pytest.mark.parametrize("noun", ["networks", "endpoints", "namespaces"])
def test_slashes_and_case_of_a_path_do_not_matter(nat: Workshop, form: str, noun: str) -> None:
    network = nat.network()
    made = {"networks": network, "endpoints": nat.endpoint(network), "namespaces": nat.namespace()}[noun]
    for object_id in (made.lower(), made.upper(), f"{{{made}}}"):
        shown = nat.hns.call("GET", form.format(noun.capitalize(), object_id))
        assert shown["ID"].lower() == made.lower()
