"""Faults on request: calls that fail, are late, lose their answer, or meet a restart of the service.

A rule says which calls, and what happens to them; it is written in the same words everywhere (``FaultRule``). Rules
are met in steps before and after the work, each of which looks at one word.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from threading import Condition
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.validation import first_problem
from hnsfake.service.about import operations, plain, v1_operation
from hnsfake.service.call import Call, Reply
from hnsfake.service.latencies import PROFILES
from hnsfake.service.pipeline import FUNCTIONS, AnswerLostError, failure

_LONGEST_DELAY = 24 * 60 * 60


class FaultRuleError(ValueError):
    """A rule can't be read; the text says in one line what is wrong."""


def _operation(pattern: str) -> str:
    """Check a pattern: one that no function can ever match is a slip."""
    if " " in pattern.strip():
        return v1_operation(*pattern.split(maxsplit=1))
    if not any(fnmatchcase(name.casefold(), pattern.casefold()) for name in FUNCTIONS):
        raise ValueError(f'{pattern!r} is no function; v1 calls are written as "POST /endpoints/"')
    return pattern


def _delay(value: object) -> object:
    """Check a delay here: pydantic's own message would be about a union."""
    if isinstance(value, str) and value in PROFILES:
        return value
    try:
        seconds = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_DELAY:
        raise ValueError(f"neither seconds, at most {_LONGEST_DELAY}, nor one of {', '.join(PROFILES)}")
    return seconds


_FAILURE_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "integer"}], "examples": ["HCN_E_NETWORK_NOT_FOUND"]}
_DELAY_SCHEMA = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "enum": list(PROFILES)}]}
Failure = Annotated[
    HResult,
    BeforeValidator(HResult.read),
    PlainSerializer(lambda hresult: hresult.name, return_type=str),
    WithJsonSchema(_FAILURE_SCHEMA),
]
Delay = Annotated[float | str, BeforeValidator(_delay), WithJsonSchema(_DELAY_SCHEMA)]
Count = Annotated[int, Field(ge=1)]


