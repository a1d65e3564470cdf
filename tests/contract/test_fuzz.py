"""Every operation, on a node that has an object of every kind, answers whatever it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hnsfake.documents.guest_network_service import STATES
from hnsfake.documents.hresults import HResult
from hnsfake.service.pipeline import FUNCTIONS
from tests.contract.fuzz import raw_json, target
from tests.contract.service import VERSION, Bench
from tests.contract.test_robustness import JSON, NAMES, NUMBERS, ODD, POLICY_TYPES, SETTINGS

CHANCE = "what is drawn by chance must not break our service"

KINDS = ("Network", "Endpoint", "Namespace", "LoadBalancer", "SdnRoute", "GuestNetworkService", "system")
HANDLES = st.sampled_from([*KINDS, "reservation", "registration", "none"])
OPERATIONS = st.sampled_from(sorted(set(FUNCTIONS) - {"HNSCall"}))
FIELDS = [
    *(*NAMES, "HostComputeEndpoints", "FrontendVIPs", "PortMappings", "SourceVIP", "Setting", "References", "Health"),
    *("Container", "Networking", "Namespace", "NetworkSharedContainerName", "EndpointList", "Owner", "SystemType"),
    *("VirtualMachineId", "MirrorHostNetworking", "GnsRpcServerInformation", "Port", "PortCount", "Protocol", "Access"),
    *("State", "EndpointId", "ContainerId", "Data", "Id", "id", "MacAddressList", "CompartmentID", "IsRemoteEndpoint"),
]
FAST = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
V1_POLICIES = st.lists(
    st.tuples(
        POLICY_TYPES,
        SETTINGS,
        st.fixed_dictionaries({}, optional={"ExternalPortReserved": st.booleans(), "Protocol": ODD | NUMBERS}),
    ).map(lambda t: {**t[1], **t[2], "Type": t[0]}),
    max_size=3,
)


@pytest.mark.ours(CHANCE)
@given(operation=OPERATIONS, document=raw_json(FIELDS) | JSON.map(json.dumps), handle=HANDLES, known=st.booleans())
@settings(FAST, max_examples=1200)
def test_every_function_answers_any_document(operation: str, document: str, handle: str, known: bool) -> None:
    hns = target()
    wanted = next((word for word in KINDS if word in operation), "system")
    hns.call(operation, document, handle=hns.handles.get(wanted if known else handle), id=hns.ids.get(wanted))
    hns.show_all()


@pytest.mark.ours(CHANCE)
@given(
    path=st.sampled_from(
        ["networks", "endpoints", "namespaces", "policylists", "accelnet", "globals", "endpointstats"]
    ),
    kind=st.sampled_from([*KINDS[:5], "none"]),
    action=st.sampled_from(["", "attach", "detach", "addresource", "removeresource", "x"]),
    method=st.sampled_from(["GET", "POST", "POST", "POST", "DELETE", "get", "PUT"]),
    document=raw_json(FIELDS),
)
@settings(FAST, max_examples=600)
def test_every_path_answers_any_document(path: str, kind: str, action: str, method: str, document: str) -> None:
    hns = target()
    words = [path, hns.ids.get(kind, ""), action]
    hns.call("HNSCall", document, method=method, path="/".join(["", *(word for word in words if word)]))
    hns.show_all()


@pytest.mark.ours(CHANCE)
@given(document=st.fixed_dictionaries({}, optional=dict.fromkeys(("ID", "Flags", "Owner"), ODD | NUMBERS | JSON)))
@settings(FAST, max_examples=100)
def test_guest_network_services_of_any_settings_get_an_answer(document: Any) -> None:
    hns = target()
    hns.call("HcnCreateGuestNetworkService", {**document, "SchemaVersion": VERSION})
    hns.show_all()


REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "ResourceType": st.sampled_from(["State", "Network", "Policy", "Port", "Endpoint", ""]) | ODD,
        "RequestType": st.sampled_from(["Add", "Remove", "Update", "Refresh", ""]) | ODD,
        "Settings": st.dictionaries(st.sampled_from(FIELDS), ODD | NUMBERS | st.sampled_from(STATES)) | ODD,
    },
)


@pytest.mark.ours(CHANCE)
@given(request=REQUESTS, kind=st.sampled_from(KINDS), numbers=st.tuples(NUMBERS, NUMBERS, NUMBERS))
@settings(FAST, max_examples=300)
def test_every_kind_answers_any_request_to_change_it(request: Any, kind: str, numbers: tuple[int, int, int]) -> None:
    hns = target()
    function = "HcsModifyComputeSystem" if kind == "system" else f"HcnModify{kind}"
    hns.call(function, request, handle=hns.handles[kind])
    service, (protocol, access, port) = hns.handles["GuestNetworkService"], numbers
    reservation = {"Protocol": protocol, "Access": access, "Port": port}
    hns.call("HcnReserveGuestNetworkServicePort", reservation, handle=service)
    hns.call("HcnReserveGuestNetworkServicePortRange", {"PortCount": port}, handle=service)
    hns.show_all()


@pytest.mark.ours(CHANCE)
@given(system=st.text(max_size=10) | ODD, networking=st.dictionaries(st.sampled_from(FIELDS), ODD | JSON, max_size=4))
@settings(FAST, max_examples=200)
def test_compute_systems_of_any_name_and_settings_get_an_answer(system: str, networking: Any) -> None:
    hns = target()
    settings_ = {"Container": {"Networking": networking}, **networking}
    hns.call("HcsCreateComputeSystem", settings_, id=system)
    hns.call("HcsOpenComputeSystem", id=system)
    attach = {"SystemType": "Container", "ContainerID": system}
    for action in ("attach", "detach"):
        hns.call("HNSCall", attach, method="POST", path=f"/endpoints/{hns.ids['Endpoint']}/{action}")
    hns.show_all()


@pytest.mark.ours(CHANCE)
@given(policies=V1_POLICIES, path=st.sampled_from(["networks", "endpoints"]))
@settings(FAST, max_examples=600)
def test_policies_in_the_first_faces_form_get_an_answer(policies: Any, path: str) -> None:
    hns = target()
    of = {"Type": "L2Bridge"} if path == "networks" else {"VirtualNetwork": hns.ids["Network"]}
    hns.call("HNSCall", {**of, "Policies": policies}, method="POST", path=f"/{path}/")
    word = "Network" if path == "networks" else "Endpoint"
    hns.call("HNSCall", {"Policies": policies}, method="POST", path=f"/{path}/{hns.ids[word]}")
    hns.show_all()


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_INVALID_POLICY")
def test_a_mapping_whose_flags_are_no_number_is_an_invalid_policy() -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network()["ID"])["ID"]
    policy = {"Type": "NAT", "InternalPort": 80, "Flags": "x", "ExternalPortReserved": True}
    answer = bench.v1("POST", f"/endpoints/{endpoint}", {"Policies": [policy]})
    assert answer["ErrorCode"] == HResult.HCN_E_INVALID_POLICY


@pytest.mark.known("inferred", "no IP stack has such a route; the codes are not published")
def test_a_route_by_a_next_hop_of_another_family_is_refused() -> None:
    bench = Bench()
    handle = bench.handle("Network", bench.network()["ID"])
    route = {"DestinationPrefix": "fd00::/8", "NextHop": "10.1.0.7"}
    odd = {"Routes": [route], "SchemaVersion": VERSION}
    assert bench.invoke("HcnCreateEndpoint", odd, handle=handle).hresult == HResult.HCN_E_INVALID_ENDPOINT
    odd = {"Policies": [{"Type": "SDNRoute", "Settings": route}], "SchemaVersion": VERSION}
    assert bench.invoke("HcnCreateEndpoint", odd, handle=handle).hresult == HResult.HCN_E_INVALID_POLICY


@pytest.mark.ours(CHANCE)
@given(conditions=raw_json(FIELDS), flags=NUMBERS, kind=st.sampled_from(KINDS[:5]))
@settings(FAST, max_examples=200)
def test_any_filter_gets_an_answer(conditions: str, flags: int, kind: str) -> None:
    hns = target()
    hns.call(f"HcnEnumerate{kind}s", {"Filter": conditions, "Flags": flags})
    hns.call(f"HcnQuery{kind}Properties", {"Filter": conditions, "Flags": flags}, handle=hns.handles[kind])
