"""CNI plug-ins: what they send is taken, and what they make their result of comes back."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from suites import documents
from suites.contract.conftest import Of, Workshop
from suites.hns import HnsFailureError

PLUGINS = "containernetworking/plugins pkg/hns/endpoint_windows.go, plugins/main/windows"
AWS = "aws/amazon-vpc-cni-plugins plugins"
ANTREA = "antrea-io/antrea pkg/agent/util/net_windows.go, pkg/agent/cniserver/interface_configuration_windows.go"
AZURE = "Azure/azure-container-networking"
CALICO = "projectcalico/calico cni-plugin/pkg/dataplane/windows"
OPEN_VSWITCH = "583CC151-73EC-4A6A-8B47-578297AD7623"


def make_v1(shop: Workshop, noun: str, document: documents.Document) -> documents.Document:
    """Make an object by v1; return what came back."""
    made: documents.Document = shop.hns.call("POST", f"/{noun.lower()}s/", document)
    shop.adopt(noun, made["ID"])
    return made


def named(shop: Workshop, path: str, name: str) -> documents.Document:
    """Return the first of a v1 list with this name, as hcsshim finds it."""
    found: documents.Document = next(one for one in shop.hns.call("GET", path) if one["Name"] == name)
    return found


@pytest.mark.known("client code", PLUGINS)
def test_win_bridges_endpoint_without_ipam_has_all_that_its_result_is_made_of(bridge: Workshop) -> None:
    network = bridge.network(documents.network("L2Bridge", "cbr0-v2", "20.1.0.0/24", "20.1.0.1"))
    shown = bridge.hns.query("Endpoint", bridge.endpoint(network, documents.endpoint("sandbox_cbr0-v2")))
    (address,) = shown["IpConfigurations"]
    (subnet,) = bridge.hns.query("Network", network)["Ipams"][0]["Subnets"]
    assert address["IpAddress"] in map(str, ip_network(subnet["IpAddressPrefix"]).hosts())
    assert shown["Routes"][0]["NextHop"] == "20.1.0.1"
    assert shown["Name"] == "sandbox_cbr0-v2"
    assert shown["MacAddress"]


@pytest.mark.known("client code", PLUGINS)
def test_win_overlay_reads_in_v1_what_it_makes_its_v2_endpoint_of(overlay: Workshop) -> None:
    overlay.network(documents.flannel_vxlan("vxlan-wo", "20.2.0.0/24", "20.2.0.1", 31000))
    network = named(overlay, "/networks/", "vxlan-wo")
    subnet = network["Subnets"][0]
    assert (network["Type"], subnet["AddressPrefix"]) == ("Overlay", "20.2.0.0/24")
    policies: list[documents.Document] = [
        documents.policy("OutBoundNAT", Exceptions=["20.2.0.0/16"]),
        documents.policy("OutBoundNAT", Destinations=["20.2.0.9"]),
        documents.policy("ProviderAddress", ProviderAddress=network["ManagementIP"]),
    ]
    sent = documents.win_overlay("sandbox_vxlan-wo", "20.2.0.9", subnet["GatewayAddress"], policies)
    shown = overlay.hns.query("Endpoint", overlay.endpoint(network["ID"], sent))
    assert shown["Policies"] == policies
    assert shown["MacAddress"] == sent["MacAddress"] == "0E-2A-14-02-00-09"


@pytest.mark.known("client code", AWS + "/vpc-bridge")
def test_vpc_bridges_endpoint_finds_its_network_by_name_and_its_gateway_in_it(bridge: Workshop) -> None:
    host = bridge.hns.host
    document = documents.l2bridge_v1("vpcbr0a1b2c", "20.3.0.0/24", "20.3.0.1", NetworkAdapterName=host.adapter)
    network = make_v1(bridge, "Network", {**document, "Type": "l2bridge"})
    policies: list[documents.Document] = [
        {"Type": "OutBoundNAT", "ExceptionList": ["20.3.0.0/16", "10.100.0.0/16"]},
        {"Type": "ROUTE", "DestinationPrefix": "10.100.0.0/16", "NeedEncap": True},
        {"Type": "ROUTE", "DestinationPrefix": f"{host.address}/32", "NeedEncap": True},
    ]
    endpoint = make_v1(bridge, "Endpoint", documents.vpc_endpoint("cid-1f2e", "vpcbr0a1b2c", "20.3.0.9", 24, policies))
    assert endpoint["VirtualNetwork"].upper() == network["ID"]
    assert (endpoint["Policies"], endpoint["GatewayAddress"]) == (policies, "20.3.0.1")
    namespace = bridge.namespace()
    bridge.hns.join(namespace, endpoint["ID"])
    (resource,) = bridge.hns.query("Namespace", namespace)["Resources"]
    assert resource["Data"]["Id"].lower() == endpoint["ID"].lower()


@pytest.mark.known("client code", AWS + "/vpc-eni, network/imds")
def test_vpc_enis_endpoint_has_the_mac_and_the_acls_that_were_asked_for(of: Of) -> None:
    shop = of("Transparent")
    document = documents.l2bridge_v1(
        "taskbr0a1b2c", "20.4.0.0/24", "20.4.0.1", NetworkAdapterName=shop.hns.host.adapter
    )
    make_v1(shop, "Network", {**document, "Type": "Transparent"})
    block = {
        "Type": "ACL",
        "Action": "Block",
        "Direction": "Out",
        "Priority": 200,
        "RemoteAddresses": "169.254.169.254",
    }
    allow = [
        {"Type": "ACL", "Protocol": 256, "Action": "Allow", "Direction": d, "Priority": 300} for d in ("In", "Out")
    ]
    sent = documents.vpc_endpoint("taskbr0a1b2c-ep-1f2e", "taskbr0a1b2c", "20.4.0.9", 24, [block, *allow])
    made = make_v1(shop, "Endpoint", {**sent, "MacAddress": "0a:1b:2c:3d:4e:5f"})
    read = ("MacAddress", "IPAddress", "PrefixLength", "GatewayAddress")
    assert [made[name] for name in read] == ["0a:1b:2c:3d:4e:5f", "20.4.0.9", 24, "20.4.0.1"]
    assert len(made["Policies"]) == 3
    names = [interface.alias for interface in shop.hns.host.interfaces()]
    assert f"vEthernet ({shop.hns.host.adapter})" in names


@pytest.mark.known("client code", ANTREA)
def test_antreas_network_and_endpoint_are_taken_and_put_into_a_namespace_by_the_id_of_v1(of: Of) -> None:
    shop = of("Transparent")
    host = shop.hns.host
    sent = documents.antrea_network(
        "antrea", "20.5.0.0/24", "20.5.0.1", f"{host.address}/24", host.adapter, "00-15-5D-7F-00-0B"
    )
    network = make_v1(shop, "Network", sent)
    read = ("NetworkAdapterName", "SourceMac", "ManagementIP")
    assert {name: network[name] for name in read} == {name: sent[name] for name in read}
    shop.hns.call("POST", f"/networks/{network['ID']}", {"Extensions": [{"Id": OPEN_VSWITCH, "IsEnabled": True}]})
    pod = documents.win_bridge_v1("busybox-719fb3", network["ID"], "20.5.0.9", "20.5.0.1", [])
    endpoint = make_v1(shop, "Endpoint", pod)
    namespace = shop.namespace()
    shop.hns.join(namespace, endpoint["ID"])
    assert shop.hns.query("Endpoint", endpoint["ID"])["HostComputeNamespace"].lower() == namespace.lower()


@pytest.mark.known("client code", AZURE + " network/endpoint_windows.go: the v1 path")
def test_azures_v1_endpoint_shows_what_its_result_is_made_of(bridge: Workshop) -> None:
    network = make_v1(bridge, "Network", documents.azure_v1_network("azure-v1", "20.6.0.0/16", "20.6.0.1"))
    policies: list[documents.Document] = [
        {"Type": "OutBoundNAT", "ExceptionList": ["20.6.0.0/16"]},
        {"Type": "ROUTE", "DestinationPrefix": "10.0.0.0/8", "NeedEncap": True},
        {"Type": "NAT", "Protocol": "TCP", "InternalPort": 80, "ExternalPort": 28099},
    ]
    sent = {
        **documents.win_bridge_v1("1a2b3c4d-eth0", network["ID"], "20.6.0.9", "20.6.0.1", policies),
        "PrefixLength": 16,
    }
    made = make_v1(bridge, "Endpoint", sent)
    read = ("IPAddress", "PrefixLength", "GatewayAddress", "DNSSuffix", "DNSServerList", "Policies")
    assert {name: made[name] for name in read} == {name: sent[name] for name in read}
    bridge.hns.call("DELETE", f"/endpoints/{made['ID']}")
    with pytest.raises(HnsFailureError, match=r"(?i)not found"):
        bridge.hns.call("DELETE", f"/endpoints/{made['ID']}")


@pytest.mark.known("client code", AZURE + " cns/hnsclient/hnsclient_windows.go")
def test_cnss_apipa_endpoint_has_its_acls_and_is_the_last_on_its_network(bridge: Workshop) -> None:
    document = documents.azure_network("HostNCApipa", "169.254.128.0/17", "169.254.128.2", bridge.hns.host.adapter)
    network = bridge.network(document)
    acls = [
        documents.acl("Block", "Out", 2000, Protocols=protocol, LocalAddresses="169.254.128.9")
        for protocol in ("1", "6")
    ]
    sent = documents.azure_endpoint("HostNCApipa-1", "169.254.128.9", 17, "169.254.128.1", acls)
    endpoint = bridge.endpoint(network, sent)
    shown = bridge.hns.query("Endpoint", endpoint)
    assert shown["IpConfigurations"] == [{"IpAddress": "169.254.128.9", "PrefixLength": 17}]
    assert [policy["Settings"]["Protocols"] for policy in shown["Policies"]] == ["1", "6"]
    bridge.hns.delete("Endpoint", endpoint)
    assert bridge.hns.enumerate("Endpoint", VirtualNetwork=network) == []


@pytest.mark.known("client code", CALICO)
def test_calicos_default_deny_leaves_a_pods_other_policies_alone(bridge: Workshop) -> None:
    network = make_v1(bridge, "Network", documents.l2bridge_v1("Calico", "20.7.0.0/26", "20.7.0.1"))
    assert network["ManagementIP"] == bridge.hns.host.address
    host_end = {"Name": "Calico_ep", "IPAddress": "20.7.0.2", "VirtualNetwork": network["ID"]}
    made = make_v1(bridge, "Endpoint", host_end)
    bridge.hns.call("POST", f"/endpoints/{made['ID']}/attach", {"SystemType": "Host", "CompartmentId": 1})
    policies: list[documents.Document] = [
        documents.policy("OutBoundNAT", Exceptions=["10.96.0.0/12", "20.7.0.0/16"]),
        documents.policy("SDNRoute", DestinationPrefix=f"{bridge.hns.host.address}/32", NeedEncap=True),
    ]
    pod = bridge.endpoint(network["ID"], documents.endpoint("pod_Calico", "20.7.0.9", "20.7.0.2", policies))
    deny = documents.acl("Block", "In", 65500, Protocols="256")
    bridge.hns.modify("Endpoint", pod, documents.add_policies(deny, request="Update"))
    kinds = [policy["Type"] for policy in bridge.hns.query("Endpoint", pod)["Policies"]]
    assert sorted(kinds) == ["ACL", "OutBoundNAT", "SDNRoute"]


@pytest.mark.known("client code", CALICO)
def test_calicos_overlay_of_v1_is_found_in_v2_with_its_tunnels_mac_and_address(overlay: Workshop) -> None:
    made = make_v1(overlay, "Network", documents.overlay_v1("Calico", "20.8.0.0/26", "20.8.0.1", 31001))
    shown = {policy["Type"]: policy["Settings"] for policy in overlay.hns.query("Network", made["ID"])["Policies"]}
    assert shown["ProviderAddress"]["ProviderAddress"] == made["ManagementIP"]
    assert shown["DrMacAddress"]["Address"] == made["DrMacAddress"]
    host_end = make_v1(
        overlay,
        "Endpoint",
        {
            "Name": "Calico_ep",
            "VirtualNetwork": made["ID"],
            "IPAddress": "20.8.0.2",
            "MacAddress": overlay.hns.host.mac.lower().replace("-", ":"),
            "IsRemoteEndpoint": True,
            "Policies": [{"Type": "PA", "PA": made["ManagementIP"]}],
        },
    )
    assert host_end["IsRemoteEndpoint"] is True
    assert {"Type": "PA", "PA": made["ManagementIP"]} in host_end["Policies"]
