"""Policies of networks and endpoints: taken as sent, refused by release, sets by their ids."""

from __future__ import annotations

import logging
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from hnsfake.dataplane.interface import EndpointWant, NetworkWant
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import Acl, SdnRoute
from hnsfake.service.call import Reply
from hnsfake.service.policy_support import NOT_ENFORCED
from tests.contract.service import VERSION, Bench

NPM_DATAPLANE = "Azure/azure-container-networking npm/pkg/dataplane"
NPM_POLICIES = "Azure/azure-container-networking npm/pkg/dataplane/policies/policy_windows.go"
VERSIONS = "microsoft/hcsshim hcn/hcnglobals.go; golang.org/x/sys windows: HCN_E_INVALID_POLICY_TYPE"
OUR_LOG = "what our log says is not enforced"

Policy = dict[str, Any]


def policy(kind: str, **settings: Any) -> Policy:
    return {"Type": kind, "Settings": settings}


FIVE = {"Protocols": "6", "RemoteAddresses": "10.0.0.4", "Priority": 8}
TIER_RULE = {"Id": "r1", "Protocols": "6", "TierAclRuleAction": "Pass", "LocalPorts": "80", "Priority": 2001}
L4_WFP = policy(
    "L4WFPPROXY",
    InboundProxyPort="80",
    OutboundProxyPort="81",
    FilterTuple=FIVE,
    UserSID="S-1-5-32-556",
    InboundExceptions={"IpAddressExceptions": ["12.0.1.12"], "PortExceptions": ["8181"]},
    OutboundExceptions={},
)
TIER_ACL = policy("TierAcl", Name="TierIn1", Direction="In", Order=1001, TierAclRules=[TIER_RULE])
L4_PROXY = policy(
    "L4Proxy",
    IP="10.0.0.9",
    Port="8080",
    Protocol=6,
    Exceptions=["10.0.0.0/8"],
    Destination="0.0.0.0/0",
    OutboundNAT=True,
)
NETWORK_ACL = policy(
    "NetworkACL",
    Protocols="6",
    Action="Allow",
    Direction="In",
    LocalAddresses="192.168.100.0/24,10.0.0.21",
    Priority=200,
    Id="rule-1",
    RemoteAddresses="10.0.0.22",
    LocalPorts="80",
    RemotePorts="1024-65535",
    RuleType="Switch",
)
HOST_INTERFACE = policy(
    "InterfaceConstraint",
    InterfaceGuid="{0694b065-0000-0000-0000-000000000000}",
    InterfaceIndex=4,
    InterfaceLuid=1689399632855040,
    InterfaceMediaType=6,
    InterfaceDescription="Hyper-V Virtual Ethernet Adapter",
)

ON_ENDPOINTS = [
    policy("QOS", MaximumOutgoingBandwidthInBytes=10_000_000),
    policy("PortName", Name="port1"),
    policy("L2Driver"),
    policy("Iov", IovOffloadWeight=100, QueuePairsRequested=1, InterruptModeration=0),
    policy("EncapOverhead", Overhead=50),
    policy(
        "Encryption",
        EncryptionMethodType="Ipsec",
        AuthenticationMethods=[{"Type": "Certificate", "Settings": {}}],
        Name="all",
        Endpoints1=["10.1.0.0/24"],
        Endpoints2=["10.2.0.0/24"],
        ProtocolType="Tcp",
        Endpoint1Ports=["80"],
        Endpoint2Ports=["1024-65535"],
    ),
    policy("InterfaceParameters", Mtu=1400),
    policy("VLAN", IsolationId=7),
    HOST_INTERFACE,
    policy("OutBoundNAT", Exceptions=["10.0.0.0/8"], Flags=0, MaxPortPoolUsage=128),
    L4_PROXY,
    L4_WFP,
    TIER_ACL,
]
ON_NETWORKS = [
    policy("SourceMacAddress", SourceMacAddress="00-15-5d-aa-bb-cc"),
    policy("HostRoute"),
    policy("VSwitchExtension", ExtensionID="F74F241B-440F-4433-BB28-00F89EAD20D8", Enable=True),
    policy("AutomaticDNS", Enable=True),
    policy("InterfaceConstraint", InterfaceAlias="Ethernet 2"),
    policy("LayerConstraint", LayerId="11111111-2222-3333-4444-555555555555"),
    L4_PROXY,
    NETWORK_ACL,
    policy("SetPolicy", Id="azure-npm-1", Name="ns-x", PolicyType="IPSET", Values="10.1.0.4,10.1.0.5"),
]


