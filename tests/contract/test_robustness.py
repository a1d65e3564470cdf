"""Whatever a caller sends: an HRESULT and a record, never an exception, and nothing changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hnsfake.documents.hresults import HResult
from hnsfake.documents.text import MAX_DEPTH, MAX_DOCUMENT
from hnsfake.service.pipeline import FUNCTIONS
from tests.contract.service import VERSION, Bench

CHANCE = "what is drawn by chance must not break our service"
UNKNOWN = "what our service says about what it does not know"

FUNCTION_NAMES = sorted(FUNCTIONS)
CREATES = [name for name in FUNCTION_NAMES if name.startswith("HcnCreate")]
PATHS = [
    *("/networks/", "/endpoints/", "/namespaces/", "/policylists/", "/accelnet/", "/networks/x", "/globals/version"),
    *("", "/", "//", "/a/b/c/d"),
]
NAMES = [
    *("ID", "Name", "Type", "Policies", "MacPool", "Ranges", "Dns", "Ipams", "Subnets", "IpAddressPrefix", "Routes"),
    *("NextHop", "DestinationPrefix", "Settings", "IsolationId", "SchemaVersion", "Major", "Minor", "Flags", "Filter"),
    *("HostComputeNetwork", "IpConfigurations", "IpAddress", "PrefixLength", "MacAddress", "VirtualNetwork"),
    *("AddressPrefix", "GatewayAddress", "IPAddress", "ResourceType", "RequestType", "NamespaceId", "Resources"),
]
TEXTS = st.sampled_from(
    ["", "NAT", "L2Bridge", "Overlay", "ACL", "PortMapping", "OutBoundNAT", "VSID", "10.0.0.0/24", "10.0.0.300"]
) | st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner),
    max_leaves=20,
)
RECORD_FIELDS = {"Success", "Error", "ErrorCode"}
SYSTEM_RECORD_FIELDS = {"Error", "ErrorMessage"}


def _check(bench: Bench, operation: str, document: Any, **parts: Any) -> None:
    """Call; on failure there is a record and the state is the very same."""
    before = bench.service.state
    reply = bench.invoke(operation, document, **parts)
    if operation == "HNSCall":
        envelope = json.loads(reply.output or "")
        failed = not envelope["Success"]
        code = envelope.get("ErrorCode", 0)
    else:
        failed, code = not reply.ok, reply.hresult
        assert (reply.record is not None) == failed
        if reply.record is not None:
            fields = SYSTEM_RECORD_FIELDS if operation.startswith("Hcs") else RECORD_FIELDS
            assert set(json.loads(reply.record)) == fields
    if failed:
        assert bench.service.state is before
        assert code != HResult.E_UNEXPECTED


@pytest.mark.ours(CHANCE)
@given(operation=st.sampled_from(FUNCTION_NAMES), document=st.binary(max_size=40), path=st.sampled_from(PATHS))
@settings(max_examples=300, deadline=None)
def test_any_bytes_get_an_answer(operation: str, document: bytes, path: str) -> None:
    for method in ("GET", "POST", "DELETE", "NONSENSE"):
        _check(Bench(), operation, document, method=method, path=path)


@pytest.mark.ours(CHANCE)
@given(operation=st.sampled_from(FUNCTION_NAMES), document=JSON, path=st.sampled_from(PATHS))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_gets_an_answer(operation: str, document: Any, path: str) -> None:
    _check(Bench(), operation, document, method="POST", path=path)


@pytest.mark.ours(CHANCE)
@given(document=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6), operation=st.sampled_from(CREATES))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_document_of_known_fields_gets_an_answer(document: dict[str, Any], operation: str) -> None:
    bench = Bench()
    handle = bench.handle("Network", bench.network()["ID"])
    _check(bench, operation, {"Type": "NAT", "SchemaVersion": VERSION, **document}, handle=handle)


ODD = st.sampled_from(
    [
        *("", "0.0.0.0", "::", "10.1.0.7", "10.1.0.1", "10.1.0.255", "fe80::1", "10.1.0.0/24", "0.0.0.0/0", "::/0"),
        *(
            "10.1.0.7/33",
            "garbage",
            "1.2.3",
            "00-15-5D-00-00-01",
            "00:15",
            "\0",
            "🦄",
            "80-90",
            "90-80",
            "70000",
            "6,17",
        ),
    ]
)
NUMBERS = st.sampled_from([0, 1, 6, 17, 24, 32, 33, 80, 128, 256, 65535, 65536, 1 << 33, -1])
SETTINGS = st.dictionaries(
    st.sampled_from(
        [
            *("VirtualIP", "VIP", "DestinationPrefix", "NextHop", "ProviderAddress", "PA", "Action", "Direction", "Id"),
            *("LocalAddresses", "LocalPorts", "Protocols", "Protocol", "InternalPort", "ExternalPort", "Priority"),
            *("Exceptions", "Destinations", "NeedEncap", "Flags", "IsolationId", "DistributedRouterMacAddress"),
            *("Address", "RuleType", "ExceptionList", "Port", "NetworkAdapterName", "Name", "PolicyType", "Values"),
            *("MaximumOutgoingBandwidthInBytes", "Overhead", "InterruptModeration", "InterfaceIndex", "IP", "Order"),
            *("TierAclRules", "TierAclRuleAction", "FilterTuple", "InboundProxyPort", "InboundExceptions", "Enable"),
        ]
    ),
    ODD
    | NUMBERS
    | st.booleans()
    | st.lists(ODD, max_size=2)
    | st.sampled_from(["Allow", "Block", "In", "Out", "Host", "IPSET", "NESTEDIPSET"]),
    max_size=6,
)
POLICY_TYPES = st.sampled_from(
    [
        *("ACL", "OutBoundNAT", "PortMapping", "NAT", "SDNRoute", "ROUTE", "ProviderAddress", "PA", "QOS"),
        *("VSID", "VLAN", "RemoteSubnetRoute", "HostRoute", "DrMacAddress", "VxlanPort", "NetAdapterName"),
        *(
            "EncapOverhead",
            "Encryption",
            "InterfaceConstraint",
            "InterfaceParameters",
            "Iov",
            "L2Driver",
            "L4Proxy",
            "L4WFPPROXY",
            "PortName",
            "TierAcl",
        ),
        *("AutomaticDNS", "LayerConstraint", "NetworkACL", "SetPolicy", "SourceMacAddress", "VSwitchExtension"),
    ]
)
V2_POLICIES = st.lists(st.fixed_dictionaries({"Type": POLICY_TYPES, "Settings": SETTINGS}), max_size=3)
ROUTES = st.lists(st.fixed_dictionaries({"NextHop": ODD, "DestinationPrefix": ODD, "Metric": NUMBERS}), max_size=2)
ENDPOINTS = st.fixed_dictionaries(
    {"SchemaVersion": st.just(VERSION)},
    optional={
        "ID": ODD,
        "Name": ODD,
        "IpConfigurations": st.lists(st.fixed_dictionaries({"IpAddress": ODD, "PrefixLength": NUMBERS}), max_size=2),
        "Routes": ROUTES,
        "MacAddress": ODD,
        "Flags": NUMBERS,
        "Policies": V2_POLICIES,
        "Dns": st.fixed_dictionaries({}, optional={"Search": st.lists(ODD), "ServerList": st.lists(ODD)}),
    },
)
NETWORKS = st.fixed_dictionaries(
    {"SchemaVersion": st.just(VERSION), "Type": st.sampled_from(["NAT", "overlay", "Transparent", "ICS", "private"])},
    optional={
        "Name": ODD,
        "Flags": NUMBERS,
        "Policies": V2_POLICIES,
        "MacPool": st.fixed_dictionaries(
            {"Ranges": st.lists(st.fixed_dictionaries({"StartMacAddress": ODD, "EndMacAddress": ODD}), max_size=2)}
        ),
        "Ipams": st.lists(
            st.fixed_dictionaries(
                {
                    "Subnets": st.lists(
                        st.fixed_dictionaries({"IpAddressPrefix": ODD, "Routes": ROUTES, "Policies": V2_POLICIES}),
                        max_size=2,
                    )
                }
            ),
            max_size=2,
        ),
    },
)


@pytest.mark.ours(CHANCE)
@given(
    network=NETWORKS,
    endpoint=ENDPOINTS,
    policies=V2_POLICIES,
    request_type=st.sampled_from(["Add", "Update", "Remove"]),
    resource_type=st.sampled_from(["Policy", "DNS", "Extension", "Subnet", "IPSubnet", "Port"]),
    odd=ODD,
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_documents_of_the_right_shape_with_odd_values_get_an_answer(
    network: Any, endpoint: Any, policies: Any, request_type: str, resource_type: str, odd: str
) -> None:
    bench = Bench("ws2025")
    own = bench.network("L2Bridge", Name="own")["ID"]
    _check(bench, "HcnCreateNetwork", network)
    handle = bench.handle("Network", own)
    _check(bench, "HcnCreateEndpoint", endpoint, handle=handle)
    pod = bench.handle("Endpoint", bench.endpoint(own)["ID"])
    subnets = [{"IpAddressPrefix": odd, "Flags": 1}]
    sent = {"Policies": policies, "Subnets": subnets, "IpSubnets": subnets, "SubnetId": odd, "Id": odd, "PortId": odd}
    request = {"ResourceType": resource_type, "RequestType": request_type, "Settings": sent}
    _check(bench, "HcnModifyEndpoint", request, handle=pod)
    _check(bench, "HcnModifyNetwork", request, handle=handle)
    for noun in ("networks", "endpoints", "namespaces"):
        assert bench.v1("GET", f"/{noun}/")["Success"]


PORTS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("Protocol", "InternalPort", "ExternalPort", "DistributionType", "Flags"), NUMBERS)
)
LOAD_BALANCERS = st.fixed_dictionaries(
    {"SchemaVersion": st.just(VERSION)},
    optional={
        "ID": ODD,
        "SourceVIP": ODD,
        "FrontendVIPs": st.lists(ODD, max_size=2),
        "PortMappings": st.lists(PORTS, max_size=2),
        "Flags": NUMBERS,
        "Setting": st.lists(SETTINGS, max_size=2),
    },
)
POLICY_LISTS = st.lists(
    st.tuples(st.sampled_from(["ELB", "ROUTE", "QOS"]), SETTINGS, PORTS).map(lambda t: {"Type": t[0], **t[1], **t[2]}),
    max_size=2,
)


@pytest.mark.ours(CHANCE)
@given(document=LOAD_BALANCERS, policies=POLICY_LISTS, odd=ODD)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_load_balancers_and_routes_with_odd_values_get_an_answer(document: Any, policies: Any, odd: str) -> None:
    bench = Bench("ws2025")
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    for endpoints in ([endpoint], [endpoint, odd]):
        _check(bench, "HcnCreateLoadBalancer", {**document, "HostComputeEndpoints": endpoints})
        _check(bench, "HcnCreateSdnRoute", {**document, "HostComputeEndpoints": endpoints})
    references = {"References": [f"/endpoints/{endpoint}", odd], "Policies": policies}
    _check(bench, "HNSCall", references, method="POST", path="/policylists/")
    assert bench.v1("GET", "/policylists/")["Success"]


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_JSON")
@pytest.mark.parametrize("operation", ["HcnCreateNetwork", "HcnEnumerateNetworks", "HNSCall"])
@pytest.mark.parametrize(
    "document",
    [
        b'{"Name": "\xff\xfe"}',
        "[" * 1_000_000,
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        '{"Name": ' + "1" * 5000 + "}",
        '{"Name": NaN}',
        '{"Name": "a"} trailing',
        b'{"Name": "' + b"x" * MAX_DOCUMENT + b'"}',
        '{"Flags": true, "SchemaVersion": {"Major": "2"}}',
        '{"Colour": "\\ud800"}',
        '{"Colour": 1e999}',
        '{"Flags": 4294967296, "SchemaVersion": {}}',
    ],
    ids=[
        *("not UTF-8", "brackets", "deep", "long number", "NaN", "trailing", "oversized", "wrong types"),
        *("half a character", "infinite", "more than 32 bits"),
    ],
)
def test_a_document_that_cannot_be_read_is_invalid_json_and_changes_nothing(operation: str, document: Any) -> None:
    bench = Bench()
    before = bench.service.state
    reply = bench.invoke(operation, document, method="POST", path="/networks/")
    code = json.loads(reply.output or "{}").get("ErrorCode") if operation == "HNSCall" else reply.hresult
    assert code == HResult.HCN_E_INVALID_JSON
    assert bench.service.state is before


@pytest.mark.known("documentation", "RFC 8259: a string may have any character")
def test_brackets_inside_a_string_are_no_nesting() -> None:
    name = "[{" * MAX_DEPTH
    assert Bench().network(Name=name)["Name"] == name


@pytest.mark.ours("no such function can be called on Windows")
def test_an_unknown_function_is_not_implemented() -> None:
    assert Bench().invoke("HcnFlyToTheMoon").hresult == HResult.E_NOTIMPL


@pytest.mark.ours("faults of our own")
def test_a_fault_of_ours_is_unexpected_with_a_number_that_the_log_repeats(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.plane.refusal = RuntimeError("a bug")
    reply = bench.invoke("HcnCreateNamespace", {"SchemaVersion": VERSION})
    assert reply.hresult == HResult.E_UNEXPECTED
    number = json.loads(reply.record or "")["Error"].split("hnsfake fault ")[1].split(":")[0]
    assert number in caplog.text
    assert "a bug" not in (reply.record or "")


@pytest.mark.ours(UNKNOWN)
def test_an_unknown_field_is_ignored_and_counted() -> None:
    bench = Bench()
    bench.network(Colour="green")
    assert bench.service.unknown_fields == {"NetworkV2.Colour": 1}


@pytest.mark.ours(UNKNOWN)
@pytest.mark.parametrize(
    ("network", "counted"),
    [
        ({"Flags": 1 << 20}, "NetworkFlags.0x100000"),
        ({"Policies": [{"Type": "VxlanPort", "Settings": {"Port": 4790, "Colour": 1}}]}, "VxlanPort.Colour"),
        ({"Policies": [{"Type": "Paint", "Settings": {}}]}, "NetworkPolicy.Paint"),
    ],
)
def test_what_nobody_knows_is_counted_by_name_and_refused_if_strict(network: dict[str, Any], counted: str) -> None:
    bench = Bench()
    bench.network(**network)
    assert bench.service.unknown_fields == {counted: 1}
    strict = Bench(strict=True)
    plain = {"SchemaVersion": VERSION, "Name": "n", "Type": "NAT"}
    refused = strict.invoke("HcnCreateNetwork", {**plain, **network})
    assert refused.hresult == HResult.HCN_E_INVALID_JSON
    assert counted in (refused.record or "")
    assert not strict.service.state.networks


@pytest.mark.ours(UNKNOWN)
def test_a_part_of_a_policys_settings_that_nobody_knows_is_counted_by_its_place() -> None:
    bench = Bench()
    settings = {"FilterTuple": {"Protocols": "6", "Colour": "green"}, "InboundProxyPort": "8080"}
    bench.endpoint(bench.network()["ID"], Policies=[{"Type": "L4WFPPROXY", "Settings": settings}])
    assert bench.service.unknown_fields == {"L4WFPPROXY.FilterTuple.Colour": 1}


@pytest.mark.ours(UNKNOWN)
def test_paths_and_functions_that_are_none_are_counted() -> None:
    bench = Bench()
    bench.v1("GET", "/frobs/5f0b1190-63be-4e0c-b974-bd0f55675a42/paint")
    bench.invoke("HcnFrobnicate")
    assert bench.service.unknown_fields == {"HNSCall.GET /frobs/paint": 1, "function.HcnFrobnicate": 1}


@pytest.mark.ours(UNKNOWN)
def test_an_unknown_field_cannot_forge_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    odd: dict[str, Any] = {"a\nERROR forged": 1}
    Bench().network(**odd)
    assert [record.getMessage().count("\n") for record in caplog.records] == [0]
