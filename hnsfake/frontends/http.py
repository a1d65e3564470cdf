"""HTTP: one application a node. v1 paths as HNS has them, v2 under ``/hcn/``, an OpenAPI document of both.

v1: method, path and body are HNSCall's, whatever they are; the answer is its envelope, and its HRESULT a header.
v2: ``POST /hcn/<function>?id=…&handle=…`` with the document as body; the answer is HRESULT, error record, output
and handle, as JSON or, for the native libraries, raw. ``client`` names the calling process, whose handles are
its own. Nothing is decided here, so that a C client can carry every call exactly.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.frontends.calls import Calls, Invoked, handle, hcn, hns_call, query, v1_answer, v2_answer
from hnsfake.frontends.carrier import NODE, NOTIFICATIONS, STATUS, V2_ROOT
from hnsfake.frontends.operations import (
    HRESULT_HEADERS,
    NOTIFICATION_STREAM,
    V1_OPERATIONS,
    Envelope,
    HcnAnswer,
    Operation,
    v2_operations,
)
from hnsfake.service.call import Call
from hnsfake.service.notifications import Subscription
from hnsfake.service.pipeline import FUNCTIONS, V1_FUNCTION, AnswerLostError, failure

log = logging.getLogger("hnsfake.frontends")

HANG_UP = "hnsfake.hang_up"
"""In the scope's state: what closes the connection."""
_QUIET = 5.0
"""Seconds after which a stream without news shows that it is alive."""
_streams = CapacityLimiter(10_000)
"""Streams wait in threads of their own: however many there are, calls get theirs."""
Endpoint = Callable[[Request], Awaitable[Response]]


class Service(Invoked, Protocol):
    """What the application asks of a node's HNS."""

    def subscription(self, handle: int | None, client: str) -> Subscription | None:
        """Return the subscription behind the handle of a registration; None where it is none."""
        ...


def application(
    name: str,
    service: Service,
    status: Callable[[], dict[str, Any]],
    actions: Mapping[str, Callable[[], None]],
) -> FastAPI:
    """Return the application of one node.

    ``status`` says what there is to know of node and lab; ``actions`` are what can be done to the node as a whole,
    by their names.
    """
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

    def add_action(word: str, act: Callable[[], None]) -> None:
        summary = f"{word.replace('-', ' ').capitalize()}: see `hnsfake {word} --help`."
        name = f"lab_{word.replace('-', '_')}"
        app.post(NODE + word, summary=summary, operation_id=name, tags=["lab"], status_code=204)(act)

    for word, act in actions.items():
        add_action(word, act)

    async def v1(request: Request) -> Response:
        return await hns_call(service, request.scope, request.receive)

    async def v2(request: Request) -> Response:
        return await hcn(service, request.scope, request.receive)

    async def notifications(request: Request) -> Response:
        given = query(request.scope)
        subscription = service.subscription(handle(given.get("handle", "")), given.get("client", ""))
        if subscription is None:
            return v2_answer(failure(Call("HcnUnregisterServiceCallback"), HnsError(HResult.E_HANDLE)))
        subscription.extended = given.get("extended") == "true"
        return StreamingResponse(_events(subscription), media_type="text/event-stream")

    async def no_route(request: Request, _: Exception) -> Response:
        return await v1(request)

    # These are there to be read about: most calls never come so far.
    for operation in V1_OPERATIONS:
        _add(app, operation, v1, {"model": Envelope, "headers": HRESULT_HEADERS})
    for operation in v2_operations(function for function in FUNCTIONS if function != V1_FUNCTION):
        _add(app, operation, v2, {"model": HcnAnswer})
    app.add_api_route(
        NOTIFICATIONS,
        notifications,
        methods=["GET"],
        summary=NOTIFICATION_STREAM.summary,
        operation_id=NOTIFICATION_STREAM.name,
        tags=["v2"],
        response_model=None,
        openapi_extra=NOTIFICATION_STREAM.arguments,
    )
    # What has no route here is HNS's to refuse, not the web server's.
    app.add_exception_handler(HTTPException, no_route)
    app.add_middleware(_Faults)
    return app


def entrance(app: ASGIApp, service: Service) -> ASGIApp:
    """Return the way into a node: its calls, and what else its application has."""
    return _Faults(Calls(app, service))


async def _events(subscription: Subscription) -> AsyncIterator[str]:
    """Yield notifications as server-sent events: Windows' number, or else the name, as event; the data as data."""
    yield ": registered\n\n"
    try:
        while True:
            try:
                notification = await to_thread.run_sync(subscription.next, _QUIET, limiter=_streams)
            except TimeoutError:
                yield ": quiet\n\n"
                continue
            if notification is None:
                return
            yield f"event: {notification.kind.value}\ndata: {notification.data}\n\n"
            yield ":\n\n"  # Wine's WinHTTP hands out a chunk when the next one begins
    finally:
        subscription.close()  # a listener that left won't come back for the rest


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
        except AnswerLostError:
            await _hang_up(scope, receive)
        except ClientDisconnect:
            log.info("a client left before its request was read")
        except Exception as error:
            if answered or scope["type"] != "http":
                raise
            await _fault(scope, error)(scope, receive, send)


async def _hang_up(scope: Scope, receive: Receive) -> None:
    """Close the connection without an answer, by what the server put into the scope for it."""
    scope["state"][HANG_UP]()
    while (await receive())["type"] != "http.disconnect":
        pass


def _fault(scope: Scope, error: Exception) -> Response:
    number = secrets.token_hex(4)
    log.error("internal fault %s in %s %s", number, scope["method"], scope["path"], exc_info=error)
    told = HnsError(HResult.E_UNEXPECTED, f"(hnsfake fault {number}: see its log)")
    if scope["path"].startswith(V2_ROOT):
        return v2_answer(failure(Call(scope["path"].removeprefix(V2_ROOT)), told))
    return v1_answer(failure(Call(V1_FUNCTION, method=scope["method"]), told))