def _type(sent: Policy) -> str:
    return str(sent["Type"])


def modify(bench: Bench, noun: str, object_id: str, request: str, *policies: Policy) -> Reply:
    document = {"ResourceType": "Policy", "RequestType": request, "Settings": {"Policies": list(policies)}}
    return bench.invoke(f"HcnModify{noun}", document, handle=bench.handle(noun, object_id))


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnpolicy.go, hcn/hcnendpoint_test.go")
@pytest.mark.parametrize("sent", ON_ENDPOINTS, ids=_type)
def test_an_endpoint_policy_is_added_shown_as_it_was_sent_and_removed(sent: Policy) -> None:
    bench = Bench("ws2025")
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    assert modify(bench, "Endpoint", endpoint, "Add", sent).ok
    assert bench.shown("Endpoint", bench.handle("Endpoint", endpoint))["Policies"] == [sent]
    (kept,) = bench.service.state.endpoints.values()
    assert kept.policies[0].typed is not None
    assert modify(bench, "Endpoint", endpoint, "Remove", sent).ok
    assert bench.shown("Endpoint", bench.handle("Endpoint", endpoint))["Policies"] == []


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnpolicy.go, hcn/hcnnetwork_test.go")
@pytest.mark.parametrize("sent", ON_NETWORKS, ids=_type)
def test_a_network_policy_is_added_shown_as_it_was_sent_and_removed(sent: Policy) -> None:
    bench = Bench("ws2025")
    network = bench.network("Overlay")["ID"]
    before = bench.shown("Network", bench.handle("Network", network))["Policies"]
    assert modify(bench, "Network", network, "Add", sent).ok
    assert sent in bench.shown("Network", bench.handle("Network", network))["Policies"]
    (kept,) = bench.service.state.networks.values()
    assert kept.policies[-1].typed is not None
    assert modify(bench, "Network", network, "Remove", sent).ok
    assert bench.shown("Network", bench.handle("Network", network))["Policies"] == before


@pytest.mark.known("inferred", VERSIONS)
@pytest.mark.parametrize(
    ("name", "sent"),
    [("ws2019", L4_WFP), ("ws2019", TIER_ACL), ("ws2022", TIER_ACL)],
    ids=["WFP proxy on 2019", "tiers on 2019", "tiers on 2022"],
)
def test_an_endpoint_policy_newer_than_the_release_is_no_type_it_knows(name: str, sent: Policy) -> None:
    bench = Bench(name)
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    assert modify(bench, "Endpoint", endpoint, "Add", sent).hresult == HResult.HCN_E_INVALID_POLICY_TYPE


@pytest.mark.known("inferred", VERSIONS)
@pytest.mark.parametrize(
    ("name", "sent", "taken"),
    [
        ("ws2019", policy("SetPolicy", Id="a", PolicyType="IPSET", Values=""), False),
        ("ws2022", policy("SetPolicy", Id="a", PolicyType="IPSET", Values=""), True),
        ("ws2022", policy("SetPolicy", Id="a", PolicyType="NESTEDIPSET", Values=""), False),
        ("ws2025", policy("SetPolicy", Id="a", PolicyType="NESTEDIPSET", Values=""), True),
        ("ws2022", NETWORK_ACL, False),
        ("ws2019", policy("VxlanPort", Port=4790), False),
        ("ws2022", policy("VxlanPort", Port=4790), True),
    ],
    ids=lambda value: value["Settings"].get("PolicyType", value["Type"]) if isinstance(value, dict) else str(value),
)
def test_a_network_policy_is_taken_from_its_release_on(name: str, sent: Policy, taken: bool) -> None:
    bench = Bench(name)
    reply = modify(bench, "Network", bench.network("Overlay")["ID"], "Add", sent)
    assert reply.hresult == (HResult.S_OK if taken else HResult.HCN_E_INVALID_POLICY_TYPE)


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_POLICY")
@pytest.mark.parametrize(
    "sent",
    [
        policy("QOS", MaximumOutgoingBandwidthInBytes=-1),
        policy("QOS", MaximumOutgoingBandwidthInBytes="fast"),
        policy("L4Proxy", IP="nowhere"),
        policy("L4WFPPROXY", InboundProxyPort="http"),
        policy("TierAcl", Direction="Up"),
        policy("TierAcl", Direction="In", TierAclRules=[{"TierAclRuleAction": "Maybe"}]),
        policy("EncapOverhead", Overhead=65536),
    ],
    ids=str,
)
def test_settings_that_can_not_be_meant_are_an_invalid_policy(sent: Policy) -> None:
    bench = Bench("ws2025")
    endpoint = bench.endpoint(bench.network("L2Bridge")["ID"])["ID"]
    assert modify(bench, "Endpoint", endpoint, "Add", sent).hresult == HResult.HCN_E_INVALID_POLICY


