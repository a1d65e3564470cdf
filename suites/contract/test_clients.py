"""Documents as real clients send them are taken, and answered with what those clients read."""

from __future__ import annotations

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import HnsFailureError

AZURE = "Azure/azure-container-networking network/network_windows.go, network/endpoint_windows.go"
PLUGINS = "microsoft/windows-container-networking common/core/network.go, plugins"
PROXY = "kubernetes/kubernetes pkg/proxy/winkernel/hns.go"


@pytest.mark.known("client code", AZURE)
def test_azures_network_and_endpoint_are_taken(overlay: Workshop) -> None:
    host = overlay.hns.host
    network = overlay.network(documents.azure_network("azure", "14.1.0.0/16", "14.1.0.1", host.adapter))
    mapping = documents.policy("PortMapping", InternalPort=80, ExternalPort=28090, Protocol=6, VIP="", Flags=1)
    sent = documents.azure_endpoint("1a2b3c4d-eth0", "14.1.0.9", 16, "14.1.0.1", [mapping])
    shown = overlay.hns.query("Endpoint", overlay.endpoint(network, sent))
    assert shown["Policies"] == [mapping]
    assert shown["Routes"][0]["NextHop"] == "14.1.0.1"
    assert shown["IpConfigurations"] == [{"IpAddress": "14.1.0.9", "PrefixLength": 16}]
    assert shown["MacAddress"]


@pytest.mark.known("client code", AZURE)
def test_azures_v1_network_has_its_type_as_it_was_sent_and_a_management_ip(overlay: Workshop) -> None:
    made = overlay.hns.call("POST", "/networks/", documents.azure_v1_network("azure1", "14.2.0.0/16", "14.2.0.1"))
    overlay.adopt("Network", made["ID"])
    assert made["Type"] == "l2bridge"
    assert made["ManagementIP"] == overlay.hns.host.address


@pytest.mark.known("client code", "containernetworking/plugins pkg/hns: the v1 path of win-bridge")
def test_win_bridges_v1_endpoint_shows_what_its_result_is_made_of(overlay: Workshop) -> None:
    network = overlay.network(documents.network("L2Bridge", "cbr0-v1", "14.3.0.0/24", "14.3.0.1"))
    policies = [{"Type": "OutBoundNAT", "ExceptionList": ["14.3.0.0/16"]}]
    sent = documents.win_bridge_v1("pod_v1", network, "14.3.0.9", "14.3.0.2", policies)
    made = overlay.hns.call("POST", "/endpoints/", sent)
    read = ("IPAddress", "GatewayAddress", "DNSServerList", "DNSSuffix", "Policies")
    assert {name: made[name] for name in read} == {name: sent[name] for name in read}
    assert made["MacAddress"]


@pytest.mark.known("client code", PLUGINS)
def test_the_nat_plugin_without_ipam_gets_all_from_hns(nat: Workshop) -> None:
    network = nat.network(documents.nat_plugin_network("natNet"))
    shown = nat.hns.query("Endpoint", nat.endpoint(network, documents.nat_plugin_endpoint("pod_natNet", [])))
    (subnet,) = nat.hns.query("Network", network)["Ipams"][0]["Subnets"]
    assert shown["IpConfigurations"][0]["PrefixLength"] == int(subnet["IpAddressPrefix"].split("/")[1])
    assert shown["Routes"][0]["NextHop"] == subnet["Routes"][0]["NextHop"]


@pytest.mark.known("client code", PLUGINS)
def test_a_gateway_endpoint_made_in_v2_is_attached_to_the_host_in_v1(overlay: Workshop) -> None:
    network = overlay.network(documents.network("L2Bridge", "bridgeNet", "14.4.0.0/24", "14.4.0.1"))
    endpoint = overlay.endpoint(network, documents.gateway_endpoint("14.4.0.2"))
    found = [one["ID"] for one in overlay.hns.call("GET", "/endpoints/") if one["Name"] == "GwEp"]
    assert endpoint in [guid.lower() for guid in found]
    overlay.hns.call("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Host", "CompartmentId": 1})
    addresses = [text for interface in overlay.hns.host.interfaces() for text in interface.addresses]
    assert "14.4.0.2/24" in addresses


@pytest.mark.known("client code", PROXY)
def test_kube_proxys_source_vip_has_no_name_and_the_hosts_mac(overlay: Workshop) -> None:
    network = overlay.network(documents.flannel_vxlan("vxlan-vip", "14.5.0.0/24", "14.5.0.1", 30000))
    sent = documents.kube_proxy_source_vip("14.5.0.7", overlay.hns.host.mac)
    shown = overlay.hns.query("Endpoint", overlay.endpoint(network, sent))
    assert shown["IpConfigurations"][0]["IpAddress"] == "14.5.0.7"
    assert shown["MacAddress"] == sent["MacAddress"]
    with pytest.raises(HnsFailureError) as refused:
        overlay.endpoint(network, documents.kube_proxy_source_vip("14.9.0.7", overlay.hns.host.mac))
    assert refused.value.code == codes.ADDR_INVALID_OR_RESERVED


@pytest.mark.known("client code", PROXY)
@pytest.mark.parametrize("provider", ["", "10.127.0.12"])
def test_kube_proxys_remote_endpoint_may_be_outside_every_subnet(overlay: Workshop, provider: str) -> None:
    network = overlay.network()
    endpoint = overlay.endpoint(network, documents.kube_proxy_remote("10.96.0.10", provider))
    shown = overlay.hns.query("Endpoint", endpoint)
    assert shown["Flags"] & documents.REMOTE
    assert overlay.hns.enumerate("Endpoint", VirtualNetwork=network, IsRemoteEndpoint=True) == [endpoint]
