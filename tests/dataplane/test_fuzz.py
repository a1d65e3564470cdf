"""Documents of the right shape, at random, on a real kernel: no fault, and deleting undoes what creating did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hnsfake import Lab
from hnsfake.documents.hresults import HResult
from hnsfake.node import Node
from hnsfake.service.call import Call, Reply
from tests.dataplane.kernel_state import difference, snapshot

pytestmark = pytest.mark.ours("what is drawn by chance must not break our data plane")

VERSION = {"Major": 2, "Minor": 0}
IPV4 = st.sampled_from(["10.1.0.0/24", "10.1.0.0/28", "10.127.0.0/24"])
IPV6 = st.sampled_from(["fd00:1::/64", "fd00:1::/120"])
ADDRESSES = st.sampled_from(["10.1.0.7", "10.1.0.8", "10.127.0.12", "fd00:1::7", "fd00:1::8"])
ANYWHERE = st.sampled_from(
    ["10.0.0.0/8", "10.1.0.0/24", "172.16.0.0/12", "203.0.113.10/32", "fd00::/8", "2001:db8::/32", "10.1.0.9"]
)
PORTS = st.sampled_from(["", "80", "80,443", "8000-8010", "0-65535"])
PROTOCOLS = st.sampled_from(["", "6", "17", "6,17", "1", "58", "256", "132", "252"])
NUMBERS = st.sampled_from([0, 1, 6, 17, 132, 255])
PORT = st.sampled_from([0, 1, 80, 8080, 40000, 65535])
LISTS = st.lists(ANYWHERE, max_size=3)


def policy(kind: str, **settings_: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    fields = st.fixed_dictionaries({}, optional=settings_)
    return fields.map(lambda found: {"Type": kind, "Settings": found})


ENDPOINT_POLICIES = st.lists(
    policy(
        "ACL",
        Protocols=PROTOCOLS,
        Action=st.sampled_from(["Allow", "Block", "Pass"]),
        Direction=st.sampled_from(["In", "Out"]),
        LocalAddresses=LISTS.map(",".join),
        RemoteAddresses=LISTS.map(",".join),
        LocalPorts=PORTS,
        RemotePorts=PORTS,
        RuleType=st.sampled_from(["Host", "Switch"]),
        Priority=st.sampled_from([0, 100, 65500, 65535]),
    )
    | policy("OutBoundNAT", VirtualIP=ADDRESSES | st.just(""), Exceptions=LISTS, Destinations=LISTS)
    | policy("PortMapping", Protocol=NUMBERS, InternalPort=PORT, ExternalPort=PORT, VIP=ADDRESSES | st.just(""))
    | policy("SDNRoute", DestinationPrefix=ANYWHERE, NextHop=ADDRESSES | st.just(""), NeedEncap=st.booleans())
    | policy("ProviderAddress", ProviderAddress=ADDRESSES)
    | policy("EncapOverhead", Overhead=st.sampled_from([0, 50, 65535])),
    max_size=4,
)
NETWORK_POLICIES = st.lists(
    policy(
        "RemoteSubnetRoute",
        DestinationPrefix=ANYWHERE,
        IsolationId=st.sampled_from([4096, 4097, 5000]),
        ProviderAddress=ADDRESSES,
        DistributedRouterMacAddress=st.sampled_from(["00-15-5D-AA-00-01", "00:15:5d:aa:00:02"]),
    )
    | policy("HostRoute")
    | policy("VxlanPort", Port=st.sampled_from([4789, 8472]))
    | policy("DrMacAddress", Address=st.just("00-15-5D-BB-00-01"))
    | policy("NetAdapterName", NetworkAdapterName=st.sampled_from(["Ethernet", "vEthernet (Ethernet)"])),
    max_size=3,
)
SUBNETS = st.lists(IPV4 | IPV6, min_size=1, max_size=2, unique=True)
ENDPOINTS = st.lists(
    st.fixed_dictionaries(
        {"Policies": ENDPOINT_POLICIES},
        optional={
            "IpConfigurations": st.lists(
                st.fixed_dictionaries({"IpAddress": ADDRESSES, "PrefixLength": st.sampled_from([0, 16, 32])}),
                min_size=1,
                max_size=2,
            ),
            "Flags": st.sampled_from([0, 0, 1]),
            "MacAddress": st.sampled_from(["00-15-5D-01-00-01", "00:15:5d:01:00:02"]),
            "Routes": st.lists(
                st.fixed_dictionaries({"NextHop": ADDRESSES, "DestinationPrefix": ANYWHERE, "Metric": NUMBERS}),
                max_size=2,
            ),
        },
    ),
    min_size=1,
    max_size=3,
)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Lab(["n1"], release="ws2025", name="fuzz") as lab:
        yield lab.nodes["n1"]


@given(
    kind=st.sampled_from(["NAT", "L2Bridge", "Overlay"]),
    prefixes=SUBNETS,
    policies=NETWORK_POLICIES,
    endpoints=ENDPOINTS,
    later=ENDPOINT_POLICIES,
    request_type=st.sampled_from(["Add", "Update"]),
)
@example(kind="NAT", prefixes=["fd00:1::/64"], policies=[], endpoints=[], later=[], request_type="Add")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_network_with_any_endpoints_is_made_changed_and_undone(
    node: Node, kind: str, prefixes: Any, policies: Any, endpoints: Any, later: Any, request_type: str
) -> None:
    linux = node.linux
    assert linux is not None
    before = snapshot(linux)
    try:
        network = made(node, "Network", network_document(kind, prefixes, policies))
        if network is not None:
            namespace = made(node, "Namespace", {"SchemaVersion": VERSION})
            change = {"ResourceType": "Policy", "RequestType": request_type, "Settings": {"Policies": later}}
            for document in endpoints:
                endpoint = made(node, "Endpoint", {**document, "SchemaVersion": VERSION}, handle=network)
                if endpoint is not None:
                    join(node, namespace, endpoint)
                    call(node, "HcnModifyEndpoint", change, handle=endpoint)
            change = {"ResourceType": "Policy", "RequestType": "Add", "Settings": {"Policies": policies}}
            call(node, "HcnModifyNetwork", change, handle=network)
    finally:
        clear(node)
    assert difference(before, snapshot(linux)) == []


def call(node: Node, function: str, document: Any = "", **parts: Any) -> Reply:
    """Call; a refusal is HNS's, never a fault of ours or of the kernel."""
    reply = node.invoke(Call(function, json.dumps(document) if document else "", **parts))
    assert reply.hresult != HResult.E_UNEXPECTED, (function, document, reply.record)
    return reply


