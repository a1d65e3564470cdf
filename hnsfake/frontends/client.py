"""A client of a running lab, for the command line."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

import httpx

from hnsfake.frontends.carrier import HRESULT_HEADER, STATUS, V2_ROOT
from hnsfake.frontends.sockets import abstract_name, running_labs

_TIMEOUT = 60.0
_SERVER = httpx.URL("http://hns")


class NoLabError(RuntimeError):
    """No such lab or node runs; the text says what to do."""


class NodeClient:
    """Talks to one node of a running lab through its abstract Unix socket; a context manager."""

    def __init__(self, node: str, lab: str | None = None) -> None:
        transport = httpx.HTTPTransport(uds=abstract_name(find_lab(node, lab), node))
        self._http = httpx.Client(transport=transport, timeout=_TIMEOUT)

    def status(self) -> dict[str, Any]:
        """Return what the lab says of itself and of this node."""
        answer: dict[str, Any] = self._send("GET", STATUS).json()
        return answer

    def hns_call(self, method: str, path: str, document: bytes = b"") -> tuple[int, str]:
        """Call HNSCall; return HRESULT and envelope."""
        answer = self._send(method, "/" + path.lstrip("/"), document)
        return int(answer.headers.get(HRESULT_HEADER, "0"), 16), answer.text

    def hcn(
        self, function: str, document: bytes = b"", object_id: str | None = None, handle: int | None = None
    ) -> dict[str, Any]:
        """Call an Hcn function; return hresult, record, output and handle."""
        parameters = {"id": object_id, "handle": handle}
        given = {name: value for name, value in parameters.items() if value is not None}
        answer: dict[str, Any] = self._send("POST", V2_ROOT + function, document, given).json()
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(
        self, method: str, path: str, document: bytes = b"", parameters: dict[str, Any] | None = None
    ) -> httpx.Response:
        # What the shell gave may be any bytes; they go out as they are.
        target = quote(path, errors="surrogateescape")
        if parameters:
            target += "?" + urlencode(parameters, errors="surrogateescape")
        url = _SERVER.copy_with(raw_path=target.encode())
        try:
            return self._http.request(method, url, content=document)
        except httpx.HTTPError as error:
            raise NoLabError(f"the lab does not answer ({error}): is it going down?") from error


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
