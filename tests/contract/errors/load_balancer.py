"""Load balancers: what is refused, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.table import (
    INFERRED,
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    STALE,
    Ask,
    Check,
    Operation,
    document_id,
    gone,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

ID = "44444444-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
NO_REFERENCE = "kubernetes/kubernetes#100384, projectcalico/calico#5762"
NO_PORT = "microsoft/hcsshim#1043"
TOO_MANY = "kubernetes/kubernetes#98680"
FRONT_END = "kubernetes/kubernetes#139519"
NODE_PORT = "kubernetes/community#8883, microsoft/hcsshim#1043"
DESTINATIONS = "Unable to initialize VFP LB rule: invalid number of destinations."
REQUIRED = "A Reference is required"


def endpoint_of(bench: Bench, **more: Any) -> str:
    """Make an endpoint; return its id."""
    return str(bench.endpoint(bench.network("L2Bridge", "10.1.0.0/16")["ID"], **more)["ID"])


def _document(endpoint: str) -> dict[str, Any]:
    ports = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}]
    return {
        "HostComputeEndpoints": [endpoint],
        "FrontendVIPs": ["10.96.0.1"],
        "PortMappings": ports,
        "SchemaVersion": VERSION,
    }


def _v2(bench: Bench) -> Ask:
    endpoint = endpoint_of(bench)
    return Ask(bench, "HcnCreateLoadBalancer", _document(endpoint), ids={"Endpoint": endpoint})


def _policy_list(endpoint: str) -> dict[str, Any]:
    policy = {"Type": "ELB", "Protocol": 6, "InternalPort": 80, "ExternalPort": 80, "VIPs": ["10.96.0.1"]}
    return {"References": [f"/endpoints/{endpoint}"], "Policies": [policy]}


def _v1(bench: Bench) -> Ask:
    endpoint = endpoint_of(bench)
    return Ask(bench, "HNSCall", _policy_list(endpoint), "POST", "/policylists/", ids={"Endpoint": endpoint})


def _id_taken(ask: Ask) -> None:
    document = {**_document(ask.ids["Endpoint"]), "ID": ID, "FrontendVIPs": ["10.96.0.9"]}
    ask.bench.made("LoadBalancer", document)
    ask.document["ID"] = ID


def _front_end_taken(ask: Ask) -> None:
    ask.bench.made("LoadBalancer", _document(ask.ids["Endpoint"]))


def _node_port_taken(ask: Ask) -> None:
    """Ask for a port of the node that leads to an endpoint."""
    mapping = {"Type": "PortMapping", "Settings": {"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}}
    network = ask.bench.network("L2Bridge", "10.2.0.0/24", Name="other")["ID"]
    ask.bench.endpoint(network, Policies=[mapping])
    if "Policies" in ask.document:
        ask.document["Policies"][0]["VIPs"] = []
    else:
        ask.document["FrontendVIPs"] = []


def _many(ask: Ask) -> None:
    """Name a backend more than HNS takes: endpoints that are copies of one, for making so many takes long."""
    service = ask.bench.service
    one = service.state.endpoints[ask.ids["Endpoint"].upper()]
    made = [f"77777777-0000-0000-0000-{number:012X}" for number in range(ask.bench.release.max_destinations + 1)]
    endpoints = service.state.endpoints
    for object_id in made:
        endpoints = endpoints.with_(object_id, replace(one, id=object_id))
    service._state = replace(service.state, endpoints=endpoints)
    if "References" in ask.document:
        ask.document["References"] = [f"/endpoints/{one}" for one in made]
    else:
        ask.document["HostComputeEndpoints"] = made


def _of_all(nothing: Any, gone_one: Any) -> list[Check]:
    """Return what is checked of backends; each argument is a fault in them, in one shape."""
    return [
        Check(
            "a backend is named",
            HResult.HCN_E_INVALID_JSON_REFERENCE,
            "endpoints",
            nothing,
            detail=REQUIRED,
            source=NO_REFERENCE,
        ),
        Check("the backends are there", HResult.HCN_E_PORT_NOT_FOUND, "endpoints", gone_one, source=NO_PORT),
    ]


_NOTHING = setting("HostComputeEndpoints", to=[])
_BACKENDS = _of_all(_NOTHING, setting("HostComputeEndpoints", to=[OTHER]))
_PORTS = Check("a port is named", HResult.HCN_E_INVALID_POLICY, "ports", setting("PortMappings", to=[]))
_NUMBER = Check(
    "there are no more backends than HNS takes",
    HResult.E_INVALIDARG,
    "endpoints",
    _many,
    detail=DESTINATIONS,
    source=TOO_MANY,
)
_CONFLICTS = [
    Check("no load balancer has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _id_taken),
    Check(
        "no load balancer has the front end",
        HResult.ERROR_ALREADY_EXISTS,
        "front end",
        _front_end_taken,
        source=FRONT_END,
    ),
    Check(
        "the node's port is free", HResult.HCN_E_PORT_ALREADY_EXISTS, "front end", _node_port_taken, source=NODE_PORT
    ),
]
_READ = [
    document_id(),
    Check(
        "backends' ids are GUIDs",
        HResult.HCN_E_GUID_CONVERSION_FAILURE,
        "endpoints",
        setting("HostComputeEndpoints", to=["pod"]),
    ),
    Check("addresses can be read", HResult.HCN_E_INVALID_IP, "front end", setting("FrontendVIPs", to=["10.96"])),
]
CREATE = Operation(
    "HcnCreateLoadBalancer",
    _v2,
    [NOT_A_GUID, NO_JSON, wrong_type("Flags", "DSR"), *_READ, *_BACKENDS, _PORTS, _NUMBER, *_CONFLICTS],
)


def _modify(bench: Bench) -> Ask:
    endpoint = endpoint_of(bench)
    made = bench.made("LoadBalancer", {**_document(endpoint), "FrontendVIPs": ["10.96.0.7"]})["ID"]
    ids = {"Endpoint": endpoint, "LoadBalancer": made}
    return Ask(bench, "HcnModifyLoadBalancer", _document(endpoint), handle=bench.handle("LoadBalancer", made), ids=ids)


MODIFY = Operation(
    "HcnModifyLoadBalancer",
    _modify,
    [
        STALE,
        gone("LoadBalancer", HResult.ERROR_NOT_FOUND),
        NO_JSON,
        wrong_type("Flags", "DSR"),
        *_READ,
        *_BACKENDS,
        _PORTS,
        *_CONFLICTS[1:],
    ],
    releases=("ws2025",),
)


def _elb(name: str, to: Any) -> Any:
    return setting("Policies", 0, name, to=to)


CREATE_V1 = Operation(
    "POST /policylists/",
    _v1,
    [
        NO_JSON,
        wrong_type("References"),
        Check(
            "the policies are of one known type",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "Type",
            _elb("Type", "QOS"),
            source="microsoft/hcsshim#470 has the code for a list of routes",
            how=INFERRED,
        ),
        Check(
            "the policies have their types",
            HResult.HCN_E_INVALID_JSON,
            "port",
            _elb("ExternalPort", "http"),
            detail="ExternalPort",
        ),
        document_id(),
        Check(
            "the references are to endpoints",
            HResult.HCN_E_INVALID_JSON_REFERENCE,
            "endpoints",
            setting("References", to=["/networks/" + OTHER]),
        ),
        Check("addresses can be read", HResult.HCN_E_INVALID_IP, "front end", _elb("VIPs", ["10.96"])),
        *_of_all(setting("References", to=[]), setting("References", to=[f"/endpoints/{OTHER}"])),
        _NUMBER,
        *_CONFLICTS,
    ],
    on="ELB",
)
OPERATIONS = [CREATE, MODIFY, CREATE_V1]