class FaultRule(BaseModel):
    """Which calls, and what happens to them.

    ``operation`` and ``object`` are patterns as a shell has them, in any case. What happens, happens in this order:
    ``delay``, ``fail`` in place of the work or else the work, ``restart``, ``drop``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation: Annotated[str, AfterValidator(_operation)] = Field(
        "*", description="a function's name, or method and path of v1"
    )
    object: Annotated[str, AfterValidator(plain)] | None = Field(
        None, description="id or name of what the call is about"
    )
    nth: Count | None = Field(None, description="the n-th of the calls that match: that one, or the first of `times`")
    times: Count | None = Field(None, description="how many of the calls that match; without it and `nth`, all")
    fail: Failure | None = Field(None, description="HRESULT, by symbol or number; nothing is done then")
    delay: Delay | None = Field(None, description="seconds, or the name of a profile")
    restart: bool = Field(False, description="the service restarts after the work, before the answer")
    drop: bool = Field(False, description="the connection breaks after the work, before the answer")

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if self.fail is None and self.delay is None and not self.restart and not self.drop:
            raise ValueError("nothing would happen: give fail, delay, restart or drop")
        return self

    @classmethod
    def read(cls, words: Any) -> Self:
        """Read a rule from its words; raise FaultRuleError."""
        try:
            return cls.model_validate(words)
        except ValidationError as error:
            raise FaultRuleError(first_problem(error)) from error

    def words(self) -> dict[str, Any]:
        """Return what the rule says, as it is written."""
        return {"operation": self.operation, **self.model_dump(mode="json", exclude_defaults=True)}

    def is_for(self, call: Call, objects: Callable[[], Iterable[str]]) -> bool:
        """Whether a call is one of those meant; ``objects`` tells what it is about."""
        return _any_matches(operations(call), self.operation) and (
            self.object is None or _any_matches(objects(), self.object)
        )

    def strikes(self, number: int) -> bool:
        """Whether something happens to the call that is the ``number``-th of those meant."""
        first = self.nth or 1
        times = self.times or (1 if self.nth else None)
        return number >= first and (times is None or number < first + times)


class LabFaultRule(FaultRule):
    """A rule for several nodes of a lab; each counts its own calls."""

    node: str = Field("*", description="the nodes it is for, as a pattern")
    release: str = Field("*", description="the releases it is for, as a pattern")

    def is_for_node(self, name: str, release: str) -> bool:
        """Whether a node of this name and release is meant."""
        return fnmatchcase(name, self.node) and fnmatchcase(release, self.release)

    def on_a_node(self) -> FaultRule:
        """Return the rule as a node takes it."""
        return FaultRule(**self.model_dump(exclude={"node", "release"}))


def _any_matches(texts: Iterable[str], pattern: str) -> bool:
    pattern = pattern.casefold()
    return any(fnmatchcase(text.casefold(), pattern) for text in texts)


@dataclass(eq=False)
class Fault:
    """A rule that is in force: ``matched`` calls were meant by it so far, to ``hits`` of them it happened."""

    id: int
    rule: FaultRule
    _chance: random.Random = field(repr=False)
    matched: int = 0
    hits: int = 0
    removed: bool = False

    def meets(self, call: Call, objects: Callable[[], Iterable[str]]) -> bool:
        """Count a call; return whether something happens to it."""
        if not self.rule.is_for(call, objects):
            return False
        self.matched += 1
        struck = self.rule.strikes(self.matched)
        self.hits += struck
        return struck

    def seconds(self) -> float:
        """Return how late the call is that was met just now."""
        delay = self.rule.delay or 0.0
        return PROFILES[delay].draw(self._chance) if isinstance(delay, str) else delay

    def shown(self) -> dict[str, Any]:
        """Return id, words and counters."""
        return {"id": self.id, **self.rule.words(), "matched": self.matched, "hits": self.hits}


@dataclass
class Passage:
    """One call on its way past the rules, and its answer as soon as there is one."""

    call: Call
    met: tuple[tuple[Fault, float], ...]
    alphabetical: bool = False
    answer: Reply | None = None

    @property
    def reply(self) -> Reply:
        """The answer, once there is one."""
        assert self.answer is not None
        return self.answer

    @property
    def rules(self) -> Iterator[FaultRule]:
        """The rules it met."""
        return (fault.rule for fault, _ in self.met)


class FaultRules:
    """The rules in force on a node. Thread safe; the same seed and calls give the same delays.

    ``restart`` restarts the node's service; ``alphabetical`` says how that writes v1's envelopes.
    """

    def __init__(self, restart: Callable[[], None], chooser: random.Random, alphabetical: bool = False) -> None:
        self._restart = restart
        self._chooser = chooser
        self._alphabetical = alphabetical
        self._faults: dict[int, Fault] = {}
        self._added = 0
        self._stops = 0
        self._closed = False
        self._changed = Condition()

    def add(self, rule: FaultRule | None = None, /, **words: Any) -> Fault:
        """Put a rule in force, given by its words, or whole with words that replace its own; raise FaultRuleError."""
        rule = FaultRule.read({**(rule.words() if rule else {}), **words})
        with self._changed:
            self._added += 1
            fault = Fault(self._added, rule, random.Random(self._chooser.random()))
            self._faults[fault.id] = fault
            return fault

    @contextmanager
    def inject(self, rule: FaultRule | None = None, /, **words: Any) -> Iterator[Fault]:
        """Have a rule in force for a while; raise FaultRuleError."""
        fault = self.add(rule, **words)
        try:
            yield fault
        finally:
            self.remove(fault.id)

    def remove(self, fault_id: int) -> bool:
        """Put a rule out of force; calls that it delays go on. Return whether it was in force."""
        with self._changed:
            fault = self._faults.pop(fault_id, None)
            if fault is None:
                return False
            fault.removed = True
            self._changed.notify_all()
            return True

    def clear(self) -> None:
        """Put all rules out of force."""
        for fault in self.list():
            self.remove(fault.id)

    def list(self) -> tuple[Fault, ...]:
        """Return the rules in force, oldest first."""
        with self._changed:
            return tuple(self._faults.values())

    def interrupt(self) -> None:
        """Have every call that is delayed answered now: the service is stopping."""
        with self._changed:
            self._stops += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Delay no call any more."""
        with self._changed:
            self._closed = True
        self.interrupt()

    def passage(self, call: Call, objects: Callable[[], Iterable[str]]) -> Passage:
        """Let a call meet the rules; ``objects`` tells what it is about."""
        if not self._faults:
            return Passage(call, (), self._alphabetical)
        with self._changed:
            met = [fault for fault in self._faults.values() if fault.meets(call, objects)]
            return Passage(call, tuple((fault, fault.seconds()) for fault in met), self._alphabetical)

    # The steps, in the order in which a call takes them.

    def delay(self, passage: Passage) -> None:
        """Keep a call waiting; raise HnsError where the service stops meanwhile."""
        for fault, seconds in passage.met:
            if seconds:
                self._wait(fault, seconds)

    def fail(self, passage: Passage) -> None:
        """Answer a call in place of the service."""
        hresult = next((rule.fail for rule in passage.rules if rule.fail is not None), None)
        if hresult is not None:
            passage.answer = failure(passage.call, HnsError(hresult), passage.alphabetical)

    def restart(self, passage: Passage) -> None:
        """Restart the service behind the caller's back."""
        if any(rule.restart for rule in passage.rules):
            self._restart()

    def drop(self, passage: Passage) -> None:
        """Lose the answer: raise AnswerLostError."""
        if any(rule.drop for rule in passage.rules):
            raise AnswerLostError(passage.call.operation)

    def _wait(self, fault: Fault, seconds: float) -> None:
        with self._changed:
            stops = self._stops
            self._changed.wait_for(lambda: fault.removed or self._closed or self._stops > stops, seconds)
            if self._closed or self._stops > stops:
                raise HnsError(HResult.HCN_E_MANAGER_STOPPED)
