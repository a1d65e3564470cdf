"""HTTP: one application a node. v1 paths as HNS has them, v2 under ``/hcn``, an OpenAPI document of both.

v2 carries the exported functions as they are: id, handle and network handle are query parameters, the
document is the raw body, the answer is HRESULT, error record, output and handle.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from hnsfake.documents.text import MAX_DOCUMENT
from hnsfake.service.call import Call, Reply
from hnsfake.service.pipeline import FUNCTIONS, V1_FUNCTION

Invoke = Callable[[Call], Reply]
_InPath = Annotated[str, Path()]  # described in the OpenAPI document; HNSCall takes the whole path
V1_COLLECTIONS = ("networks", "endpoints", "namespaces", "endpointstats", "globals")
HRESULT_HEADER = "HNS-HResult"
_OVERSIZED = b"\0" * (MAX_DOCUMENT + 1)
_BODY = {"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}, "required": False}}


class HcnAnswer(BaseModel):
    """What an exported function of computenetwork.dll gives back."""

    hresult: int
    record: str | None = None
    output: str | None = None
    handle: int | None = None


def application(name: str, invoke: Invoke, status: Callable[[], dict[str, Any]]) -> FastAPI:
    """Return the application of one node; ``status`` says what there is to know of node and lab."""
    app = FastAPI(
        title=f"HNS of node {name}",
        description="An emulated Windows Host Networking Service.",
        docs_url=None,
        redoc_url=None,
    )

    @app.get("/lab/status", summary="The lab, this node, and its compartments", tags=["lab"])
    def lab_status() -> dict[str, Any]:
        return status()

    _add_v1(app, invoke)
    _add_v2(app, invoke)
    return app


def _add_v1(app: FastAPI, invoke: Invoke) -> None:
    """Add v1: HTTP method and path are HNSCall's own, the answer is its envelope, always with status 200."""
    for collection in V1_COLLECTIONS:
        for path, methods in (
            (f"/{collection}/", ("GET", "POST")),
            (f"/{collection}/{{object_id}}", ("GET", "POST", "DELETE")),
            (f"/{collection}/{{object_id}}/{{action}}", ("POST",)),
        ):
            for method in methods:
                app.add_api_route(
                    path,
                    _v1_route(invoke, path),
                    methods=[method],
                    summary=f"HNSCall({method}, {path})",
                    operation_id=f"HNSCall_{method}_{path.strip('/').replace('/', '_')}",
                    tags=["v1"],
                    openapi_extra=_BODY if method == "POST" else None,
                )
    # Whatever else is called is HNS's to refuse, not the web server's.
    app.add_api_route(
        "/{rest:path}",
        _v1_anything(invoke),
        methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        include_in_schema=False,
    )


def _v1_route(invoke: Invoke, path: str) -> Callable[..., Awaitable[Response]]:
    if "{action}" in path:

        async def with_action(request: Request, object_id: _InPath, action: _InPath) -> Response:
            return await _hns_call(invoke, request)

        return with_action
    if "{object_id}" in path:

        async def with_id(request: Request, object_id: _InPath) -> Response:
            return await _hns_call(invoke, request)

        return with_id
    return _v1_anything(invoke)


def _v1_anything(invoke: Invoke) -> Callable[[Request], Awaitable[Response]]:
    async def plain(request: Request) -> Response:
        return await _hns_call(invoke, request)

    return plain


async def _hns_call(invoke: Invoke, request: Request) -> Response:
    document = await _body(request)
    call = Call(V1_FUNCTION, document, method=request.method, path=request.url.path)
    reply = await run_in_threadpool(invoke, call)
    headers = {HRESULT_HEADER: f"{reply.hresult:#010x}"}
    return Response(reply.output or "", media_type="application/json", headers=headers)


def _add_v2(app: FastAPI, invoke: Invoke) -> None:
    """Add one path an exported function; they must stand before the path that takes everything."""
    everything = app.router.routes.pop()
    for function in FUNCTIONS:
        if function != V1_FUNCTION:
            app.add_api_route(
                f"/hcn/{function}",
                _v2_route(invoke, function),
                methods=["POST"],
                summary=function,
                operation_id=function,
                tags=["v2"],
                response_model=HcnAnswer,
                openapi_extra=_BODY,
            )
    app.add_api_route("/hcn/{function}", _v2_unknown(invoke), methods=["POST"], include_in_schema=False)
    app.router.routes.append(everything)


def _v2_route(invoke: Invoke, function: str) -> Callable[..., Awaitable[HcnAnswer]]:
    async def route(
        request: Request,
        object_id: Annotated[str | None, Query(alias="id", description="the object's GUID")] = None,
        handle: Annotated[str | None, Query(description="the object's, or the network's, handle")] = None,
    ) -> HcnAnswer:
        return await _hcn(invoke, request, function, object_id, handle)

    return route


def _v2_unknown(invoke: Invoke) -> Callable[..., Awaitable[HcnAnswer]]:
    async def route(request: Request, function: str) -> HcnAnswer:
        return await _hcn(invoke, request, function, None, None)

    return route


async def _hcn(invoke: Invoke, request: Request, function: str, object_id: str | None, handle: str | None) -> HcnAnswer:
    # A handle that is no number is a handle that isn't open.
    number = int(handle) if handle is not None and handle.isascii() and handle.isdecimal() else None
    call = Call(function, await _body(request), id=object_id, handle=number)
    reply = await run_in_threadpool(invoke, call)
    return HcnAnswer(hresult=reply.hresult, record=reply.record, output=reply.output, handle=reply.handle)


async def _body(request: Request) -> bytes:
    """Read the body; of one that is too large only enough to be refused as such."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_DOCUMENT:
            return _OVERSIZED
    return bytes(body)
