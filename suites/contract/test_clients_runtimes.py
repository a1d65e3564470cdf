"""Container runtimes, exporters and scripts: what they send is taken, and comes back as they read it."""

from __future__ import annotations

import json
import re
from ipaddress import ip_address, ip_network

import pytest

from suites import documents
from suites.contract.conftest import Workshop
from suites.contract.test_clients_plugins import make_v1
from suites.hns import HnsFailureError

MOBY = "moby/moby daemon/libnetwork/drivers/windows"
CONTAINERD = "containerd/containerd pkg/netns/netns_windows.go, microsoft/hcsshim internal/hcsoci/network.go"
EXPORTER = "prometheus-community/windows_exporter internal/headers/hcn, internal/collector/container"
SCRIPT = "microsoft/SDN Kubernetes/windows"
GUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")


def _pod(shop: Workshop, name: str, prefix: str, address: str, gateway: str) -> tuple[str, str]:
    """Put an endpoint into a namespace that a container is in; return their ids."""
    network = shop.network(documents.network(shop.driver, name, prefix, gateway))
    endpoint = shop.endpoint(network, documents.endpoint(f"pod_{name}", address, gateway))
    namespace = shop.namespace(documents.CONTAINERD_NAMESPACE)
    shop.hns.join(namespace, endpoint)
    settings = {"ContainerId": f"container-{name}"}
    shop.hns.modify("Namespace", namespace, {"ResourceType": "Container", "RequestType": "Add", "Settings": settings})
    return endpoint, namespace


@pytest.mark.known("client code", MOBY + "/windows.go")
def test_mobys_nat_network_has_a_subnet_of_hnss_and_its_endpoint_a_port_of_hnss(nat: Workshop) -> None:
    network = make_v1(nat, "Network", {"Name": "moby", "Type": "nat", "Subnets": [{"AddressPrefix": "0.0.0.0/0"}]})
    (subnet,) = network["Subnets"]
    assert ip_address(subnet["GatewayAddress"]) in ip_network(subnet["AddressPrefix"])
    assert network["Type"] == "nat"
    endpoint = make_v1(nat, "Endpoint", documents.moby_endpoint(network["ID"], 80))
    assert ip_address(endpoint["IPAddress"]) in ip_network(subnet["AddressPrefix"])
    assert endpoint["GatewayAddress"] == subnet["GatewayAddress"]
    (mapping,) = [policy for policy in endpoint["Policies"] if policy["Type"] == "NAT"]
    assert mapping["ExternalPort"] > 0
    assert (mapping["InternalPort"], endpoint["MacAddress"] != "") == (80, True)


@pytest.mark.known("client code", MOBY + "/overlay, daemon/libnetwork/service_windows.go")
def test_mobys_overlay_has_its_address_at_once_and_takes_peers_and_services(overlay: Workshop) -> None:
    adapter = {"NetworkAdapterName": overlay.hns.host.adapter, "AutomaticDNS": True}
    sent = {**documents.overlay_v1("moby", "22.2.0.0/24", "22.2.0.1", 31010, **adapter), "Type": "overlay"}
    network = make_v1(overlay, "Network", sent)
    assert (network["ManagementIP"], network["Type"]) == (overlay.hns.host.address, "overlay")
    own = {
        "Name": "task",
        "VirtualNetwork": network["ID"],
        "IPAddress": "22.2.0.9",
        "MacAddress": "02:42:16:02:00:09",
        "Policies": [{"Type": "PA", "PA": network["ManagementIP"]}, {"Type": "OutBoundNAT"}],
    }
    endpoint = make_v1(overlay, "Endpoint", own)
    assert endpoint["Policies"] == own["Policies"]
    peer = {
        "Name": "peer",
        "VirtualNetwork": network["ID"],
        "IPAddress": "22.2.0.10",
        "IsRemoteEndpoint": True,
        "MacAddress": "02:42:16:02:00:0a",
        "Policies": [{"Type": "PA", "PA": "10.127.0.12"}],
    }
    assert make_v1(overlay, "Endpoint", peer)["IsRemoteEndpoint"] is True
    service = overlay.hns.call("POST", "/policylists/", documents.moby_service(endpoint["ID"], "22.2.0.100"))
    assert [one.lower() for one in service["References"]] == [f"/endpoints/{endpoint['ID'].lower()}"]
    overlay.hns.call("DELETE", f"/policylists/{service['ID']}")


