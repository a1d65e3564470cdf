"""The normal form of calls and answers: names for values, documents parsed, measurements left out.

What is compared is what HNS is asked and says; the ids, addresses and moments it chooses differ from run to run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hnsfake.documents.text import MAX_DEPTH, depth_exceeds
from hnsfake.recording.names import CLIENT, COMPARTMENT, HANDLE, PORT, Names, replace_names
from hnsfake.recording.notations import MAC, find, replace
from hnsfake.service.call import S_OK, Call, Reply

Form = dict[str, Any]
"""A call or an answer in normal form."""

_HRESULT = "{:#010x}"
_S_OK = _HRESULT.format(S_OK)
TIME, DURATION, COUNT = "<time>", "<duration>", "<count>"
_FILETIMES = range(116_444_736_000_000_000, 200_000_000_000_000_000)  # 1970 to 2234, in 100 ns since 1601
_DURATIONS = ("operationtime",)
_COUNTS = (
    *("bytesreceived", "bytessent", "packetsreceived", "packetssent"),
    *("droppedpacketsincoming", "droppedpacketsoutgoing"),
    *("missedcount", "sequencenumber"),  # of an object's Health (microsoft/WSL#6457)
)
"""How the names of members end that hold what was measured."""
_NUMBERED = {
    "namespaceid": COMPARTMENT,  # of v2's namespace
    "compartmentid": COMPARTMENT,
    "startingport": PORT,
    "endingport": PORT,
    "externalport": PORT,  # of a port mapping that names none
}
"""Members whose number the service may choose."""
_FIRST_CHOSEN = 2  # 1 is the host's compartment
_NIC_NAME = re.compile(r"(?<=\bContainer NIC )[0-9A-Fa-f]{8}\b")
"""The start of an id in the friendly name of a network's host vNIC."""


@dataclass(frozen=True)
class Exchange:
    """A call and its answer in normal form, with the values that the caller brought in, by reference."""

    call: Form
    reply: Form
    given: Mapping[str, str]

    @property
    def operation(self) -> str:
        """The function's name; for HNSCall method and path, ids left out."""
        if "path" not in self.call:
            return str(self.call["operation"])
        path = replace_names(self.call["path"], lambda _: "{id}").strip("/")
        return f"{self.call.get('method', '')} /{path}"


def exchange(call: Call, reply: Reply, names: Names) -> Exchange:
    """Return the normal form of a call and its answer; new values get names in ``names``."""
    before = len(names)
    asked = normal_call(call, names)
    given = names.since(before)
    answered = normal_reply(reply, names)
    if _deletes(call) and _succeeded(answered):
        for found in find(call.id or call.path):
            names.forget(found.value)
    return Exchange(asked, answered, given)


def normal_call(call: Call, names: Names) -> Form:
    """Return the normal form of a call: only what it has."""
    form: Form = {"operation": call.operation}
    if call.client:
        form["client"] = str(names.name(CLIENT, call.client))
    if call.method:
        form["method"] = call.method
    if call.path:
        form["path"] = normal_text(call.path, names)
    if call.id is not None:
        form["id"] = normal_text(call.id, names)
    if call.handle is not None:
        form["handle"] = str(names.name(HANDLE, str(call.handle)))
    if call.document:
        form.update(_document("document", _decoded(call.document), names))
    return form


def normal_reply(reply: Reply, names: Names) -> Form:
    """Return the normal form of an answer: the HRESULT, and what else it has."""
    form: Form = {"hresult": _HRESULT.format(reply.hresult)}
    if reply.record is not None:
        form.update(_document("record", reply.record, names))
    if reply.output is not None:
        form.update(_document("output", reply.output, names, normal_output))
    if reply.handle is not None:
        form["handle"] = str(names.name(HANDLE, str(reply.handle)))
    return form


def normal_text(text: str, names: Names) -> str:
    """Return a text with names in the place of GUIDs, of what is made of them, MACs and addresses."""
    return _NIC_NAME.sub("<start of guid>", replace(text, names.name_of))


def normal_value(value: Any, names: Names, member: str = "") -> Any:
    """Return a JSON value in normal form; ``member`` is the name it has in its object."""
    if isinstance(value, str):
        return normal_text(value, names)
    if isinstance(value, dict):
        _learn_block(value, names)
        return {key: normal_value(inner, names, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [normal_value(inner, names, member) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return _normal_number(value, names, member.lower())
    return value


def normal_output(value: Any, names: Names) -> Any:
    """Return what Enumerate, Query and HNSCall hand out in normal form: objects that have values of their own."""
    if isinstance(value, list):
        return [normal_output(item, names) for item in value]
    if not isinstance(value, dict):
        return normal_value(value, names)
    if "Output" in value:
        return {key: normal_output(inner, names) for key, inner in value.items()}
    network = _id_in(value, "VirtualNetwork") or _id_in(value, "HostComputeNetwork")
    with names.showing(_id_in(value, "ID"), network):
        return normal_value(value, names)


def parse(text: str) -> Any:
    """Parse JSON that means the same once written again; raise ValueError for any other text."""
    if depth_exceeds(text, MAX_DEPTH):
        raise ValueError("nested too deeply")
    text.encode()  # refuses what stands for bytes that are no UTF-8
    return json.loads(text, parse_constant=_refused, parse_float=_float, object_pairs_hook=_object)


def _document(member: str, text: str, names: Names, normal: Callable[[Any, Names], Any] = normal_value) -> Form:
    try:
        return {member: normal(parse(text), names)}
    except ValueError:
        return {f"{member}_text": normal_text(text, names)}


def _deletes(call: Call) -> bool:
    return call.operation.startswith("HcnDelete") or call.method.upper() == "DELETE"


def _succeeded(answered: Form) -> bool:
    envelope = answered.get("output")
    return answered["hresult"] == _S_OK and not (isinstance(envelope, dict) and envelope.get("Success") is False)


def _id_in(shown: Mapping[str, Any], member: str) -> str:
    text = shown.get(member)
    return next((found.value for found in find(text)), "") if isinstance(text, str) else ""


def _decoded(document: bytes | str) -> str:
    """Return a document as text. Bytes that aren't UTF-8 are kept, and make it no JSON."""
    return document if isinstance(document, str) else document.decode("utf-8", "surrogateescape")


def _normal_number(value: int, names: Names, member: str) -> Any:
    if member.endswith(_DURATIONS):
        return DURATION
    if member.endswith(_COUNTS):
        return COUNT
    if value in _FILETIMES:
        return TIME
    if member in _NUMBERED and value >= _FIRST_CHOSEN:
        return str(names.name(_NUMBERED[member], str(value)))
    return value


def _learn_block(value: Mapping[str, Any], names: Names) -> None:
    ends = [value.get(member) for member in ("StartMacAddress", "EndMacAddress")]
    macs = [found.value for end in ends if isinstance(end, str) for found in find(end) if found.kind == MAC]
    if len(macs) == len(ends):
        names.add_block(*macs)


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number without bounds")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member comes twice")
    return members
