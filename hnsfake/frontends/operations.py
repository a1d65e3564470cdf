"""What can be called over HTTP, in words and as data: the OpenAPI document is made of this.

Paths of v1: microsoft/hcsshim internal/hns/*.go. Functions of v2 and their arguments: microsoft/hcsshim hcn/hcn.go,
and for guest network services microsoft/windows-rs Win32/System/HostComputeNetwork.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from hnsfake.frontends.carrier import HRESULT_HEADER, NOTIFICATIONS, V2_ROOT

Argument = tuple[Mapping[str, Any], str]
"""An argument's schema, and the words that describe it."""

_GUID = {"type": "string", "format": "uuid"}
_HANDLE = {"type": "integer", "minimum": 0}


class Envelope(BaseModel):
    """HNSCall's answer. HTTP status is 200 whatever it says."""

    Success: bool
    Output: Any = Field(None, description="what was asked for; absent where there is nothing to say")
    Error: str | None = Field(None, description="the HRESULT's text")
    ErrorCode: int | None = Field(None, description="the HRESULT, unsigned")


class HcnAnswer(BaseModel):
    """What an exported function of computenetwork.dll gives back. HTTP status is 200 whatever it says."""

    hresult: int = Field(description="unsigned; 0 is success")
    record: str | None = Field(None, description="the error record, JSON text")
    output: str | None = Field(None, description="what Enumerate and Query hand out, JSON text")
    handle: int | None = Field(None, description="what Create and Open hand out")


HRESULT_HEADERS = {HRESULT_HEADER: {"description": "HNSCall's own HRESULT, hexadecimal", "schema": {"type": "string"}}}


