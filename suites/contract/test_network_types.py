"""Types of networks: what each lies on, what it hands out, and how it shows."""

from __future__ import annotations

import re
from ipaddress import ip_network

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Of, Workshop
from suites.hns import HnsFailureError

WORDS = "microsoft/SDN Kubernetes/windows/hns.v2.psm1"
TOPOLOGIES = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies"
DEFAULT_SWITCH = "microsoft/WSL#6457"
EXTERNAL = ("Transparent", "L2Bridge", "L2Tunnel", "Overlay")
OTHERS = ("NAT", "ICS", "Internal", "Private")
VFP = "Microsoft Azure VFP Switch Extension"


@pytest.mark.known("client code", WORDS)
@pytest.mark.parametrize("kind", EXTERNAL + OTHERS)
def test_a_network_of_each_type_is_made_in_v2_and_shows_in_both(of: Of, kind: str) -> None:
    shop = of(kind)
    document = shop.network_document()
    network = shop.network(document)
    shown = shop.hns.query("Network", network)
    assert (shown["Type"], shown["Name"]) == (kind, document["Name"])
    assert shown["Ipams"][0]["Subnets"][0]["IpAddressPrefix"] == document["Ipams"][0]["Subnets"][0]["IpAddressPrefix"]
    assert shop.hns.call("GET", f"/networks/{network}")["Type"] == kind


@pytest.mark.known("client code", "moby/moby daemon/libnetwork/drivers/windows: types are sent in lower case")
@pytest.mark.parametrize("kind", [kind for kind in EXTERNAL + OTHERS if kind != "Overlay"])
def test_a_type_is_taken_in_any_case_and_shown_as_it_was_sent(of: Of, kind: str) -> None:
    shop = of(kind)
    subnet = {"AddressPrefix": "10.240.7.0/24", "GatewayAddress": "10.240.7.1"}
    made = shop.hns.call("POST", "/networks/", {"Name": "lower", "Type": kind.lower(), "Subnets": [subnet]})
    shop.adopt("Network", made["ID"])
    assert made["Type"] == kind.lower()
    assert shop.hns.query("Network", made["ID"])["Type"] == kind.lower()
    assert made["Subnets"][0]["AddressPrefix"] == "10.240.7.0/24"
    assert made["Subnets"][0]["GatewayAddress"] == "10.240.7.1"


@pytest.mark.known("documentation", TOPOLOGIES)
@pytest.mark.parametrize("kind", EXTERNAL)
def test_an_external_network_has_the_hosts_address_as_management_ip(of: Of, kind: str) -> None:
    shop = of(kind)
    shown = shop.hns.call("GET", f"/networks/{shop.network()}")
    assert shown["ManagementIP"] == shop.hns.host.address
    assert "NatName" not in shown


@pytest.mark.known("documentation", TOPOLOGIES)
@pytest.mark.parametrize("kind", OTHERS)
def test_any_other_network_has_no_management_ip(of: Of, kind: str) -> None:
    shop = of(kind)
    assert "ManagementIP" not in shop.hns.call("GET", f"/networks/{shop.network()}")


