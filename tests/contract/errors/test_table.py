"""Each fault alone, each two together, and any at once: the first check says what is wrong, and nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hnsfake.service.call import Reply
from tests.contract.errors.operations import OPERATIONS
from tests.contract.errors.table import INFERRED, RELEASES, Ask, Check, Operation, with_faults

ORDER = "in which order HNS checks is not published: arguments, document, what it refers to, what others have"


def _all(mark: pytest.MarkDecorator) -> list[Any]:
    return [pytest.param(operation, id=operation.title, marks=mark) for operation in OPERATIONS]


def _alone() -> Iterator[Any]:
    for operation in OPERATIONS:
        for check in operation.checks:
            mark = pytest.mark.known(*check.known)
            yield pytest.param(operation, check, id=f"{operation.title}: {check.name}", marks=mark)


@pytest.mark.parametrize("operation", _all(pytest.mark.ours("the table's own requests")))
def test_the_request_without_faults_is_taken(operation: Operation) -> None:
    for release in operation.releases:
        reply = with_faults(operation, release, []).send()
        assert _code(reply) == 0, (release, reply)


@pytest.mark.parametrize(("operation", "check"), list(_alone()))
def test_a_fault_alone_has_its_hresult_and_changes_nothing(operation: Operation, check: Check) -> None:
    for release in operation.releases:
        if release not in check.releases:
            continue
        ask = with_faults(operation, release, [check])
        before = ask.bench.service.state
        reply = ask.send()
        assert _told(ask, reply) == {
            "Success": False,
            "Error": f"{check.hresult.text} {check.detail}",
            "ErrorCode": int(check.hresult),
        }
        assert reply.hresult == (check.hresult if ask.method in ("", "POST") else 0)
        assert ask.bench.service.state is before
        assert reply.handle is None


@pytest.mark.parametrize("operation", _all(pytest.mark.known(INFERRED, ORDER)))
def test_of_two_faults_the_first_is_told(operation: Operation) -> None:
    for release in operation.releases:
        for first, second in operation.pairs(release):
            reply = with_faults(operation, release, [first, second]).send()
            assert _code(reply) == first.hresult, (release, first.name, second.name, reply)


@pytest.mark.known(INFERRED, ORDER)
@given(data=st.data(), release=st.sampled_from(RELEASES))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_of_any_faults_the_first_is_told(data: st.DataObject, release: str) -> None:
    operation = data.draw(st.sampled_from([one for one in OPERATIONS if release in one.releases]))
    places = data.draw(st.sets(st.integers(0, len(operation.of(release)) - 1), min_size=1))
    checks = _apart([operation.of(release)[place] for place in sorted(places)])
    reply = with_faults(operation, release, checks).send()
    assert _code(reply) == checks[0].hresult, ([check.name for check in checks], reply)


def _apart(checks: Sequence[Check]) -> list[Check]:
    """Keep one check of each part of the request, the first."""
    kept: dict[str, Check] = {}
    for check in checks:
        kept.setdefault(check.part, check)
    return list(kept.values())


def _told(ask: Ask, reply: Reply) -> Any:
    """Return the record or the envelope of a call that failed, in the shape that both of them have."""
    if ask.operation == "HNSCall":
        assert reply.record is None
        return json.loads(reply.output or "")
    assert reply.output is None
    record = json.loads(reply.record or "")
    if not ask.operation.startswith("Hcs"):
        return record
    code = record["Error"] & 0xFFFFFFFF
    return {"Success": False, "Error": record["ErrorMessage"] + _behind(record["ErrorMessage"]), "ErrorCode": code}


def _behind(message: str) -> str:
    """HCS's message ends with its sentence, HNS's with a blank after it."""
    return " " if message.endswith((".", "d")) else ""


def _code(reply: Reply) -> int:
    """Return the HRESULT of a call, wherever it stands."""
    envelope = json.loads(reply.output or "null")
    told = envelope.get("ErrorCode", 0) if isinstance(envelope, dict) else 0
    return int(reply.hresult or told)
