"""A pytest plugin that notes what of the contract each test touches: operations, fields, policies, errors.

It notes what a test sends and gets, and nothing that comes of itself: what HNS makes when it starts, what a fixture
makes for several files, and what tests touch that draw their input by chance, which differs from run to run.
"""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from pydantic import BaseModel

from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import Policy
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.schema import Document, ObjectDocument, UnknownFields
from hnsfake.service.call import Call, Reply
from hnsfake.service.hns import HnsService
from hnsfake.service.pipeline import V1_FUNCTION

_BY_CHANCE = ("concurrency", "crash", "fuzz", "model")
_OF_ONE_FILE = ("function", "class", "module")
Row = tuple[str, ...]
"""The first word says what: an operation's name; a request's function, resource and type; a function that failed and
the error; a field's model and name; a policy's type, alone and with a field; a flag; a network's type; the place of a
member in an answer about a subject; an error's name."""


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
        self._now = threading.local()
        _around(HnsService, "__init__", self._beginning)
        _around(HnsService, "carry_out", self._carrying_out)  # what a fault rule answers is not HNS's doing
        _around_read(Document, self._read)
        _around_read(Policy, self._read)
        _around(UnknownFields, "use", self._using)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """Know which test it is."""
        by_chance = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        counts = not by_chance and not any(word in item.path.stem for word in _BY_CHANCE)
        self._test = item.nodeid.partition("::")[0] if counts else None
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Leave out what a fixture of several files does: the file that comes first in a run would seem to do it."""
        before = self._test
        if fixturedef.scope not in _OF_ONE_FILE:
            self._test = None
        try:
            return (yield)
        finally:
            self._test = before

    def pytest_sessionfinish(self) -> None:
        """Write what was touched."""
        self._into.mkdir(parents=True, exist_ok=True)
        rows = [[*row, sorted(tests)] for row, tests in sorted(self._rows.items())]
        (self._into / f"{os.getpid()}.json").write_text(json.dumps(rows))

    def _note(self, *row: str) -> None:
        if self._test is not None:
            self._rows[row].add(self._test)

    @contextmanager
    def _beginning(self, *_: Any) -> Iterator[Callable[[Any], None]]:
        """Look away while a service begins: it reads its journal and makes what is there from the start."""
        self._now.beginning = True
        try:
            yield lambda _: None
        finally:
            self._now.beginning = False

    @contextmanager
    def _carrying_out(self, _service: HnsService, call: Call) -> Iterator[Callable[[Reply], None]]:
        self._now.sent = _text(call.document)
        try:
            yield lambda reply: self._called(call, reply)
        finally:
            self._now.sent = None

    @contextmanager
    def _using(self, _: UnknownFields, where: str, names: Iterable[str]) -> Iterator[Callable[[None], None]]:
        """Note flags: their classes and names come here where a document has them."""
        if where.endswith("Flags"):
            for name in names:
                self._note("flag", where, name)
        yield lambda _: None

    def _called(self, call: Call, reply: Reply) -> None:
        operation = operation_of(call)
        self._note("operation", operation)
        if call.operation.startswith("HcnModify"):
            self._note("request", call.operation, *_request(call.document))
        if not reply.ok or '"Success":false' in (reply.output or ""):
            code = reply.hresult or json.loads(reply.output or "{}").get("ErrorCode", 0)
            self._note("error", HResult.by_code(code).name)
            self._note("failed", operation, HResult.by_code(code).name)
        elif reply.output:
            self._answered(call, json.loads(reply.output))

    def _answered(self, call: Call, answer: Any) -> None:
        if call.operation == V1_FUNCTION:
            answer = answer.get("Output")
        elif not isinstance(answer, dict):
            return  # a list of ids
        subject = subject_of(call, answer)
        for place in places(answer):
            self._note("returned", subject, place)

    def _read(self, read: BaseModel) -> None:
        if getattr(self._now, "beginning", False):
            return
        if isinstance(read, Policy):
            self._read_policy(read)
            return
        for field in read.model_fields_set:
            self._note("field", type(read).__name__, field)
            if isinstance(read, ObjectDocument) and field in ObjectDocument.model_fields:
                self._note("field", ObjectDocument.__name__, field)
            value = getattr(read, field)
            if field == "Type" and isinstance(value, str) and type(read).__name__.startswith("Network"):
                self._note("network type", value.lower())
            for part in value if isinstance(value, list | tuple) else (value,):
                if isinstance(part, Document):
                    self._read(part)

    def _read_policy(self, policy: Policy) -> None:
        """Note a policy, but for one that HNS itself gave an object while it carried out a call."""
        sent: str | None = getattr(self._now, "sent", None)
        fields = {name: aliases(name, type(policy).model_fields[name]) for name in policy.model_fields_set}
        words = [policy.v1_type, policy.v2_type, *(word for names in fields.values() for word in names)]
        if sent is not None and not any(f'"{word}"' in sent for word in words):
            return
        self._note("policy", policy.v2_type)
        for name in fields:
            self._note("policy", policy.v2_type, name)


def operation_of(call: Call) -> str:
    """Return the name of what is called: v1 by its method and the shape of its path."""
    if call.operation != V1_FUNCTION:
        return call.operation
    words = [word for word in call.path.partition("?")[0].strip("/").split("/") if word]
    shape = [word.lower() if at != 1 else "{id}" for at, word in enumerate(words)]
    return f"{call.method.upper()} /{'/'.join(shape)}"


_V1_WORDS = {"Network": "networks", "Endpoint": "endpoints", "Namespace": "namespaces"}


def subject_of(call: Call, answer: Any) -> str:
    """Return what an answer is about: "v1 networks", "v2 Network"; a v2 query may be answered in v1's form."""
    if call.operation == V1_FUNCTION:
        return f"v1 {call.path.strip('/').split('/')[0].lower()}"
    noun = call.operation.removeprefix("HcnQuery").removesuffix("Properties")
    if "SchemaVersion" in answer:
        return f"v2 {noun}"
    return f"v1 {_V1_WORDS.get(noun, 'policylists')}"


def places(value: Any, at: str = "") -> Iterator[str]:
    """Yield the members of an answer as "Ipams.Subnets.Routes", and its policies as "Policies:ACL"."""
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping):
            continue
        if at and isinstance(item.get("Type"), str):
            yield f"{at}:{item['Type']}"
        for name, inner in item.items():
            place = f"{at}.{name}" if at else name
            yield place
            yield from places(inner, place)


def _text(document: bytes | str) -> str:
    return document if isinstance(document, str) else document.decode(errors="replace")


def _request(document: bytes | str) -> tuple[str, str]:
    try:
        read = json.loads(document)
    except ValueError:
        read = None
    members = {str(key).lower(): value for key, value in read.items()} if isinstance(read, dict) else {}
    return str(members.get("resourcetype", "")).lower(), str(members.get("requesttype", "")).lower()


def _around(owner: type, name: str, watch: Callable[..., Any]) -> None:
    plain = getattr(owner, name)

    @wraps(plain)
    def watched(*arguments: Any, **named: Any) -> Any:
        with watch(*arguments) as seen:
            result = plain(*arguments, **named)
            seen(result)
            return result

    setattr(owner, name, watched)


def _around_read(model: type[BaseModel], seen: Callable[[Any], None]) -> None:
    name = "_read" if issubclass(model, Policy) else "read"
    plain = getattr(model, name).__func__

    @wraps(plain)
    def watched(cls: type[BaseModel], *arguments: Any) -> Any:
        read = plain(cls, *arguments)
        seen(read)
        return read

    setattr(model, name, classmethod(watched))