@pytest.mark.known("published output", f"{DEFAULT_SWITCH}, microsoft/hcsshim#850")
@pytest.mark.parametrize("kind", ["NAT", "ICS"])
def test_a_nat_instance_is_named_after_its_type(of: Of, kind: str) -> None:
    shop = of(kind)
    shown = shop.hns.call("GET", f"/networks/{shop.network()}")
    assert re.fullmatch(kind + r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", shown["NatName"])


@pytest.mark.known("published output", DEFAULT_SWITCH)
def test_an_ics_network_shows_its_gateways_mac_and_its_own_switch(of: Of) -> None:
    shop = of("ICS")
    document = shop.network_document()
    network = shop.network(document)
    shown = shop.hns.call("GET", f"/networks/{network}")
    assert re.fullmatch(r"00-15-5D(-[0-9A-F]{2}){3}", shown["GatewayMac"])
    assert (shown["SwitchGuid"], shown["SwitchName"]) == (network, document["Name"])


@pytest.mark.known("published output", f"canonical/multipass#1833 (HNS 9: 3), {DEFAULT_SWITCH} (HNS 11: 11)")
def test_the_flags_of_an_ics_network_are_the_callers_and_since_2022_non_persistent(of: Of) -> None:
    shop = of("ICS")
    expected = 3 if shop.hns.host.release == "ws2019" else 11
    network = shop.network(Flags=3)
    assert shop.hns.call("GET", f"/networks/{network}")["Flags"] == expected
    assert shop.hns.query("Network", network)["Flags"] == expected


@pytest.mark.known("published output", f"{DEFAULT_SWITCH}: a /20, as moby reads it of NAT")
@pytest.mark.parametrize("kind", ["NAT", "ICS"])
def test_without_a_subnet_hns_chooses_a_slash_20_and_its_gateway(of: Of, kind: str) -> None:
    shop = of(kind)
    network = shop.network(documents.network(kind, "chosen"))
    subnet = shop.hns.call("GET", f"/networks/{network}")["Subnets"][0]
    prefix = ip_network(subnet["AddressPrefix"])
    assert prefix.prefixlen == 20
    assert subnet["GatewayAddress"] == str(prefix[1])


@pytest.mark.known("published output", "microsoft/SDN#269, moby/moby#38306: Transparent networks without Subnets")
@pytest.mark.parametrize("kind", ["Transparent", "Internal", "Private"])
def test_without_a_subnet_endpoints_have_no_address_of_hns(of: Of, kind: str) -> None:
    shop = of(kind)
    made = shop.hns.call(
        "POST", "/networks/", {"Name": "bare", "Type": kind, "Subnets": [{"AddressPrefix": "0.0.0.0/0"}]}
    )
    shop.adopt("Network", made["ID"])
    assert "Subnets" not in made
    endpoint = shop.hns.query("Endpoint", shop.endpoint(made["ID"]))
    assert endpoint["IpConfigurations"] == []
    assert endpoint["MacAddress"].startswith("00-15-5D-")


@pytest.mark.known("client code", "moby/moby integration/networking: the network does not have a subnet")
def test_on_an_l2bridge_network_without_a_subnet_there_is_no_endpoint(bridge: Workshop) -> None:
    network = bridge.network(documents.network("L2Bridge", "bare"))
    with pytest.raises(HnsFailureError, match="does not have a subnet for this endpoint") as refused:
        bridge.endpoint(network)
    assert refused.value.code == codes.SUBNET_NOT_FOUND


@pytest.mark.known("documentation", TOPOLOGIES + ": VFP is not used for NAT and Transparent")
@pytest.mark.parametrize("kind", EXTERNAL + OTHERS)
def test_vfp_is_on_where_the_type_uses_it(of: Of, kind: str) -> None:
    shop = of(kind)
    extensions = shop.hns.call("GET", f"/networks/{shop.network()}")["Extensions"]
    states = {extension["Name"]: extension["IsEnabled"] for extension in extensions}
    assert states[VFP] is (kind in ("L2Bridge", "L2Tunnel", "Overlay"))


@pytest.mark.known("published output", "rancher/rke2#3925: LayeredOn")
@pytest.mark.parametrize("second", ["L2Bridge", "L2Tunnel", "Overlay"])
def test_networks_with_vfp_share_an_adapters_switch(of: Of, second: str) -> None:
    first_shop, second_shop = of("L2Bridge"), of(second)
    shown = [shop.hns.call("GET", f"/networks/{shop.network()}") for shop in (first_shop, second_shop)]
    assert shown[0]["LayeredOn"] == shown[1]["LayeredOn"]
    assert shown[0]["SwitchGuid"] == shown[1]["SwitchGuid"] == shown[0]["ID"]


@pytest.mark.known("published output", "microsoft/SDN#300: the only adapter has a Transparent switch")
@pytest.mark.parametrize(
    ("first", "second"),
    [("Transparent", "L2Bridge"), ("Transparent", "Overlay"), ("L2Bridge", "Transparent"), ("Transparent",) * 2],
)
def test_a_transparent_network_needs_an_adapter_of_its_own(of: Of, first: str, second: str) -> None:
    of(first).network()
    with pytest.raises(HnsFailureError, match="An adapter was not found") as refused:
        of(second).network()
    assert refused.value.code == codes.ADAPTER_NOT_FOUND


@pytest.mark.known("published output", "microsoft/SDN#300")
def test_the_adapter_is_free_after_the_last_network(of: Of) -> None:
    bridge = of("L2Bridge")
    bridge.hns.delete("Network", bridge.network())
    assert of("Transparent").network()


@pytest.mark.known("published output", "docker/for-win#4581")
def test_a_switch_on_a_vnic_of_the_host_is_refused(of: Of) -> None:
    shop = of("L2Bridge")
    network = shop.network()
    adapter = shop.hns.host.adapter
    document = {"Name": "on a vNIC", "Type": "Transparent", "NetworkAdapterName": f"vEthernet ({adapter})"}
    with pytest.raises(HnsFailureError, match=r"The parameter is incorrect\.") as refused:
        shop.hns.call("POST", "/networks/", document)
    assert refused.value.code == codes.E_INVALIDARG
    assert shop.hns.enumerate("Network").count(network) == 1


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_MAPPING_NOT_SUPPORTED")
@pytest.mark.parametrize("kind", ["Transparent", "Internal", "Private"])
def test_a_port_is_not_mapped_where_nothing_translates(of: Of, kind: str) -> None:
    shop = of(kind)
    mapping = documents.policy("PortMapping", Protocol=6, InternalPort=80, ExternalPort=28090)
    with pytest.raises(HnsFailureError, match="Port mapping is not supported on the given network") as refused:
        shop.endpoint(shop.network(), documents.endpoint("pod", policies=[mapping]))
    assert refused.value.code == codes.MAPPING_NOT_SUPPORTED


@pytest.mark.known("client code", "antrea-io/antrea pkg/agent/util: read back as it was sent")
def test_a_management_ip_with_a_length_and_a_source_mac_are_kept(of: Of) -> None:
    shop = of("Transparent")
    address = f"{shop.hns.host.address}/24"
    document = {
        "Name": "antrea-hnsnetwork",
        "Type": "Transparent",
        "ManagementIP": address,
        "SourceMac": "00:15:5d:7f:00:0b",
        "NetworkAdapterName": shop.hns.host.adapter,
        "Subnets": [{"AddressPrefix": "10.240.8.0/24", "GatewayAddress": "10.240.8.1"}],
    }
    made = shop.hns.call("POST", "/networks/", document)
    shop.adopt("Network", made["ID"])
    assert {name: made[name] for name in document if name != "Subnets"} == {
        name: document[name] for name in document if name != "Subnets"
    }


@pytest.mark.known("client code", WORDS + " New-HnsIcsNetwork")
def test_additional_parameters_are_kept(of: Of) -> None:
    shop = of("ICS")
    network = shop.network(AdditionalParams={"ICSFlags": 0})
    assert shop.hns.call("GET", f"/networks/{network}")["AdditionalParams"] == {"ICSFlags": 0}
