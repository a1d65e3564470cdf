"""Calls over HTTP: how one is read from a request, and its answer written.

Nothing is decided here, so that a C client can carry every call exactly. Calls are taken before FastAPI's router,
which has nothing to check of them and would cost more than many calls do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hnsfake.documents.errors import InvalidDocumentError
from hnsfake.documents.text import MAX_DOCUMENT
from hnsfake.frontends.carrier import HANDLE_HEADER, HRESULT_HEADER, RAW, V1_METHODS, V2_ROOT
from hnsfake.frontends.operations import V1_OPERATIONS
from hnsfake.service.call import Call, Reply
from hnsfake.service.pipeline import V1_FUNCTION, failure

_V1_WORDS = frozenset(operation.path.strip("/").partition("/")[0] for operation in V1_OPERATIONS)
_calls = CapacityLimiter(1_000)
"""Calls that a fault rule delays keep their threads: others must find some."""
_LONGEST_HANDLE = 20
_JSON = "application/json"


class Invoked(Protocol):
    """What calls are handed to."""

    def invoke(self, call: Call) -> Reply:
        """Carry out a call, however long it takes; raise AnswerLostError."""
        ...

    def invoke_at_once(self, call: Call) -> Reply | None:
        """Carry out a call that need not wait; None, and nothing is done, where it might."""
        ...

    def thread_for(self, call: Call) -> Executor | None:
        """Return the thread where ``invoke_if_free`` carries out a call soonest; None where any is as good."""
        ...

    def invoke_if_free(self, call: Call) -> Reply | None:
        """Carry out a call unless another is; None, and nothing is done, where it would have to wait for that."""
        ...


class Calls:
    """Answers requests that are calls, and hands on the others.

    Raises AnswerLostError, and ClientDisconnect where a client left before its request was read.
    """

    def __init__(self, app: ASGIApp, service: Invoked) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "POST" and scope["path"].startswith(V2_ROOT):
            await (await hcn(self._service, scope, receive))(scope, receive, send)
        elif scope["method"] in V1_METHODS and scope["path"][1:].partition("/")[0] in _V1_WORDS:
            await (await hns_call(self._service, scope, receive))(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def hns_call(service: Invoked, scope: Scope, receive: Receive) -> Response:
    """Take a request as a call of v1, whatever it is, and return the answer's envelope."""
    path, query = scope["path"], scope["query_string"].decode("latin-1")
    whole = f"{path}?{unquote(query)}" if query else path
    return v1_answer(await _carry(service, Call(V1_FUNCTION, method=scope["method"], path=whole), receive))


async def hcn(service: Invoked, scope: Scope, receive: Receive) -> Response:
    """Take a request as a call of v2, and return the answer as JSON, or raw for who asks for that.

    HNSCall goes this way, too, where its method is none of HTTP's: answered as v1 is.
    """
    function = scope["path"].removeprefix(V2_ROOT)
    given = query(scope)
    called = {word: given.get(word, "") for word in ("method", "path", "client")}
    call = Call(function, id=given.get("id"), handle=handle(given.get("handle", "")), **called)
    reply = await _carry(service, call, receive)
    if function == V1_FUNCTION:
        return v1_answer(reply)
    accepted = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    return _raw_answer(reply, function) if RAW.encode() in accepted else v2_answer(reply)


def query(scope: Scope) -> dict[str, str]:
    """Read the query's parameters; of two of one name the last counts."""
    text = scope["query_string"].decode("latin-1")
    return dict(parse_qsl(text, keep_blank_values=True)) if text else {}


def handle(text: str) -> int | None:
    """Read a handle; one that is no number is as none: a handle that isn't open."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_HANDLE else None


async def read_body(receive: Receive) -> bytes:
    """Read the body; raise InvalidDocumentError as soon as it is too large, and keep nothing of it."""
    body = b""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MAX_DOCUMENT:
            raise InvalidDocumentError
        more = message.get("more_body", False)
    return body


async def _carry(service: Invoked, call: Call, receive: Receive) -> Reply:
    try:
        call = call.of(await read_body(receive))
    except InvalidDocumentError as error:
        return failure(call, error)
    reply = service.invoke_at_once(call)
    if reply is None and (thread := service.thread_for(call)) is not None:
        reply = await asyncio.get_running_loop().run_in_executor(thread, service.invoke_if_free, call)
    return reply if reply is not None else await to_thread.run_sync(service.invoke, call, limiter=_calls)


def v1_answer(reply: Reply) -> Response:
    """Return v1's answer: the envelope, and the HRESULT as a header."""
    return Response(reply.output or "", media_type=_JSON, headers={HRESULT_HEADER: f"{reply.hresult:#010x}"})


def v2_answer(reply: Reply) -> Response:
    """Return v2's answer as JSON."""
    shown = {"hresult": reply.hresult, "record": reply.record, "output": reply.output, "handle": reply.handle}
    return Response(json.dumps(shown), media_type=_JSON)


def _raw_answer(reply: Reply, function: str) -> Response:
    headers = {HRESULT_HEADER: f"{reply.hresult:#010x}"}
    if reply.handle is not None:
        headers[HANDLE_HEADER] = str(reply.handle)
    output = reply.output or ""
    if output and function in _STRUCTURES:
        output = _STRUCTURES[function](json.loads(output))
    return Response(f"{reply.record or ''}\0{output}", media_type=RAW, headers=headers)


def _range(given: dict[str, Any]) -> str:
    return f"{given['StartingPort']} {given['EndingPort']}"


def _entries(given: list[dict[str, Any]]) -> str:
    return " ".join([str(len(given)), *(str(entry.get(field, 0)) for entry in given for field in _ENTRY)])


# Functions that hand out C structures, not JSON: the native libraries get their members as words.
_ENTRY = (
    "OwningPartitionId",
    "TargetPartitionId",
    "Protocol",
    "Priority",
    "ReservationType",
    "SharingFlags",
    "DeliveryMode",
    "StartingPort",
    "EndingPort",
)
_STRUCTURES: dict[str, Callable[[Any], str]] = {
    "HcnReserveGuestNetworkServicePortRange": _range,
    "HcnEnumerateGuestNetworkPortReservations": _entries,
}
