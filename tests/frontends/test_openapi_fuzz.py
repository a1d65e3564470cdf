"""Requests at random, right and wrong, made of the HTTP API's own description: no fault, and answers as described."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hnsfake.documents.hresults import HResult
from hnsfake.frontends.carrier import NOTIFICATIONS, V2_ROOT
from hnsfake.frontends.http import application, entrance
from hnsfake.service.call import Call, Reply
from hnsfake.service.notifications import Subscription
from tests.contract.fuzz import Target, target

POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Hns:
    """A node behind its HTTP application, which can be put back to what it was."""

    def __init__(self) -> None:
        self.target: Target = target()
        self.app = entrance(application("n1", self, dict, {}), self)

    def subscription(self, handle: int | None, client: str) -> Subscription | None:
        return self.target.bench.service.subscription(handle, client)

    def invoke(self, call: Call) -> Reply:
        return self.target.bench.service.invoke(call)

    def invoke_at_once(self, call: Call) -> Reply | None:
        return self.target.bench.service.invoke_at_once(call)

    def thread_for(self, call: Call) -> Executor | None:
        return self.target.bench.service.thread_for(call)

    def invoke_if_free(self, call: Call) -> Reply | None:
        return self.target.bench.service.invoke_if_free(call)


def test_any_request_gets_an_answer_that_is_described() -> None:
    hns = Hns()
    schema = schemathesis.openapi.from_asgi("/openapi.json", hns.app)
    cases = st.one_of([schema.as_strategy(generation_mode=mode) for mode in (POSITIVE, NEGATIVE)])

    @given(case=cases, known=st.booleans(), pick=st.integers(0, 20))
    @settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
    def check(case: Case[Any], known: bool, pick: int) -> None:
        hns.target = target()
        if known:
            _speak_of_what_is_there(case, hns.target, pick)
        answer = case.call_and_validate(checks=CHECKS).json()
        if isinstance(answer, dict):
            assert HResult.E_UNEXPECTED not in (answer.get("hresult"), answer.get("ErrorCode")), answer

    check()


def _speak_of_what_is_there(case: Case[Any], there: Target, pick: int) -> None:
    """Put an object's id and the handle of its kind into a request that has such arguments."""
    path = case.operation.path
    named = (word for word in there.handles if word.lower() in path.lower())
    word = next(named, list(there.handles)[pick % len(there.handles)])
    parameters: dict[str, Any] = case.query if path.startswith(V2_ROOT) else case.path_parameters
    if path == NOTIFICATIONS or not parameters:
        return
    if "id" in parameters and word in there.ids:
        parameters["id"] = there.ids[word]
    if "handle" in parameters:
        parameters["handle"] = there.handles[word]
