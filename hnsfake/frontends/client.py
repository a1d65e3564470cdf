"""A client of a running lab, for the command line: of the standard library alone, so that commands start quickly."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any
from urllib.parse import quote, urlencode

from hnsfake.frontends.carrier import FAULTS, HRESULT_HEADER, NODE, REGISTRY, STATUS, V1_METHODS, V2_ROOT
from hnsfake.frontends.sockets import abstract_name, running_labs
from hnsfake.service.call import Call, Reply

_TIMEOUT = 60.0
_BAD_REQUEST = 400


class NoLabError(RuntimeError):
    """No such lab or node runs; the text says what to do."""


class RefusedError(ValueError):
    """The lab can't do what was asked; the text says in one line why."""


class _UnixConnection(HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, address: str) -> None:
        super().__init__("hns", timeout=_TIMEOUT)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._address)


@dataclass(frozen=True)
class _Answer:
    text: str
    hresult: int
    status: int


class NodeClient:
    """Talks to one node of a running lab through its abstract Unix socket."""

    def __init__(self, node: str, lab: str | None = None) -> None:
        self._address = abstract_name(find_lab(node, lab), node)

    def status(self) -> dict[str, Any]:
        """Return what the lab says of itself and of this node."""
        answer: dict[str, Any] = json.loads(self._send("GET", STATUS).text)
        return answer

    def act(self, word: str) -> None:
        """Do something to the node as a whole, such as "reboot"; raise NoLabError where it fails."""
        answer = self._send("POST", NODE + word)
        if answer.text:
            raise NoLabError(f"{word} failed: see the lab's log")

    def registry(self, compartment: str) -> dict[str, Any]:
        """Return a compartment's registry view, and its active routes; raise RefusedError."""
        view: dict[str, Any] = json.loads(_accepted(self._send("GET", f"{REGISTRY}/{compartment}")).text)
        return view

    def faults(self) -> list[dict[str, Any]]:
        """Return the fault rules in force."""
        answer: list[dict[str, Any]] = json.loads(self._send("GET", FAULTS).text)
        return answer

    def add_fault(self, words: dict[str, Any]) -> dict[str, Any]:
        """Put a fault rule in force; return it with its number. Raises RefusedError."""
        added: dict[str, Any] = json.loads(_accepted(self._send("POST", FAULTS, json.dumps(words).encode())).text)
        return added

    def clear_faults(self, number: int | None = None) -> None:
        """Put a fault rule, or all, out of force; raise RefusedError."""
        _accepted(self._send("DELETE", FAULTS if number is None else f"{FAULTS}/{number}"))

    def hns_call(self, method: str, path: str, document: bytes = b"") -> tuple[int, str]:
        """Call HNSCall; return HRESULT and envelope."""
        if method in V1_METHODS:
            answer = self._send(method, "/" + path.lstrip("/"), document)
        else:
            answer = self._send("POST", V2_ROOT + "HNSCall", document, {"method": method, "path": path})
        return answer.hresult, answer.text

    def hcn(
        self,
        function: str,
        document: bytes = b"",
        object_id: str | None = None,
        handle: int | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """Call an Hcn function; return hresult, record, output and handle."""
        parameters = {"id": object_id, "handle": handle, "client": client}
        given = {name: value for name, value in parameters.items() if value is not None}
        answer: dict[str, Any] = json.loads(self._send("POST", V2_ROOT + function, document, given).text)
        return answer

    def invoke(self, call: Call) -> Reply:
        """Carry out a call as a node's own ``invoke`` does; raise NoLabError."""
        document = call.document if isinstance(call.document, bytes) else call.document.encode("utf-8", "surrogatepass")
        if call.operation == "HNSCall":
            hresult, envelope = self.hns_call(call.method, call.path, document)
            return Reply(hresult, None, envelope or None)
        return Reply(**self.hcn(call.operation, document, call.id, call.handle, call.client or None))

    def _send(self, method: str, path: str, document: bytes = b"", parameters: dict[str, Any] | None = None) -> _Answer:
        # What the shell gave may be any bytes; they go out as they are.
        target = quote(path, errors="surrogateescape")
        if parameters:
            target += "?" + urlencode(parameters, errors="surrogateescape")
        connection = _UnixConnection(self._address)
        try:
            connection.request(method, target, document)
            answer = connection.getresponse()
            return _Answer(answer.read().decode(), int(answer.getheader(HRESULT_HEADER, "0"), 16), answer.status)
        except RemoteDisconnected as error:
            raise NoLabError(
                "the connection broke before the answer came: the call may have been carried out"
            ) from error
        except (HTTPException, OSError) as error:
            raise NoLabError(f"the lab does not answer ({error}): is it going down?") from error
        finally:
            connection.close()


def _accepted(answer: _Answer) -> _Answer:
    if answer.status >= _BAD_REQUEST:
        raise RefusedError(json.loads(answer.text)["error"])
    return answer


def first_node(lab: str | None = None) -> str:
    """Return the node that is meant where none was named: the first of the one lab; raise NoLabError."""
    labs = {name: nodes for name, nodes in running_labs().items() if lab in (None, name)}
    if not labs:
        raise NoLabError(f"no lab {lab} is running" if lab else "no lab is running: start one with `hnsfake up`")
    if len(labs) > 1:
        raise NoLabError(f"several labs are running: say which with --lab or HNSFAKE_LAB ({', '.join(labs)})")
    return next(iter(labs.values()))[0]


def find_lab(node: str, lab: str | None = None) -> str:
    """Return the name of the lab that has ``node``; raise NoLabError."""
    labs = running_labs()
    if not labs:
        raise NoLabError("no lab is running: start one with `hnsfake up`")
    having = [name for name, nodes in labs.items() if node in nodes and lab in (None, name)]
    if len(having) > 1:
        raise NoLabError(f"several labs have a node {node}: say which with --lab or HNSFAKE_LAB ({', '.join(having)})")
    if not having:
        known = ", ".join(f"{name}: {' '.join(nodes)}" for name, nodes in labs.items())
        raise NoLabError(f"no running lab has a node {node} (running: {known})")
    return having[0]