def made(node: Node, word: str, document: Any, **parts: Any) -> int | None:
    return call(node, f"HcnCreate{word}", document, **parts).handle


def join(node: Node, namespace: int | None, endpoint: int) -> None:
    shown = json.loads(
        call(node, "HcnQueryEndpointProperties", {"SchemaVersion": VERSION}, handle=endpoint).output or ""
    )
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": shown["ID"]}}
    call(node, "HcnModifyNamespace", request, handle=namespace)


def clear(node: Node) -> None:
    """Delete networks and namespaces; endpoints go with their network."""
    state = node.service.state
    for network in list(state.networks):
        assert call(node, "HcnDeleteNetwork", id=network).ok
    for namespace in [one.id for one in state.namespaces.values() if one.compartment != 1]:
        assert call(node, "HcnDeleteNamespace", id=namespace).ok


def network_document(kind: str, prefixes: list[str], policies: Any) -> dict[str, Any]:
    isolation = [{"Type": "VSID", "Settings": {"IsolationId": 4096}}] if kind == "Overlay" else []
    subnets = [{"IpAddressPrefix": prefix, "Policies": isolation} for prefix in prefixes]
    return {
        "Type": kind,
        "Name": "fuzz",
        "Policies": policies,
        "Ipams": [{"Subnets": subnets}],
        "SchemaVersion": VERSION,
    }
