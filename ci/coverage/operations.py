"""The operations as rows: who takes each, from which HNS on, what it hands out, and where it is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hnsfake.releases.features import RANGES, Feature
from hnsfake.service import hns_call
from hnsfake.service.modifications import HANDLERS, WHOLE
from hnsfake.service.nouns import BY_FUNCTION
from hnsfake.service.pipeline import FUNCTIONS, V1_FUNCTION

_HCSSHIM = "microsoft/hcsshim"
_SCRIPTS = "microsoft/SDN Kubernetes/windows"
_WINDOWS_RS = "microsoft/windows-rs Win32/System/HostComputeNetwork"


@dataclass(frozen=True)
class Operation:
    """An operation; ``taker`` is the face it belongs to."""

    name: str
    taker: str
    since: str
    returns: str
    source: str


@dataclass(frozen=True)
class Request:
    """What a function of v2 can be asked to do: a resource type with a request type, or a whole new document."""

    function: str
    resource: str
    kind: str
    source: str


@dataclass(frozen=True)
class _Collection:
    """What is under a path of v1: the document of one, and where both are published."""

    document: str
    source: str


_COLLECTIONS: Mapping[str, _Collection] = {
    "networks": _Collection("HNSNetwork", f"{_HCSSHIM} internal/hns/hnsnetwork.go"),
    "endpoints": _Collection("HNSEndpoint", f"{_HCSSHIM} internal/hns/hnsendpoint.go"),
    "endpointstats": _Collection("HNSEndpointStats", f"{_HCSSHIM} internal/hns/hnsendpoint.go"),
    "namespaces": _Collection("Namespace", f"{_HCSSHIM} internal/hns/namespace.go"),
    "policylists": _Collection("PolicyList", f"{_HCSSHIM} internal/hns/hnspolicylist.go"),
    "globals": _Collection("HNSVersion", f"{_HCSSHIM} internal/hns/hnsglobals.go"),
    "accelnet": _Collection("HNSNnvManagementMacList", f"{_HCSSHIM} internal/hns/hnsaccelnet.go"),
    "activities": _Collection("activity", f"{_SCRIPTS}/hns.psm1"),
    "plugins": _Collection("plug-in", f"{_SCRIPTS}/hns.psm1"),
}
_ONE_DOCUMENT = frozenset({"accelnet"})  # the path is the document, and every answer has it

_DOCUMENTS = {
    "Network": "HostComputeNetwork",
    "Endpoint": "HostComputeEndpoint",
    "Namespace": "HostComputeNamespace",
    "LoadBalancer": "HostComputeLoadBalancer",
    "SdnRoute": "HostComputeRoute",
}
_FORMS = (
    (r"HcnEnumerateGuestNetworkPortReservations", "list of HCN_PORT_RANGE_ENTRY"),
    (r"HcnEnumerate\w+", "list of ids"),
    (r"Hcn(Create|Open)\w+", "handle"),
    (r"Hcn(Modify|Delete|Close)\w+", "nothing"),
    (r"HcnReserve\w+", "HCN_PORT_RANGE_RESERVATION, handle"),
    (r"HcnRelease\w+", "nothing"),
    (r"Hc[ns]Register\w+Callback", "handle; then notifications"),
    (r"Hc[ns]Unregister\w+Callback", "nothing"),
    (r"HcsEnumerateComputeSystems", "list of ContainerProperties"),
    (r"HcsGetComputeSystemProperties", "ContainerProperties"),
    (r"HcsGetServiceProperties", "ServiceProperties"),
    (r"Hcs(Create|Open)ComputeSystem", "handle"),
    (r"Hcs(Start|Pause|Resume|Shutdown|Terminate|Modify|Close)ComputeSystem", "nothing"),
)
_NEVER = "nothing: always refused"
REFUSED = frozenset({"HcnModifySdnRoute", "HcsSaveComputeSystem", "HcsModifyServiceSettings"})
"""Functions that are there and never carried out."""

_SINCE: Mapping[str, Feature] = {
    "HcnModifyLoadBalancer": Feature.MODIFY_LOAD_BALANCER,
    **{f"{method} /accelnet": Feature.ACCELNET for method in ("GET", "POST", "DELETE")},
}


def operations() -> list[Operation]:
    """Return all operations, v1 first."""
    v1 = sorted((_v1(*shape) for shape in hns_call.ROUTES), key=lambda operation: operation.name)
    return v1 + [_function(name) for name in sorted(FUNCTIONS) if name != V1_FUNCTION]


def requests() -> list[Request]:
    """Return what the functions that modify can be asked."""
    words = {verbs.kind: word for word, verbs in BY_FUNCTION.items()}
    found = [
        Request(f"HcnModify{words.get(kind, kind.__name__)}", resource, request, _source_of_request(resource))
        for kind, resource, request in HANDLERS
    ]
    found += [
        Request(f"HcnModify{words[kind]}", "", "", f"{_HCSSHIM} hcn/hcn{words[kind].removeprefix('Sdn').lower()}.go")
        for kind in WHOLE
    ]
    return sorted(found, key=lambda request: (request.function, request.resource, request.kind))


def since(feature: Feature) -> str:
    """Return the HNS versions that have a feature, as "HNS 9.5 to 9.x, 10.5 and later"."""
    return "HNS " + ", ".join(
        f"{first[0]}.{first[1]} {'and later' if last is None else f'to {last[0]}.x'}" for first, last in RANGES[feature]
    )


def _v1(method: str, *words: str) -> Operation:
    name = f"{method} /{'/'.join(filter(None, words))}"
    about = _COLLECTIONS[words[0]]
    feature = _SINCE.get(name)
    return Operation(name, "HNSCall", since(feature) if feature else "always", _given(method, *words), about.source)


def _given(method: str, collection: str, one: str, _action: str) -> str:
    document = _COLLECTIONS[collection].document
    if collection in _ONE_DOCUMENT:
        return document
    if method == "DELETE":
        return "nothing"
    return document if method == "POST" or one else f"list of {document}"


def _function(name: str) -> Operation:
    if name.startswith("Hcs"):
        return Operation(name, "vmcompute.dll", "always", _handed_out(name), _HCS_SOURCE)
    ours = not re.search(r"GuestNetwork|Callback", name)
    source = f"{_HCSSHIM} hcn/hcn.go" if ours else _WINDOWS_RS
    return Operation(name, "computenetwork.dll", since(_SINCE.get(name, Feature.API_V2)), _handed_out(name), source)


_HCS_SOURCE = f"{_HCSSHIM} internal/vmcompute/vmcompute.go"


def _handed_out(name: str) -> str:
    if name in REFUSED or (name.startswith("Hcs") and "Process" in name):
        return _NEVER
    query = re.fullmatch(r"HcnQuery(\w+)Properties", name)
    if query:
        return f"{_DOCUMENTS[query[1]]}, or v1's document"
    return next(returns for form, returns in _FORMS if re.fullmatch(form, name))


def _source_of_request(resource: str) -> str:
    if resource in ("dns", "extension", "subnet", "ipsubnet"):
        return f"{_SCRIPTS}/hns.v2.psm1"
    if resource == "state":
        return "MicrosoftDocs/Virtualization-Documentation"
    return f"{_HCSSHIM} hcn/hcn.go"
