"""Agents of a node: flannel, kube-proxy, OVN, Felix, NPM: what they send is taken, and comes back as they read it."""

from __future__ import annotations

import re

import pytest

from suites import documents
from suites.contract.conftest import Workshop
from suites.contract.test_clients_plugins import make_v1, named
from suites.hns import HnsFailureError

FLANNEL = "flannel-io/flannel pkg/backend"
PROXY = "kubernetes/kubernetes pkg/proxy/winkernel"
OVN = "ovn-org/ovn-kubernetes hybrid-overlay/pkg/controller"
FELIX = "projectcalico/calico felix/dataplane/windows"
NPM = "Azure/azure-container-networking npm/pkg/dataplane"
SECOND_NODE = "10.127.0.12"


@pytest.mark.known("client code", FLANNEL + "/hostgw/hostgw_windows.go")
def test_flannels_host_gw_finds_its_network_again_and_takes_attached_for_done(bridge: Workshop) -> None:
    made = make_v1(bridge, "Network", documents.flannel_host_gw("cbr0-fl", "21.1.0.0/24", "21.1.0.1"))
    network = bridge.hns.call("GET", f"/networks/{made['ID']}")
    assert network["ManagementIP"] == bridge.hns.host.address
    (subnet,) = named(bridge, "/networks/", "cbr0-fl")["Subnets"]
    assert (subnet["AddressPrefix"], subnet["GatewayAddress"]) == ("21.1.0.0/24", "21.1.0.1")
    end = {"Name": "cbr0-fl_ep", "IPAddress": "21.1.0.2", "VirtualNetwork": made["ID"]}
    endpoint = make_v1(bridge, "Endpoint", end)
    assert endpoint["IPAddress"] == "21.1.0.2"
    attach = (f"/endpoints/{endpoint['ID']}/attach", {"SystemType": "Host", "CompartmentId": 1})
    bridge.hns.call("POST", *attach)
    with pytest.raises(HnsFailureError, match=r"This endpoint is already attached to the switch\."):
        bridge.hns.call("POST", *attach)
    addresses = [text for interface in bridge.hns.host.interfaces() for text in interface.addresses]
    assert "21.1.0.2/24" in addresses


@pytest.mark.known("client code", FLANNEL + "/vxlan/vxlan_network_windows.go, device_windows.go")
def test_flannels_vxlan_reads_its_policies_and_removes_a_lease_as_it_was_read_back(overlay: Workshop) -> None:
    hns = overlay.hns
    network = overlay.network(documents.flannel_vxlan("flannel.31002", "21.2.0.0/24", "21.2.0.1", 31002))
    shown = {policy["Type"]: policy["Settings"] for policy in hns.query("Network", network)["Policies"]}
    assert shown["ProviderAddress"]["ProviderAddress"] == hns.host.address
    assert re.fullmatch(r"[0-9A-Fa-f]{2}([-:][0-9A-Fa-f]{2}){5}", shown["DrMacAddress"]["Address"])
    lease = documents.flannel_lease("21.2.1.0/24", 31002, SECOND_NODE, "00-15-5D-AA-00-01")
    hns.modify("Network", network, documents.add_policies(documents.policy("HostRoute"), lease))
    (read,) = [p for p in hns.query("Network", network)["Policies"] if p["Type"] == "RemoteSubnetRoute"]
    assert read == lease
    hns.modify("Network", network, documents.add_policies(read, request="Remove"))
    kinds = {policy["Type"] for policy in hns.query("Network", network)["Policies"]}
    assert ("HostRoute" in kinds, "RemoteSubnetRoute" in kinds) == (True, False)


@pytest.mark.known("client code", OVN + "/ho_node_windows.go")
def test_ovns_second_overlay_has_its_own_flags_and_policies_beside_the_base(overlay: Workshop) -> None:
    adapter = overlay.hns.host.adapter
    base = overlay.network(documents.ovn_network("BaseOVN", "21.3.0.0/30", "21.3.0.2", 31003, adapter, base=True))
    second = overlay.network(documents.ovn_network("OVN", "21.3.1.0/24", "21.3.1.1", 31004, adapter, base=False))
    assert [overlay.hns.query("Network", one)["Flags"] for one in (base, second)] == [0, documents.NON_PERSISTENT]
    shown = overlay.hns.query("Network", second)
    policies = {policy["Type"]: policy["Settings"] for policy in shown["Policies"]}
    assert policies["AutomaticDNS"] == {"Enable": True}
    assert policies["DrMacAddress"]["Address"]
    (subnet,) = shown["Ipams"][0]["Subnets"]
    assert (subnet["IpAddressPrefix"], subnet["Routes"][0]["NextHop"]) == ("21.3.1.0/24", "21.3.1.1")