@pytest.mark.known("client code", CONTAINERD)
def test_containerds_namespace_is_left_by_v1_and_deleted_once_the_container_is_off_it(bridge: Workshop) -> None:
    hns = bridge.hns
    endpoint, namespace = _pod(bridge, "cri", "22.3.0.0/24", "22.3.0.9", "22.3.0.1")
    assert hns.query("Namespace", namespace)["Type"] == "Host"
    resource = {"Type": "Endpoint", "Data": {"Id": endpoint}}
    hns.call("POST", f"/namespaces/{namespace}/removeresource", resource)
    assert [one["Type"] for one in hns.query("Namespace", namespace)["Resources"]] == ["Container"]
    settings = {"ContainerId": "container-cri"}
    hns.modify("Namespace", namespace, {"ResourceType": "Container", "RequestType": "Remove", "Settings": settings})
    hns.delete("Namespace", namespace)
    with pytest.raises(HnsFailureError, match=r"Element not found\."):
        hns.call("DELETE", f"/namespaces/{namespace}")


@pytest.mark.known("client code", EXPORTER)
def test_the_exporter_finds_a_pods_containers_its_adapter_and_its_counters(bridge: Workshop) -> None:
    endpoint, _ = _pod(bridge, "metrics", "22.4.0.0/24", "22.4.0.9", "22.4.0.1")
    (listed,) = [one for one in bridge.hns.call("GET", "/endpoints/") if one["ID"].lower() == endpoint.lower()]
    assert (listed["State"], listed["SharedContainers"]) == (3, ["container-metrics"])
    adapters = [one["AdapterNetCfgInstanceId"] for one in listed["Resources"]["Allocators"] if "SwitchId" in one]
    assert [GUID.fullmatch(adapter.strip("{}")) is not None for adapter in adapters] == [True]
    counters = bridge.hns.call("GET", f"/endpointstats/{listed['ID']}")
    names = ("BytesReceived", "BytesSent", "DroppedPacketsIncoming", "DroppedPacketsOutgoing", "PacketsReceived")
    assert all(type(counters[name]) is int for name in (*names, "PacketsSent"))
    assert counters["EndpointId"].lower() == endpoint.lower()


@pytest.mark.known("client code", SCRIPT + "/debug, microsoft/hcsshim internal/vm/remotevm/network.go")
@pytest.mark.parametrize("face", ["v1", "v2"])
def test_an_endpoints_port_is_found_by_its_tag_with_switch_and_compartment(bridge: Workshop, face: str) -> None:
    endpoint, namespace = _pod(bridge, f"port-{face}", "22.5.0.0/24", "22.5.0.9", "22.5.0.1")
    if face == "v1":
        resources = bridge.hns.call("GET", f"/endpoints/{endpoint}")["Resources"]
    else:
        details = {"SchemaVersion": documents.VERSION, "Flags": 1}
        resources = bridge.hns.query("Endpoint", endpoint, details)["Health"]["Extra"]["Resources"]
    (port,) = [one for one in resources["Allocators"] if one["Tag"] == "Endpoint Port"]
    assert port["CompartmendId"] == bridge.hns.compartment(namespace)
    assert GUID.fullmatch(port["EndpointPortGuid"])
    assert GUID.fullmatch(port["SwitchId"])


@pytest.mark.known("client code", SCRIPT + "/hns.psm1")
def test_the_scripts_of_v1_leave_slashes_out_and_write_ids_in_lower_case(bridge: Workshop) -> None:
    hns = bridge.hns
    sent = documents.l2bridge_v1("External", "192.168.255.0/30", "192.168.255.1")
    network = hns.call("POST", "/networks", sent)
    bridge.adopt("Network", network["ID"])
    assert hns.call("GET", f"/networks/{network['ID'].lower()}")["Name"] == "External"
    endpoint = hns.call("POST", "/endpoints", {"VirtualNetwork": network["ID"].lower(), "Policies": []})
    assert endpoint["Name"] == "Ethernet"
    elb = {"Type": "ELB", "SourceVIP": "", "VIPs": [""], "InternalPort": 80, "ExternalPort": 8099, "Protocol": 6}
    listed = hns.call("POST", "/policylists", {"References": [f"/endpoints/{endpoint['ID']}"], "Policies": [elb]})
    assert listed["Policies"][0]["ExternalPort"] == 8099
    hns.call("DELETE", f"/policylists/{listed['ID'].lower()}")
    hns.call("DELETE", f"/endpoints/{endpoint['ID'].lower()}")


@pytest.mark.known("client code", SCRIPT + "/hns.v2.psm1")
def test_the_scripts_of_v2_send_a_later_version_and_ask_for_the_document_of_v1(nat: Workshop) -> None:
    later = {"Major": 2, "Minor": 2}
    network = nat.network({**documents.network("NAT", "script", "22.7.0.0/24", "22.7.0.1"), "SchemaVersion": later})
    query = {"Filter": json.dumps({"ID": network}, indent=4), "SchemaVersion": {"Major": 1, "Minor": 0}, "Flags": 1}
    shown = nat.hns.query("Network", network, query)
    assert (shown["Name"], shown["Subnets"][0]["AddressPrefix"]) == ("script", "22.7.0.0/24")
    assert "Ipams" not in shown
