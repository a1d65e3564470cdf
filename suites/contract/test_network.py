"""Networks: create, query, enumerate, modify, delete, duplicates, errors; v1 and v2."""

from __future__ import annotations

import re

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import Hns, HnsFailureError

HCN = "microsoft/hcsshim hcn/hcnnetwork.go"
HCN_TESTS = "microsoft/hcsshim hcn/hcnnetwork_test.go"
GUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
NOWHERE = "11111111-2222-3333-4444-555555555555"


@pytest.mark.known("client code", HCN)
def test_a_created_network_is_given_back_with_what_was_sent(shop: Workshop) -> None:
    document = shop.network_document()
    shown = shop.hns.query("Network", shop.network(document))
    assert GUID.fullmatch(shown["ID"])
    assert (shown["Name"], shown["Type"]) == (document["Name"], shop.driver)
    sent, subnet = document["Ipams"][0]["Subnets"][0], shown["Ipams"][0]["Subnets"][0]
    assert subnet["IpAddressPrefix"] == sent["IpAddressPrefix"]
    assert subnet["Routes"][0]["NextHop"] == sent["Routes"][0]["NextHop"]
    assert subnet.get("Policies", []) == sent.get("Policies", [])
    assert shown["SchemaVersion"]["Major"] == 2


@pytest.mark.known("client code", HCN)
def test_a_network_without_a_mac_pool_gets_one(shop: Workshop) -> None:
    (pool,) = shop.hns.query("Network", shop.network())["MacPool"]["Ranges"]
    assert pool["StartMacAddress"].startswith("00-15-5D-")
    assert pool["StartMacAddress"].endswith("0-00")
    assert pool["EndMacAddress"].endswith("F-FF")


@pytest.mark.known("client code", HCN_TESTS)
def test_a_given_mac_pool_is_kept(shop: Workshop) -> None:
    pool = {"StartMacAddress": "00-15-5D-52-C0-00", "EndMacAddress": "00-15-5D-52-CF-FF"}
    network = shop.network(MacPool={"Ranges": [pool]})
    assert shop.hns.query("Network", network)["MacPool"]["Ranges"] == [pool]


@pytest.mark.known("client code", HCN)
def test_a_network_is_found_by_name_and_by_id_in_any_case(shop: Workshop) -> None:
    document = shop.network_document()
    network = shop.network(document)
    assert shop.hns.enumerate("Network", Name=document["Name"]) == [network]
    assert shop.hns.enumerate("Network", ID=network.lower()) == [network]
    assert network in shop.hns.enumerate("Network")


@pytest.mark.known("client code", "kubernetes/kubernetes pkg/proxy/winkernel/hns.go")
@pytest.mark.parametrize("condition", [{"ID": NOWHERE}, {"ID": ""}, {"Name": "no such network"}])
def test_what_is_not_there_is_an_empty_list_not_an_error(hns: Hns, condition: documents.Document) -> None:
    assert hns.enumerate("Network", **condition) == []


@pytest.mark.known("client code", "containernetworking/plugins plugins/main/windows/win-overlay")
def test_a_network_made_in_v2_shows_in_v1(shop: Workshop) -> None:
    document = shop.network_document()
    network = shop.network(document)
    shown = shop.hns.call("GET", f"/networks/{network}")
    assert (shown["ID"], shown["Name"], shown["Type"]) == (network, document["Name"], shop.driver)
    assert shown["Subnets"][0]["AddressPrefix"] == document["Ipams"][0]["Subnets"][0]["IpAddressPrefix"]
    assert shown["Subnets"][0]["GatewayAddress"]
    assert network in [other["ID"] for other in shop.hns.call("GET", "/networks/")]


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnv1schema_test.go")
def test_a_v1_document_is_taken_by_v2_create(nat: Workshop) -> None:
    subnet = {"AddressPrefix": "13.200.1.0/24", "GatewayAddress": "13.200.1.1"}
    network = nat.network({"Type": "NAT", "Name": "v1 document", "Subnets": [subnet]})
    assert nat.hns.query("Network", network)["Ipams"][0]["Subnets"][0]["IpAddressPrefix"] == "13.200.1.0/24"


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.psm1")
def test_a_path_without_slash_and_an_id_in_lower_case_mean_the_same(shop: Workshop) -> None:
    network = shop.network()
    assert shop.hns.call("GET", f"networks/{network.lower()}")["ID"] == network


