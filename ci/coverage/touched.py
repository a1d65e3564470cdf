"""A pytest plugin that notes what of the contract each test touches: operations, fields, policies, errors.

Tests that draw their input by chance don't count: what they touch differs from run to run.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from functools import wraps
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from pydantic import BaseModel

from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import Policy
from hnsfake.documents.schema import Document
from hnsfake.service.call import Call, Reply
from hnsfake.service.hns import HnsService
from hnsfake.service.pipeline import V1_FUNCTION

_BY_CHANCE = ("concurrency", "crash", "fuzz")
Row = tuple[str, ...]
"""An operation's name, a field's model and name, a policy's type and field, what is in an answer about a subject, an
error's name; the first word says which."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--touched", type=Path, help="a directory for what the tests touch of the contract")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the service in this process, if asked to; whoever starts the run removes what the last one wrote."""
    into: Path | None = config.getoption("--touched")
    if into is None:
        return
    if not hasattr(config, "workerinput"):
        rmtree(into, ignore_errors=True)
    config.pluginmanager.register(_Touched(into))


class _Touched:
    def __init__(self, into: Path) -> None:
        self._into = into
        self._rows: defaultdict[Row, set[str]] = defaultdict(set)
        self._test: str | None = None
        _around(HnsService, "carry_out", self._called)  # what a fault rule answers is not HNS's doing
        _around_read(Document, self._read)
        _around_read(Policy, self._read)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """Know which test it is."""
        by_chance = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        self._test = (
            None if by_chance or any(word in item.path.stem for word in _BY_CHANCE) else item.nodeid.partition("::")[0]
        )
        return (yield)

    def pytest_sessionfinish(self) -> None:
        """Write what was touched."""
        self._into.mkdir(parents=True, exist_ok=True)
        rows = [[*row, sorted(tests)] for row, tests in sorted(self._rows.items())]
        (self._into / f"{os.getpid()}.json").write_text(json.dumps(rows))

    def _note(self, *row: str) -> None:
        if self._test is not None:
            self._rows[row].add(self._test)

    def _called(self, call: Call, reply: Reply) -> None:
        self._note("operation", operation_of(call))
        if not reply.ok or '"Success":false' in (reply.output or ""):
            code = reply.hresult or json.loads(reply.output or "{}").get("ErrorCode", 0)
            self._note("error", HResult.by_code(code).name)
        elif reply.output:
            subject = subject_of(call)
            for name in _names(json.loads(reply.output)):
                self._note("returned", subject, name)

    def _read(self, read: BaseModel) -> None:
        kind, name = ("policy", read.v2_type) if isinstance(read, Policy) else ("field", type(read).__name__)
        for field in read.model_fields_set:
            self._note(kind, name, field)
            value = getattr(read, field)
            for part in value if isinstance(value, list | tuple) else (value,):
                if isinstance(part, Document):
                    self._read(part)


def operation_of(call: Call) -> str:
    """Return the name of what is called: v1 by its method and the shape of its path."""
    if call.operation != V1_FUNCTION:
        return call.operation
    words = [word for word in call.path.partition("?")[0].strip("/").split("/") if word]
    shape = [word.lower() if at != 1 else "{id}" for at, word in enumerate(words)]
    return f"{call.method.upper()} /{'/'.join(shape)}"


def subject_of(call: Call) -> str:
    """Return what an answer is about: "v1 networks", "v2 Network"."""
    if call.operation == V1_FUNCTION:
        return f"v1 {call.path.strip('/').split('/')[0].lower()}"
    words = call.operation.removeprefix("Hcn").removeprefix("Query").removeprefix("Enumerate")
    return f"v2 {words.removesuffix('Properties')}"


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _names(inner)
        if isinstance(value.get("Type"), str):
            yield f"Type {value['Type']}"
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


def _around(owner: type, name: str, seen: Any) -> None:
    plain = getattr(owner, name)

    @wraps(plain)
    def watched(self: HnsService, call: Call) -> Reply:
        reply: Reply = plain(self, call)
        seen(call, reply)
        return reply

    setattr(owner, name, watched)


def _around_read(model: type[BaseModel], seen: Any) -> None:
    name = "_read" if issubclass(model, Policy) else "read"
    plain = getattr(model, name).__func__

    @wraps(plain)
    def watched(cls: type[BaseModel], *arguments: Any) -> Any:
        read = plain(cls, *arguments)
        seen(read)
        return read

    setattr(model, name, classmethod(watched))