@dataclass(frozen=True)
class Operation:
    """An operation: how it is reached, and what it takes (each with the words that describe it)."""

    method: str
    path: str
    name: str
    summary: str
    document: str = ""
    query: Mapping[str, Argument] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Return path and query parameters and the body as OpenAPI describes them."""
        parameters = [
            {"name": name, "in": place, "required": place == "path", "schema": dict(schema), "description": words}
            for place, name, schema, words in self._parameters()
        ]
        if not self.document:
            return {"parameters": parameters}
        content = {"application/json": {"schema": {"type": "object"}}}
        return {
            "parameters": parameters,
            "requestBody": {"description": self.document, "content": content, "required": False},
        }

    def _parameters(self) -> Iterator[tuple[str, str, Mapping[str, Any], str]]:
        if "{id}" in self.path:
            yield "path", "id", _GUID, "the object's GUID"
        for name, (schema, words) in (self.query or {}).items():
            yield "query", name, schema, words


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiouS" else f"a {noun}"


def _v1(method: str, path: str, summary: str, document: str = "") -> Operation:
    words = path.replace("{id}", "one").strip("/").replace("/", "_")
    return Operation(method, path, f"HNSCall_{method}_{words}", summary, document)


def _collection(noun: str, changes: bool = True) -> Iterator[Operation]:
    path = f"/{noun.replace(' ', '')}s/"
    yield _v1("GET", path, f"List the {noun}s.")
    yield _v1("POST", path, f"Create {_a(noun)}.", f"the {noun}'s v1 document")
    yield _v1("GET", path + "{id}", f"Show {_a(noun)}.")
    if changes:
        yield _v1("POST", path + "{id}", f"Change {_a(noun)}.", "the v1 document, as it shall be")
    yield _v1("DELETE", path + "{id}", f"Delete {_a(noun)}.")


V1_OPERATIONS = (
    *_collection("network"),
    _v1("POST", "/networks/{id}/refresh", "Show a network, in which there is nothing to refresh."),
    *_collection("endpoint"),
    _v1("POST", "/endpoints/{id}/refresh", "Show an endpoint, in which there is nothing to refresh."),
    _v1("POST", "/endpoints/{id}/attach", "Attach an endpoint to the host.", "compartment and system type"),
    _v1("POST", "/endpoints/{id}/detach", "Detach an endpoint.", "as for attach, or nothing"),
    _v1("GET", "/endpointstats/{id}", "Show an endpoint's traffic counters."),
    *_collection("namespace", changes=False),
    _v1("POST", "/namespaces/{id}/addresource", "Put an endpoint into a namespace.", "the resource"),
    _v1("POST", "/namespaces/{id}/removeresource", "Take an endpoint out of a namespace.", "the resource"),
    *_collection("policy list", changes=False),
    _v1("GET", "/accelnet/", "List the MACs that accelerated networking leaves alone (HNS 15.4 and later)."),
    _v1("POST", "/accelnet/", "Set the MACs that accelerated networking leaves alone.", "MacAddressList"),
    _v1("DELETE", "/accelnet/", "Forget the MACs that accelerated networking leaves alone."),
    _v1("GET", "/activities/", "List the activities under way, of which there are none between two calls."),
    _v1("GET", "/plugins/", "List plug-ins, of which there are none."),
    _v1("GET", "/globals/version", "Show the version of HNS."),
)


@dataclass(frozen=True)
class _Verb:
    summary: str
    document: str = ""
    id: str = ""
    handle: str = ""


_VERBS = {
    "Enumerate": _Verb("List the ids of the {noun}s that match a query.", document="the query, or nothing for all"),
    "Create": _Verb(
        "Create {a_noun} and open it.",
        document="the {noun}'s settings",
        id="the GUID it shall have; HNS chooses one where there is none",
    ),
    "Open": _Verb("Open {a_noun}.", id="its GUID"),
    "Modify": _Verb("Change {a_noun}.", document="a request: ResourceType, RequestType, Settings", handle="its handle"),
    "Query": _Verb("Show {a_noun}.", document="the query; v1's document without one", handle="its handle"),
    "Delete": _Verb("Delete {a_noun}.", id="its GUID"),
    "Close": _Verb("Close {a_noun}'s handle.", handle="the handle"),
}
_NAME = re.compile(rf"Hcn({'|'.join(_VERBS)})(\w+?)(?:Properties|s)?")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HANDLE_OF = {"HcnCreateEndpoint": "the network's handle"}
_DOCUMENT_OF = {"HcnModifyLoadBalancer": "the load balancer's settings, as they shall be (HNS 15.4 and later)"}
_GUEST = "a guest network service"
_SINGULAR = {
    "HcnReserveGuestNetworkServicePort": _Verb(
        f"Reserve a port of the host for {_GUEST}'s VM.",
        document="Protocol (1 TCP, 2 UDP, 3 both), Access (1 exclusive, 2 shared), Port",
        handle="the service's handle",
    ),
    "HcnReserveGuestNetworkServicePortRange": _Verb(
        f"Reserve ports of the host that HNS chooses for {_GUEST}'s VM; the output is StartingPort and EndingPort.",
        document="PortCount",
        handle="the service's handle",
    ),
    "HcnReleaseGuestNetworkServicePortReservationHandle": _Verb(
        "Give up reserved ports.", handle="the reservation's handle"
    ),
    "HcnEnumerateGuestNetworkPortReservations": _Verb("List the reserved ports of all guest network services."),
}
"""Functions of their own, not named by verb and noun alone."""

_SYSTEM, _PROCESS, _REGISTRATION = "the compute system's handle", "a process's handle", "the registration's handle"
_SINGULAR |= {
    "HcnRegisterServiceCallback": _Verb("Register for HNS's notifications: the handle is the key to their stream."),
    "HcnUnregisterServiceCallback": _Verb("End a registration and its stream.", handle=_REGISTRATION),
    "HcnRegisterGuestNetworkServiceCallback": _Verb(
        f"Register for the notifications of {_GUEST}.", handle="the service's handle"
    ),
    "HcnUnregisterGuestNetworkServiceCallback": _Verb("End a registration and its stream.", handle=_REGISTRATION),
    "HcsRegisterComputeSystemCallback": _Verb("Register for the notifications of a compute system.", handle=_SYSTEM),
    "HcsUnregisterComputeSystemCallback": _Verb("End a registration and its stream.", handle=_REGISTRATION),
    "HcsEnumerateComputeSystems": _Verb("Show all compute systems.", document="a query, which is not looked at"),
    "HcsCreateComputeSystem": _Verb(
        "Create a compute system and open it.", document="its settings, of schema 1 or 2", id="the id it shall have"
    ),
    "HcsOpenComputeSystem": _Verb("Open a compute system.", id="its id"),
    "HcsCloseComputeSystem": _Verb("Close a compute system's handle.", handle=_SYSTEM),
    "HcsStartComputeSystem": _Verb("Start a compute system.", handle=_SYSTEM),
    "HcsPauseComputeSystem": _Verb("Pause a compute system.", handle=_SYSTEM),
    "HcsResumeComputeSystem": _Verb("Resume a compute system.", handle=_SYSTEM),
    "HcsShutdownComputeSystem": _Verb("Stop a compute system: it is gone, its endpoints detached.", handle=_SYSTEM),
    "HcsTerminateComputeSystem": _Verb("Stop a compute system: it is gone, its endpoints detached.", handle=_SYSTEM),
    "HcsGetComputeSystemProperties": _Verb("Show a compute system.", document="a query", handle=_SYSTEM),
    "HcsModifyComputeSystem": _Verb(
        "Attach an endpoint to a compute system, or detach it.",
        document="ResourceType Network, RequestType Add or Remove, Settings: the endpoint's id",
        handle=_SYSTEM,
    ),
    "HcsGetServiceProperties": _Verb("Show what HCS supports.", document="a query"),
    **{
        name: _Verb("Refused: there are no processes in compute systems here.", handle=holder)
        for name, holder in (
            ("HcsSaveComputeSystem", _SYSTEM),
            ("HcsModifyServiceSettings", ""),
            ("HcsCreateProcess", _SYSTEM),
            ("HcsOpenProcess", _SYSTEM),
            ("HcsCloseProcess", _PROCESS),
            ("HcsTerminateProcess", _PROCESS),
            ("HcsSignalProcess", _PROCESS),
            ("HcsGetProcessInfo", _PROCESS),
            ("HcsGetProcessProperties", _PROCESS),
            ("HcsModifyProcess", _PROCESS),
            ("HcsRegisterProcessCallback", _PROCESS),
            ("HcsUnregisterProcessCallback", _REGISTRATION),
        )
    },
}
NOTIFICATION_STREAM = Operation(
    "GET",
    NOTIFICATIONS,
    "notifications",
    "Hear what a registration tells, as server-sent events, until it is ended.",
    query={
        "handle": (_HANDLE, _REGISTRATION),
        "client": ({"type": "string"}, "the client that registered, where it said so"),
        "extended": (
            {"type": "boolean"},
            "also what Windows tells nobody of, by name and not by number: LoadBalancerCreate, LoadBalancerModify, "
            "LoadBalancerDelete, SdnRouteCreate, SdnRouteDelete, EndpointCreate, EndpointDelete",
        ),
    },
)


def v2_operations(functions: Iterable[str]) -> list[Operation]:
    """Return the operations that carry exported functions, most of which are named by verb and noun."""
    return [_v2(function) for function in functions]


def _v2(function: str) -> Operation:
    verb, noun = _verb_and_noun(function)
    query: dict[str, Argument] = {"id": (_GUID, verb.id), "handle": (_HANDLE, _HANDLE_OF.get(function, verb.handle))}
    return Operation(
        "POST",
        V2_ROOT + function,
        function,
        verb.summary.format(noun=noun, a_noun=_a(noun)),
        _DOCUMENT_OF.get(function, verb.document).format(noun=noun),
        {name: argument for name, argument in query.items() if argument[1]},
    )


def _verb_and_noun(function: str) -> tuple[_Verb, str]:
    if function in _SINGULAR:
        return _SINGULAR[function], "-"
    match = _NAME.fullmatch(function)
    if match is None:
        raise LookupError(f"{function}: its verb is not among those described here")
    return _VERBS[match[1]], _WORD.sub(" ", match[2]).lower().replace("sdn", "SDN")