@pytest.mark.known("client code", "moby/moby daemon/libnetwork/drivers/windows")
def test_nat_without_a_subnet_gets_a_slash_20_with_a_gateway(nat: Workshop) -> None:
    document = {"Name": "moby", "Type": "nat", "Subnets": [{"AddressPrefix": "0.0.0.0/0"}]}
    made = nat.hns.call("POST", "/networks/", document)
    nat.adopt("Network", made["ID"])
    assert made["Type"] == "nat"
    assert made["Subnets"][0]["AddressPrefix"].endswith("/20")
    assert made["Subnets"][0]["GatewayAddress"]


@pytest.mark.known("published output", "moby/moby#33967, microsoft/hcsshim#850")
def test_a_second_network_of_one_name_is_refused(shop: Workshop) -> None:
    document = shop.network_document()
    shop.network(document)
    other = {**shop.network_document(), "Name": document["Name"]}
    with pytest.raises(HnsFailureError, match="A network with this name already exists") as refused:
        shop.network(other)
    assert refused.value.code == codes.NETWORK_ALREADY_EXISTS


@pytest.mark.known("published output", "jgregmac/hyperv-fix-for-devs#13")
def test_a_second_network_of_one_id_is_refused(shop: Workshop) -> None:
    network = shop.network()
    with pytest.raises(HnsFailureError) as refused:
        shop.hns.create("Network", shop.network_document(), object_id=network)
    assert refused.value.code == codes.ERROR_ALREADY_EXISTS


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_NETWORK_TYPE")
def test_an_unknown_type_is_refused(hns: Hns) -> None:
    with pytest.raises(HnsFailureError) as refused:
        hns.create("Network", documents.network("Bridged", "odd"))
    assert refused.value.code == codes.INVALID_NETWORK_TYPE


@pytest.mark.known("inferred", "microsoft/SDN#269, microsoft/SDN#300: An adapter was not found")
def test_an_unknown_adapter_is_refused(overlay: Workshop) -> None:
    policies = [documents.policy("NetAdapterName", NetworkAdapterName="Ethernet 9")]
    with pytest.raises(HnsFailureError, match="An adapter was not found") as refused:
        overlay.network(Policies=policies)
    assert refused.value.code == codes.ADAPTER_NOT_FOUND


@pytest.mark.known("inferred", "an overlay network is nothing without a VSID")
@pytest.mark.parametrize("prefix", ["", "12.250.1.0/24"])
def test_an_overlay_network_without_a_vsid_is_refused(hns: Hns, prefix: str) -> None:
    with pytest.raises(HnsFailureError):
        hns.create("Network", documents.network("Overlay", "no vsid", prefix))
    assert hns.enumerate("Network", Name="no vsid") == []


@pytest.mark.known("client code", "flannel-io/flannel pkg/backend/vxlan/device_windows.go")
def test_an_overlay_network_shows_provider_address_and_dr_mac(overlay: Workshop) -> None:
    network = overlay.network()
    shown = {p["Type"]: p["Settings"] for p in overlay.hns.query("Network", network)["Policies"]}
    assert shown["ProviderAddress"]["ProviderAddress"] == overlay.hns.host.address
    assert re.fullmatch(r"00-15-5D(-[0-9A-F]{2}){3}", shown["DrMacAddress"]["Address"])
    v1 = overlay.hns.call("GET", f"/networks/{network}")
    assert v1["ManagementIP"] == overlay.hns.host.address
    assert v1["DrMacAddress"] == shown["DrMacAddress"]["Address"]


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows: read back as it was sent")
def test_a_remote_subnet_route_is_added_shown_and_removed(overlay: Workshop) -> None:
    network = overlay.network()
    route = documents.policy(
        "RemoteSubnetRoute",
        DestinationPrefix="192.168.2.0/24",
        IsolationId=5000,
        ProviderAddress="1.1.1.1",
        DistributedRouterMacAddress="00-12-34-56-78-9a",
    )
    request = documents.add_policies(route)
    overlay.hns.modify("Network", network, request)
    assert route in overlay.hns.query("Network", network)["Policies"]
    overlay.hns.modify("Network", network, {**request, "RequestType": "Remove"})
    assert route not in overlay.hns.query("Network", network)["Policies"]
    with pytest.raises(HnsFailureError) as refused:
        overlay.hns.modify("Network", network, {**request, "RequestType": "Remove"})
    assert refused.value.code == codes.POLICY_NOT_FOUND