@pytest.mark.known(
    "inferred", "microsoft/hcsshim hcn/hcnpolicy.go and internal/hns/hnspolicy.go name the same settings"
)
def test_mobys_qos_and_a_v1_proxy_show_in_v2() -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    qos = {"Type": "QOS", "MaximumOutgoingBandwidthInBytes": 1000}
    proxy = {"Type": "PROXY", "IP": "10.0.0.9", "Port": "80", "ExceptionList": ["10.0.0.0/8"], "OutboundNat": True}
    made = bench.v1("POST", "/endpoints/", {"VirtualNetwork": network, "Policies": [qos, proxy]})["Output"]
    assert made["Policies"] == [qos, proxy]
    assert bench.shown("Endpoint", bench.handle("Endpoint", made["ID"]))["Policies"] == [
        policy("QOS", MaximumOutgoingBandwidthInBytes=1000),
        policy("L4Proxy", IP="10.0.0.9", Port="80", Exceptions=["10.0.0.0/8"], OutboundNAT=True),
    ]


@pytest.mark.ours(OUR_LOG)
def test_what_has_no_effect_is_said_once_a_node(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    with caplog.at_level(logging.WARNING, "hnsfake.service"):
        for _ in range(2):
            bench.endpoint(network, Policies=[policy("QOS", MaximumOutgoingBandwidthInBytes=1)])
    assert [record.getMessage() for record in caplog.records] == [
        f"accepted, not enforced: QOS ({NOT_ENFORCED['QOS']})"
    ]


@pytest.mark.ours(OUR_LOG)
@pytest.mark.parametrize("kind", ["ICS"])
def test_what_of_a_networks_type_has_no_effect_is_said_once_a_node(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    for name in ("one", "two"):
        bench.network(kind, f"10.{len(name)}.{ord(name[0])}.0/24", Name=name)
    assert [record.message for record in caplog.records if "not enforced" in record.message] == [
        f"accepted, not enforced: {kind} ({NOT_ENFORCED[kind]})"
    ]


@pytest.mark.ours(OUR_LOG)
def test_that_an_endpoint_has_to_ask_for_its_address_is_said(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    network = bench.made("Network", {"Type": "Transparent", "Name": "bare", "SchemaVersion": VERSION})
    bench.endpoint(network["ID"])
    assert f"accepted, not enforced: DHCP ({NOT_ENFORCED['DHCP']})" in [record.message for record in caplog.records]


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnpolicy.go DrMacAddressNetworkPolicySetting")
def test_an_overlay_network_has_the_distributed_routers_mac_that_was_asked_for() -> None:
    bench = Bench()
    sent = policy("DrMacAddress", Address="00-15-5d-aa-bb-cc")
    network = bench.network("Overlay", Policies=[sent])
    assert [one for one in network["Policies"] if one["Type"] == "DrMacAddress"] == [sent]
    wanted = [change.after for changes in bench.plane.asked for change in changes]
    (want,) = (one for one in wanted if isinstance(one, NetworkWant))
    assert want.dr_mac == "00-15-5D-AA-BB-CC"
    assert bench.v1("GET", f"/networks/{network['ID']}")["Output"]["DrMacAddress"] == want.dr_mac


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnerrors_test.go TestEndpointAlreadyExistsError")
def test_the_same_port_mapping_on_two_overlay_endpoints_exists_already() -> None:
    bench = Bench()
    network = bench.network("Overlay")["ID"]
    mapping = policy("PortMapping", Protocol=17, InternalPort=45678, ExternalPort=56789)
    bench.endpoint(network, Policies=[mapping])
    document = {"SchemaVersion": VERSION, "Policies": [mapping]}
    reply = bench.invoke("HcnCreateEndpoint", document, handle=bench.handle("Network", network))
    assert reply.hresult == HResult.HCN_E_PORT_ALREADY_EXISTS


@pytest.mark.known("client code", "microsoft/hcsshim hcn/hcnnetwork_test.go TestCreateDeleteNetworks")
@pytest.mark.parametrize(
    "route",
    [{"NextHop": "192.168.100.1", "DestinationPrefix": "1.1.1.1/0"}, {"NextHop": "", "DestinationPrefix": ""}],
    ids=["no default route", "no next hop"],
)
def test_a_nat_subnet_whose_routes_name_no_gateway_is_refused(route: dict[str, str]) -> None:
    subnet = {"IpAddressPrefix": "192.168.100.0/24", "Routes": [route]}
    document = {"Type": "NAT", "Name": "n", "Ipams": [{"Subnets": [subnet]}], "SchemaVersion": VERSION}
    assert Bench().invoke("HcnCreateNetwork", document).hresult == HResult.HCN_E_INVALID_NETWORK


# Sets of addresses, as Azure's NPM uses them.


def ip_set(name: str, *addresses: str) -> Policy:
    return policy("SetPolicy", Id=name, Name=name, PolicyType="IPSET", Values=",".join(addresses))


def nested(name: str, *sets: str) -> Policy:
    return policy("SetPolicy", Id=name, Name=name, PolicyType="NESTEDIPSET", Values=",".join(sets))


def acl(direction: str, **more: Any) -> Policy:
    settings = {"Protocols": "6", "Action": "Allow", "Direction": direction, "RuleType": "Switch", "Priority": 222}
    return policy("ACL", Id="azure-acl-1", **settings, **more)


class Npm:
    """A network with sets, and an endpoint."""

    def __init__(self, *sets: Policy) -> None:
        self.bench = Bench("ws2025")
        self.network = self.bench.network("L2Bridge")["ID"]
        assert self.change("Add", *sets).ok
        self.endpoint = self.bench.endpoint(self.network)["ID"]

    def change(self, request: str, *sets: Policy) -> Reply:
        return modify(self.bench, "Network", self.network, request, *sets)

    def rules(self) -> list[Acl]:
        """Return the ACLs that the data plane was last asked for."""
        changes = [change.after for changes in self.bench.plane.asked for change in changes]
        wanted = [want for want in changes if isinstance(want, EndpointWant)][-1]
        return [rule for rule in wanted.policies if isinstance(rule, Acl)]


@pytest.mark.known("client code", NPM_POLICIES)
@pytest.mark.parametrize(("direction", "source_end"), [("Out", "local"), ("In", "remote")])
def test_with_sets_local_is_the_source_in_both_directions(direction: str, source_end: str) -> None:
    npm = Npm(ip_set("src", "10.1.0.4"), ip_set("dst", "10.1.0.5"))
    assert modify(
        npm.bench, "Endpoint", npm.endpoint, "Add", acl(direction, LocalAddresses="src", RemoteAddresses="dst")
    ).ok
    (rule,) = npm.rules()
    ends = {"local": rule.local_addresses, "remote": rule.remote_addresses}
    assert ends.pop(source_end) == (ip_network("10.1.0.4/32"),)
    assert list(ends.values()) == [(ip_network("10.1.0.5/32"),)]


@pytest.mark.known("client code", NPM_POLICIES)
def test_several_sets_mean_what_they_have_in_common() -> None:
    npm = Npm(ip_set("a", "10.1.0.4", "10.1.0.5"), ip_set("b", "10.1.0.5", "10.1.0.6"))
    assert modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", RemoteAddresses="a,b")).ok
    assert [rule.remote_addresses for rule in npm.rules()] == [(ip_network("10.1.0.5/32"),)]


@pytest.mark.known("client code", NPM_DATAPLANE + "/ipsets")
def test_a_nested_set_means_all_of_its_sets() -> None:
    npm = Npm(ip_set("a", "10.1.0.4"), ip_set("b", "10.1.0.5"), nested("c", "a", "b"))
    assert modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", RemoteAddresses="c")).ok
    assert [rule.remote_addresses for rule in npm.rules()] == [(ip_network("10.1.0.4/32"), ip_network("10.1.0.5/32"))]


@pytest.mark.known("inferred", "a set is its members, however often it is named")
def test_sets_nested_in_a_ring_are_gone_through_once() -> None:
    npm = Npm(ip_set("a", "10.1.0.4"), nested("b", "a", "c"), nested("c", "b"))
    assert modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", RemoteAddresses="c")).ok
    assert [rule.remote_addresses for rule in npm.rules()] == [(ip_network("10.1.0.4/32"),)]


@pytest.mark.known("inferred", NPM_DATAPLANE + "/ipsets: a set of no pods is empty")
def test_a_rule_with_an_empty_set_matches_nothing_rather_than_everything() -> None:
    npm = Npm(ip_set("a"))
    assert modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", RemoteAddresses="a")).ok
    assert npm.rules() == []


@pytest.mark.known("client code", NPM_DATAPLANE + "/ipsets: Update when pods come and go")
def test_a_changed_set_changes_the_rules_of_the_endpoints() -> None:
    npm = Npm(ip_set("a", "10.1.0.4"), ip_set("b", "10.1.0.9"))
    assert modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", RemoteAddresses="a")).ok
    assert npm.change("Update", ip_set("a", "10.1.0.7")).ok
    assert [rule.remote_addresses for rule in npm.rules()] == [(ip_network("10.1.0.7/32"),)]
    # The other set is as it was, and the rule shows the set's name.
    policies = npm.bench.shown("Network", npm.bench.handle("Network", npm.network))["Policies"]
    assert [p["Settings"]["Values"] for p in policies if p["Type"] == "SetPolicy"] == ["10.1.0.7", "10.1.0.9"]
    (shown,) = npm.bench.shown("Endpoint", npm.bench.handle("Endpoint", npm.endpoint))["Policies"]
    assert shown["Settings"]["RemoteAddresses"] == "a"


@pytest.mark.known("inferred", "microsoft/hcsshim#1059: LocalAddresses Any")
@pytest.mark.parametrize("addresses", ["Any", "azure-npm-unknown", "a,unknown"])
def test_an_acl_that_names_no_set_of_the_network_is_an_invalid_policy(addresses: str) -> None:
    npm = Npm(ip_set("a", "10.1.0.4"))
    reply = modify(npm.bench, "Endpoint", npm.endpoint, "Add", acl("Out", LocalAddresses=addresses))
    assert reply.hresult == HResult.HCN_E_INVALID_POLICY


@pytest.mark.known("inferred", "Azure/azure-container-networking network/hnswrapper: its fake of HNS")
def test_a_set_in_a_nested_set_can_not_be_removed_before_it() -> None:
    npm = Npm(ip_set("a", "10.1.0.4"), nested("c", "a"))
    assert npm.change("Remove", ip_set("a")).hresult == HResult.HCN_E_ENTITY_HAS_REFERENCES
    assert npm.change("Remove", nested("c")).ok
    assert npm.change("Remove", ip_set("a")).ok


@pytest.mark.known("inferred", "Azure/azure-container-networking network/hnswrapper: its fake of HNS")
@pytest.mark.parametrize(
    ("request_type", "code"),
    [("Update", HResult.HCN_E_POLICY_NOT_FOUND), ("Remove", HResult.HCN_E_POLICY_NOT_FOUND)],
)
def test_a_set_that_is_not_there_is_not_found(request_type: str, code: HResult) -> None:
    assert Npm(ip_set("a")).change(request_type, ip_set("b", "10.1.0.4")).hresult == code


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_POLICY_ALREADY_EXISTS")
def test_a_set_is_added_once() -> None:
    assert Npm(ip_set("a")).change("Add", ip_set("a", "10.1.0.4")).hresult == HResult.HCN_E_POLICY_ALREADY_EXISTS


@pytest.mark.known("inferred", "kubernetes/kubernetes#139519: HNS restores its objects after a restart")
def test_rules_with_sets_come_back_after_a_restart(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    bench = Bench("ws2025", journal=journal)
    network = bench.network("L2Bridge", Policies=[ip_set("a", "10.1.0.4")])["ID"]
    bench.endpoint(network, Policies=[acl("Out", RemoteAddresses="a")])
    before = bench.plane.asked[-1][-1].after
    bench.service.close()
    again = Bench("ws2025", journal=journal)
    assert before in [change.after for changes in again.plane.asked for change in changes]


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnroute.go: a route names its HostComputeEndpoints")
def test_an_sdn_route_is_a_policy_of_each_of_its_endpoints_for_the_data_plane() -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    first, second, other = (bench.endpoint(network)["ID"] for _ in range(3))
    bench.plane.asked.clear()
    setting = {"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}
    document = {"SchemaVersion": VERSION, "HostComputeEndpoints": [first, second], "Setting": [setting]}
    made = bench.made("SdnRoute", document)
    (changes,) = bench.plane.asked
    wants = {change.after.id.lower(): change.after for change in changes if isinstance(change.after, EndpointWant)}
    assert set(wants) == {first, second}
    assert all([type(policy) for policy in want.policies] == [SdnRoute] for want in wants.values())
    assert bench.invoke("HcnDeleteSdnRoute", id=made["ID"]).ok
    assert [change.after.policies for change in bench.plane.asked[-1] if isinstance(change.after, EndpointWant)] == [
        (),
        (),
    ]
    assert other not in wants