@pytest.mark.known("client code", PROXY + "/hns.go")
def test_kube_proxys_load_balancers_come_back_with_what_it_tells_them_apart_by(bridge: Workshop) -> None:
    network = bridge.network(documents.network("L2Bridge", "l2-proxy", "21.4.0.0/24", "21.4.0.1"))
    endpoint = bridge.endpoint(network, documents.endpoint("pod", "21.4.0.9", "21.4.0.1"))
    for sent in (
        documents.load_balancer([endpoint], "10.96.77.10", 80),
        documents.kube_proxy_node_port([endpoint], 80, 30080),
    ):
        made = bridge.adopt("LoadBalancer", bridge.hns.create("LoadBalancer", sent))
        shown = bridge.hns.query("LoadBalancer", made)
        assert shown["FrontendVIPs"] == sent["FrontendVIPs"]
        (mapping,) = shown["PortMappings"]
        assert {name: mapping[name] for name in sent["PortMappings"][0]} == sent["PortMappings"][0]
        assert [one.lower() for one in shown["HostComputeEndpoints"]] == [endpoint.lower()]


@pytest.mark.known("client code", PROXY + "/proxier.go: it removes all at its start")
def test_kube_proxys_load_balancer_is_a_policy_list_that_v1_deletes(bridge: Workshop) -> None:
    network = bridge.network(documents.network("L2Bridge", "l2-lists", "21.5.0.0/24", "21.5.0.1"))
    endpoint = bridge.endpoint(network, documents.endpoint("pod", "21.5.0.9", "21.5.0.1"))
    sent = documents.load_balancer([endpoint], "10.96.77.11", 80)
    made = bridge.adopt("LoadBalancer", bridge.hns.create("LoadBalancer", sent))
    (listed,) = [one for one in bridge.hns.call("GET", "/policylists/") if one["ID"].lower() == made.lower()]
    bridge.hns.call("DELETE", f"/policylists/{listed['ID']}")
    assert made not in bridge.hns.enumerate("LoadBalancer")


@pytest.mark.known("client code", FELIX + "/endpoint_mgr.go, policysets")
def test_felixs_rules_take_the_place_of_acls_alone_on_endpoints_that_are_attached(bridge: Workshop) -> None:
    hns = bridge.hns
    network = bridge.network(documents.network("L2Bridge", "Calico-fx", "21.6.0.0/24", "21.6.0.1"))
    nat = documents.policy("OutBoundNAT", Exceptions=["10.96.0.0/12"])
    endpoint = bridge.endpoint(network, documents.endpoint("pod_fx", "21.6.0.9", "21.6.0.1", [nat]))
    hns.join(bridge.namespace(), endpoint)
    listed = named(bridge, "/endpoints/", "pod_fx")
    assert listed["State"] in (2, 3)
    assert (listed.get("IsRemoteEndpoint", False), listed["VirtualNetworkName"]) == (False, "Calico-fx")
    rules = [
        documents.felix_rule("Allow", "In", 1000, LocalPorts="80,8000-8010", Protocol=6),
        documents.felix_rule("Block", "In", 1001, RemoteAddresses="192.0.2.0/24,198.51.100.7/32"),
    ]
    for wanted in (rules, rules[:1]):
        hns.call("POST", f"/endpoints/{listed['ID']}", documents.felix_rules(listed["ID"], *wanted))
        policies = hns.call("GET", f"/endpoints/{listed['ID']}")["Policies"]
        assert [policy["Id"] for policy in policies if policy["Type"] == "ACL"] == [rule["Id"] for rule in wanted]
        assert [policy["ExceptionList"] for policy in policies if policy["Type"] == "OutBoundNAT"] == [["10.96.0.0/12"]]


@pytest.mark.known("client code", NPM)
def test_npms_acls_name_its_sets_and_are_found_by_their_ids(bridge: Workshop) -> None:
    hns = bridge.hns
    if hns.host.release == "ws2019":
        pytest.skip("sets of addresses came with Windows Server 2022")
    network = bridge.network(documents.network("L2Bridge", "azure-npm", "21.7.0.0/24", "21.7.0.1"))
    sets = [documents.npm_set("web", "21.7.0.9"), documents.npm_set("db", "21.7.0.10,21.7.0.11")]
    hns.modify("Network", network, documents.add_policies(*sets))
    endpoint = bridge.endpoint(network, documents.endpoint("pod_npm", "21.7.0.9", "21.7.0.1"))
    hns.join(bridge.namespace(), endpoint)
    found = [one for state in (2, 3) for one in hns.enumerate("Endpoint", State=state, VirtualNetworkName="azure-npm")]
    assert found == [endpoint]
    acls = [
        documents.acl(
            "Allow", "In", 222, Id="azure-acl-web-1", LocalAddresses="azure-npm-db", RemoteAddresses="azure-npm-web"
        ),
        documents.acl("Block", "In", 3000, Id="azure-acl-web-2"),
    ]
    hns.modify("Endpoint", endpoint, documents.add_policies(*acls))
    shown = hns.query("Endpoint", endpoint)["Policies"]
    assert [policy["Settings"]["Id"] for policy in shown] == ["azure-acl-web-1", "azure-acl-web-2"]
    kept = [policy for policy in shown if policy["Settings"]["Id"] != "azure-acl-web-1"]
    hns.modify("Endpoint", endpoint, documents.add_policies(*kept, request="Update"))
    assert hns.query("Endpoint", endpoint)["Policies"] == kept