@pytest.mark.known("client code", HCN_TESTS)
def test_host_route_is_added_and_removed(overlay: Workshop) -> None:
    network = overlay.network()
    request = documents.add_policies(documents.policy("HostRoute"))
    overlay.hns.modify("Network", network, request)
    assert "HostRoute" in [p["Type"] for p in overlay.hns.query("Network", network)["Policies"]]
    overlay.hns.modify("Network", network, {**request, "RequestType": "Remove"})
    assert "HostRoute" not in [p["Type"] for p in overlay.hns.query("Network", network)["Policies"]]


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_NETWORK_NOT_FOUND")
def test_open_and_delete_of_an_unknown_network_fail(hns: Hns) -> None:
    for action in (lambda: hns.query("Network", NOWHERE), lambda: hns.delete("Network", NOWHERE)):
        with pytest.raises(HnsFailureError, match="The network was not found") as refused:
            action()
        assert refused.value.code == codes.NETWORK_NOT_FOUND


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hnsv1_test.go")
def test_deleting_a_network_deletes_its_endpoints(shop: Workshop) -> None:
    network = shop.network()
    endpoint = shop.endpoint(network)
    shop.hns.delete("Network", network)
    assert shop.hns.enumerate("Network", ID=network) == []
    assert shop.hns.enumerate("Endpoint", ID=endpoint) == []


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnetwork_test.go TestNetworkFlags")
def test_the_non_persistent_flag_is_kept(shop: Workshop) -> None:
    assert shop.hns.query("Network", shop.network(Flags=8))["Flags"] == 8


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_JSON")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"Name": 5, "SchemaVersion": {"Major": 2}}', "[" * 5000])
def test_a_document_that_cannot_be_read_is_refused(hns: Hns, text: str) -> None:
    reply = hns.host.invoke("HcnCreateNetwork", text)
    assert reply.hresult == codes.INVALID_JSON
    assert reply.record is not None
    assert "Invalid JSON document string. " in reply.record


@pytest.mark.known("inferred", "winerror.h: E_HANDLE")
def test_a_closed_handle_is_refused(nat: Workshop) -> None:
    host = nat.hns.host
    handle = host.invoke("HcnOpenNetwork", object_id=nat.network()).handle
    assert host.invoke("HcnCloseNetwork", handle=handle).hresult == 0
    assert host.invoke("HcnQueryNetworkProperties", handle=handle).hresult == codes.E_HANDLE
    assert host.invoke("HcnCloseNetwork", handle=handle).hresult == codes.E_HANDLE


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1")
def test_a_query_of_version_1_asks_for_the_v1_document(shop: Workshop) -> None:
    network = shop.network()
    shown = shop.hns.query("Network", network, {"SchemaVersion": {"Major": 1, "Minor": 0}})
    assert "Subnets" in shown
    assert "Ipams" not in shown


@pytest.mark.known("client code", "microsoft/hcsshim internal/hns/hnsglobals.go")
def test_the_version_is_the_releases(hns: Hns) -> None:
    version = hns.call("GET", "/globals/version")
    major = {"ws2019": 9, "ws2022": 13, "ws2025": 15}[hns.host.release]
    assert version["Major"] == major
