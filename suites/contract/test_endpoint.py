"""Endpoints: create, query, enumerate, modify, attach, delete, duplicates, errors; v1 and v2."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from suites import documents
from suites.contract import codes
from suites.contract.conftest import Workshop
from suites.hns import Hns, HnsFailureError

HCN = "microsoft/hcsshim hcn/hcnendpoint.go"
HCN_TESTS = "microsoft/hcsshim hcn/hcnendpoint_test.go"
PLUGINS = "containernetworking/plugins pkg/hns"
NOWHERE = "11111111-2222-3333-4444-555555555555"


def _prefix(shop: Workshop, network: str) -> str:
    prefix: str = shop.hns.query("Network", network)["Ipams"][0]["Subnets"][0]["IpAddressPrefix"]
    return prefix


def _host(prefix: str, number: int) -> str:
    return str(ip_network(prefix)[number])


@pytest.mark.known("client code", PLUGINS)
def test_an_endpoint_without_an_address_gets_address_gateway_and_mac(shop: Workshop) -> None:
    network = shop.network()
    shown = shop.hns.query("Endpoint", shop.endpoint(network))
    prefix = ip_network(_prefix(shop, network))
    (address,) = shown["IpConfigurations"]
    assert ip_address(address["IpAddress"]) in prefix
    assert address["PrefixLength"] == prefix.prefixlen
    assert shown["Routes"][0]["NextHop"] == str(prefix[1])
    assert shown["Routes"][0]["DestinationPrefix"] == "0.0.0.0/0"
    assert shown["MacAddress"].startswith("00-15-5D-")


@pytest.mark.known("client code", HCN_TESTS)
def test_an_endpoint_of_nothing_but_a_name_gets_an_address(shop: Workshop) -> None:
    document = {"Name": "bare", "SchemaVersion": documents.VERSION}
    shown = shop.hns.query("Endpoint", shop.endpoint(shop.network(), document))
    assert shown["IpConfigurations"]
    assert shown["Routes"]


@pytest.mark.known("client code", PLUGINS)
def test_a_given_address_and_mac_are_kept_as_they_were_sent(shop: Workshop) -> None:
    network = shop.network()
    address = _host(_prefix(shop, network), 20)
    sent = documents.endpoint("pod", address, MacAddress="0e-2a-0a-f4-01-14")
    shown = shop.hns.query("Endpoint", shop.endpoint(network, sent))
    assert shown["IpConfigurations"][0]["IpAddress"] == address
    assert shown["MacAddress"] == "0e-2a-0a-f4-01-14"


@pytest.mark.known("published output", "projectcalico/calico#4682: an endpoint without a name is Ethernet")
def test_an_endpoint_without_a_name_is_called_ethernet(shop: Workshop) -> None:
    endpoint = shop.endpoint(shop.network(), {"SchemaVersion": documents.VERSION})
    assert shop.hns.query("Endpoint", endpoint)["Name"] == "Ethernet"


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint_test.go, Azure/azure-container-networking npm")
def test_two_endpoints_of_one_name_are_allowed(shop: Workshop) -> None:
    network = shop.network()
    assert shop.endpoint(network) != shop.endpoint(network)


@pytest.mark.known("client code", "microsoft/windows-container-networking plugins: settings byte-equal on read-back")
def test_policies_come_back_as_they_were_sent(overlay: Workshop) -> None:
    sent = [
        documents.policy("OutBoundNAT", Exceptions=["10.0.0.0/16", "10.127.0.11/32"]),
        documents.policy("OutBoundNAT", Destinations=["10.0.0.9"]),
        documents.policy("SDNRoute", DestinationPrefix="11.0.0.0/8", NeedEncap=True),
        documents.policy("ProviderAddress", ProviderAddress="10.127.0.11"),
    ]
    endpoint = overlay.endpoint(overlay.network(), documents.endpoint("pod", policies=sent))
    assert overlay.hns.query("Endpoint", endpoint)["Policies"] == sent


@pytest.mark.known("published output", "kubernetes/kubernetes#100962, kubernetes-sigs/sig-windows-tools#71")
@pytest.mark.parametrize("number", ["outside", 0, 1, 255])
def test_an_address_outside_or_reserved_is_refused(shop: Workshop, number: int | str) -> None:
    network = shop.network()
    address = "198.51.100.7" if isinstance(number, str) else _host(_prefix(shop, network), number)
    with pytest.raises(HnsFailureError, match="An address provided is invalid or reserved") as refused:
        shop.endpoint(network, documents.endpoint("pod", address))
    assert refused.value.code == codes.ADDR_INVALID_OR_RESERVED


@pytest.mark.known("published output", "kubernetes/kubernetes#130963")
def test_an_address_that_is_taken_is_refused(shop: Workshop) -> None:
    network = shop.network()
    document = documents.endpoint("pod", _host(_prefix(shop, network), 30))
    shop.endpoint(network, document)
    with pytest.raises(HnsFailureError) as refused:
        shop.endpoint(network, document)
    assert refused.value.code == codes.ADDR_INVALID_OR_RESERVED


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnendpoint_test.go TestEndpointAlreadyExistsError")
def test_a_mapped_port_that_is_taken_is_refused(shop: Workshop) -> None:
    mapping = documents.policy("PortMapping", Protocol=17, InternalPort=80, ExternalPort=28080)
    network = shop.network()
    shop.endpoint(network, documents.endpoint("one", policies=[mapping]))
    with pytest.raises(HnsFailureError, match="The specified port already exists") as refused:
        shop.endpoint(network, documents.endpoint("two", policies=[mapping]))
    assert refused.value.code == codes.PORT_ALREADY_EXISTS


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_INTERNAL_PORT")
def test_a_mapping_to_port_zero_is_refused(shop: Workshop) -> None:
    mapping = documents.policy("PortMapping", Protocol=6, InternalPort=0, ExternalPort=28081)
    with pytest.raises(HnsFailureError) as refused:
        shop.endpoint(shop.network(), documents.endpoint("one", policies=[mapping]))
    assert refused.value.code == codes.INVALID_INTERNAL_PORT


@pytest.mark.known("client code", "moby/moby daemon/libnetwork/drivers/windows: reads ExternalPort back")
def test_v1_gives_back_the_port_it_chose(nat: Workshop) -> None:
    policy = {"Type": "NAT", "Protocol": "tcp", "InternalPort": 80}
    made = nat.hns.call("POST", "/endpoints/", {"VirtualNetwork": nat.network(), "Policies": [policy]})
    (shown,) = made["Policies"]
    assert shown["Type"] == "NAT"
    assert shown["ExternalPort"] > 0
    assert (shown["Protocol"], shown["InternalPort"]) == ("tcp", 80)


@pytest.mark.known("published output", "microsoft/hcsshim#1951")
def test_an_exception_with_host_bits_is_refused_since_2022(overlay: Workshop) -> None:
    policies = [documents.policy("OutBoundNAT", Exceptions=["172.17.0.1/16"])]
    document = documents.endpoint("pod", policies=policies)
    network = overlay.network()
    if overlay.hns.host.release == "ws2019":
        assert overlay.endpoint(network, document)
        return
    with pytest.raises(HnsFailureError, match="The provided policy configuration is invalid") as refused:
        overlay.endpoint(network, document)
    assert refused.value.code == codes.INVALID_POLICY


@pytest.mark.known("published output", "microsoft/hcsshim#1059: LocalAddresses Any")
def test_an_acl_with_words_for_addresses_is_refused(shop: Workshop) -> None:
    policies = [documents.acl("Allow", "In", 100, LocalAddresses="Any")]
    with pytest.raises(HnsFailureError) as refused:
        shop.endpoint(shop.network(), documents.endpoint("pod", policies=policies))
    assert refused.value.code == codes.INVALID_POLICY


@pytest.mark.known("client code", "Azure/azure-container-networking npm/pkg/dataplane")
def test_added_policies_are_appended_and_an_acl_keeps_its_id(shop: Workshop) -> None:
    endpoint = shop.endpoint(shop.network())
    first = documents.acl("Allow", "In", 222, Id="azure-acl-1")
    second = documents.acl("Block", "In", 3000, Id="azure-acl-2")
    for policy in (first, second):
        shop.hns.modify("Endpoint", endpoint, documents.add_policies(policy))
    shown = shop.hns.query("Endpoint", endpoint)["Policies"]
    assert [policy["Settings"]["Id"] for policy in shown] == ["azure-acl-1", "azure-acl-2"]


@pytest.mark.known("client code", "projectcalico/calico cni-plugin/pkg/dataplane/windows: ACL update keeps NAT")
def test_an_update_of_acls_keeps_the_other_policies(shop: Workshop) -> None:
    nat = documents.policy("OutBoundNAT", Exceptions=["10.0.0.0/8"])
    policies = [nat, documents.acl("Allow", "In", 100)]
    endpoint = shop.endpoint(shop.network(), documents.endpoint("pod", policies=policies))
    update = documents.add_policies(documents.acl("Block", "In", 65500), request="Update")
    shop.hns.modify("Endpoint", endpoint, update)
    shown = shop.hns.query("Endpoint", endpoint)["Policies"]
    assert nat in shown
    assert [p["Settings"]["Action"] for p in shown if p["Type"] == "ACL"] == ["Block"]


@pytest.mark.known("client code", "projectcalico/calico felix/dataplane/windows: a partial POST")
def test_a_partial_v1_document_changes_only_what_it_names(shop: Workshop) -> None:
    endpoint = shop.endpoint(shop.network(), documents.endpoint("pod"))
    before = shop.hns.query("Endpoint", endpoint)
    acl = {"Type": "ACL", "Action": "Block", "Direction": "In", "Protocol": 256, "RuleType": "Switch", "Priority": 1000}
    shop.hns.call("POST", f"/endpoints/{endpoint}", {"ID": endpoint, "Policies": [acl]})
    after = shop.hns.query("Endpoint", endpoint)
    assert [policy["Type"] for policy in after["Policies"]] == ["ACL"]
    assert {**after, "Policies": before["Policies"]} == before


@pytest.mark.known("client code", HCN)
def test_endpoints_are_listed_by_network_name_and_remoteness(overlay: Workshop) -> None:
    network = overlay.network()
    local = overlay.endpoint(network, documents.endpoint("local"))
    remote = overlay.endpoint(network, _remote("remote", "192.168.77.9"))
    hns = overlay.hns
    assert set(hns.enumerate("Endpoint", VirtualNetwork=network)) == {local, remote}
    assert hns.enumerate("Endpoint", VirtualNetwork=network, IsRemoteEndpoint=True) == [remote]
    assert hns.enumerate("Endpoint", VirtualNetwork=network, Name="local") == [local]
    assert hns.enumerate("Endpoint", VirtualNetwork=network, State=1) == [local, remote]


def _remote(name: str, address: str) -> documents.Document:
    provider = documents.policy("ProviderAddress", ProviderAddress="10.127.0.12")
    return documents.endpoint(name, address, policies=[provider], Flags=1, MacAddress="02-11-c0-a8-4d-09")


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION")
def test_a_remote_endpoint_cannot_be_attached(overlay: Workshop) -> None:
    remote = overlay.endpoint(overlay.network(), _remote("remote", "192.168.78.9"))
    with pytest.raises(HnsFailureError) as refused:
        overlay.hns.join(overlay.namespace(), remote)
    assert refused.value.code == codes.INVALID_REMOTE_ENDPOINT_OPERATION


@pytest.mark.known("published output", "flannel-io/flannel#1391")
def test_a_second_host_attach_is_refused_with_the_text_flannel_looks_for(shop: Workshop) -> None:
    endpoint = shop.endpoint(shop.network())
    request = {"SystemType": "Host", "CompartmentId": 1}
    shop.hns.call("POST", f"/endpoints/{endpoint}/attach", request)
    with pytest.raises(HnsFailureError, match="This endpoint is already attached to the switch") as refused:
        shop.hns.call("POST", f"/endpoints/{endpoint}/attach", request)
    assert refused.value.code == codes.ENDPOINT_ALREADY_ATTACHED
    shop.hns.call("POST", f"/endpoints/{endpoint}/detach", request)


@pytest.mark.known("client code", "flannel-io/flannel pkg/backend/hostgw: the host shows the address at once")
def test_an_endpoint_attached_to_the_host_is_an_interface_of_the_host(shop: Workshop) -> None:
    endpoint = shop.endpoint(shop.network())
    address = shop.hns.query("Endpoint", endpoint)["IpConfigurations"][0]["IpAddress"]
    shop.hns.call("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Host", "CompartmentId": 1})
    shown = {text.split("/")[0] for i in shop.hns.host.interfaces() for text in i.addresses}
    assert address in shown


@pytest.mark.known("client code", "aws/amazon-vpc-cni-plugins plugins/vpc-eni: the network by name alone")
def test_v1_finds_the_network_by_its_name(nat: Workshop) -> None:
    document = nat.network_document()
    network = nat.network(document)
    made = nat.hns.call("POST", "/endpoints/", {"Name": "pod", "VirtualNetworkName": document["Name"]})
    assert made["VirtualNetwork"].upper() == network


@pytest.mark.known("published output", "Azure/azure-container-networking#715, antrea-io/antrea")
def test_deleting_an_unknown_endpoint_says_so(hns: Hns) -> None:
    with pytest.raises(HnsFailureError, match="The endpoint was not found") as refused:
        hns.call("DELETE", f"/endpoints/{NOWHERE}")
    assert refused.value.code == codes.ENDPOINT_NOT_FOUND


@pytest.mark.known("client code", "moby/moby integration/networking: no subnet")
def test_a_network_without_a_subnet_has_no_place_for_an_endpoint(hns: Hns) -> None:
    network = hns.create("Network", documents.network("L2Bridge", "no subnet"))
    try:
        with pytest.raises(HnsFailureError, match="The network does not have a subnet for this endpoint") as refused:
            hns.create("Endpoint", documents.endpoint("pod"), network=network)
    finally:
        hns.delete("Network", network)
    assert refused.value.code == codes.SUBNET_NOT_FOUND


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hnsv1_test.go, containerd pod stats")
def test_statistics_count_what_passed_since_the_endpoint_joined(shop: Workshop) -> None:
    endpoint, namespace = shop.endpoint(shop.network()), shop.namespace()
    before = shop.hns.call("GET", f"/endpointstats/{endpoint}")
    assert before["EndpointId"].upper() == endpoint.upper()
    assert (before["PacketsSent"], before["BytesSent"]) == (0, 0)
    shop.hns.join(namespace, endpoint)
    shop.hns.host.place(shop.hns.compartment(namespace)).ping(shop.hns.host.address, timeout=0.3)
    after = shop.hns.call("GET", f"/endpointstats/{endpoint}")
    assert after["PacketsSent"] > 0
    assert after["BytesSent"] > after["PacketsSent"]
