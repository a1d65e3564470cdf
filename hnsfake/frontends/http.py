"""HTTP: one application a node. v1 paths as HNS has them, v2 under ``/hcn/``, an OpenAPI document of both.

v1: method, path and body are HNSCall's, whatever they are; the answer is its envelope, and its HRESULT a header.
v2: ``POST /hcn/<function>?id=…&handle=…`` with the document as body; the answer is HRESULT, error record, output
and handle, as JSON or, for the native libraries, raw. ``client`` names the calling process, whose handles are
its own. Nothing is decided here, so that a C client can carry every call exactly.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hnsfake.documents.errors import HnsError, InvalidDocumentError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.text import MAX_DOCUMENT
from hnsfake.frontends.carrier import HANDLE_HEADER, HRESULT_HEADER, RAW, STATUS, V2_ROOT
from hnsfake.frontends.operations import HRESULT_HEADERS, V1_OPERATIONS, Envelope, HcnAnswer, Operation, v2_operations
from hnsfake.service.call import Call, Reply
from hnsfake.service.pipeline import FUNCTIONS, V1_FUNCTION, failure

log = logging.getLogger("hnsfake.frontends")

Invoke = Callable[[Call], Reply]
Endpoint = Callable[[Request], Awaitable[Response]]
_LONGEST_HANDLE = 20
_JSON = "application/json"


def application(name: str, invoke: Invoke, status: Callable[[], dict[str, Any]]) -> FastAPI:
    """Return the application of one node; ``status`` says what there is to know of node and lab."""
    app = FastAPI(
        title=f"HNS of node {name}",
        description="An emulated Windows Host Networking Service.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )

    @app.get(STATUS, summary="Show the lab, this node, and its compartments.", operation_id="lab_status", tags=["lab"])
    def lab_status() -> dict[str, Any]:
        return status()

    async def hns_call(request: Request) -> Response:
        return _v1_answer(await _carry(invoke, _v1_call(request), request))

    async def hcn(request: Request) -> Response:
        answer = _raw_answer if RAW in request.headers.get("accept", "") else _v2_answer
        return answer(await _carry(invoke, _v2_call(request), request))

    async def no_route(request: Request, _: Exception) -> Response:
        return await hns_call(request)

    for operation in V1_OPERATIONS:
        _add(app, operation, hns_call, {"model": Envelope, "headers": HRESULT_HEADERS})
    for operation in v2_operations(function for function in FUNCTIONS if function != V1_FUNCTION):
        _add(app, operation, hcn, {"model": HcnAnswer})
    app.add_api_route(V2_ROOT + "{function}", hcn, methods=["POST"], include_in_schema=False, response_model=None)
    # What has no route here is HNS's to refuse, not the web server's.
    app.add_exception_handler(HTTPException, no_route)
    app.add_middleware(_Faults)
    return app


def _add(app: FastAPI, operation: Operation, endpoint: Endpoint, answer: dict[str, Any]) -> None:
    app.add_api_route(
        operation.path,
        endpoint,
        methods=[operation.method],
        summary=operation.summary,
        operation_id=operation.name,
        tags=["v2" if operation.path.startswith(V2_ROOT) else "v1"],
        response_model=None,
        responses={200: answer},
        openapi_extra=operation.arguments,
    )


def _v1_call(request: Request) -> Call:
    path, query = request.scope["path"], request.scope["query_string"].decode("latin-1")
    return Call(V1_FUNCTION, method=request.method, path=f"{path}?{unquote(query)}" if query else path)


def _v2_call(request: Request) -> Call:
    function = request.scope["path"].removeprefix(V2_ROOT)
    given = request.query_params
    return Call(function, id=given.get("id"), handle=_handle(given.get("handle", "")), client=given.get("client", ""))


def _handle(text: str) -> int | None:
    """Read a handle; one that is no number is as none: a handle that isn't open."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_HANDLE else None


async def _carry(invoke: Invoke, call: Call, request: Request) -> Reply:
    try:
        document = await _body(request)
    except InvalidDocumentError as error:
        return failure(call, error)
    return await run_in_threadpool(invoke, replace(call, document=document))


async def _body(request: Request) -> bytes:
    """Read the body; raise InvalidDocumentError as soon as it is too large, and keep nothing of it."""
    body = bytearray()
    async for part in request.stream():
        if len(body) + len(part) > MAX_DOCUMENT:
            raise InvalidDocumentError
        body += part
    return bytes(body)


def _v1_answer(reply: Reply) -> Response:
    return Response(reply.output or "", media_type=_JSON, headers={HRESULT_HEADER: f"{reply.hresult:#010x}"})


def _v2_answer(reply: Reply) -> Response:
    return Response(json.dumps(asdict(reply)), media_type=_JSON)


def _raw_answer(reply: Reply) -> Response:
    headers = {HRESULT_HEADER: f"{reply.hresult:#010x}"}
    if reply.handle is not None:
        headers[HANDLE_HEADER] = str(reply.handle)
    return Response(f"{reply.record or ''}\0{reply.output or ''}", media_type=RAW, headers=headers)


class _Faults:
    """Answers what goes wrong in here as HNS would; the log has the same id, and the trace."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            log.info("a client left before its request was read")
        except Exception as error:
            if answered or scope["type"] != "http":
                raise
            await _fault(scope, error)(scope, receive, send)


def _fault(scope: Scope, error: Exception) -> Response:
    number = secrets.token_hex(4)
    log.error("internal fault %s in %s %s", number, scope["method"], scope["path"], exc_info=error)
    told = HnsError(HResult.E_UNEXPECTED, f"(hnsfake fault {number}: see its log)")
    if scope["path"].startswith(V2_ROOT):
        return _v2_answer(failure(Call(scope["path"].removeprefix(V2_ROOT)), told))
    return _v1_answer(failure(Call(V1_FUNCTION, method=scope["method"]), told))
