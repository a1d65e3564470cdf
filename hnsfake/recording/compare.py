"""Compares exchanges in normal form: what was expected, and what was seen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from hnsfake.recording.bindings import Bindings
from hnsfake.recording.diff import ABSENT, diff
from hnsfake.recording.known import Known, KnownDifferences
from hnsfake.recording.names import replace_names
from hnsfake.recording.normal import Exchange

NOTHING = "nothing"
_LONGEST = 160


@dataclass(frozen=True)
class Difference:
    """One difference: the exchange's number, where in it (a JSON pointer), and the two values as JSON.

    The pointer begins with the answer's members; the call's are under ``/call``. ``known`` is the entry of the
    reviewed file that covers it.
    """

    exchange: int
    operation: str
    pointer: str
    expected: str
    seen: str
    known: Known | None = None

    @property
    def field(self) -> str:
        """The pointer with ``*`` for positions in lists."""
        return "/".join("*" if word.isdecimal() else word for word in self.pointer.split("/"))

    def __str__(self) -> str:
        where = " ".join(word for word in (self.operation, self.pointer) if word)
        return f"{self.exchange} {where}: expected {self.expected}, seen {self.seen}"


@dataclass
class Comparison:
    """What a comparison found: how many exchanges there were of each operation, and what differs."""

    known_differences: KnownDifferences = field(default_factory=KnownDifferences)
    exchanges: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def add(self, number: int, operation: str, found: Iterable[tuple[str, str, str]]) -> None:
        """Count an exchange, and note what differs in it."""
        self.exchanges[operation] += 1
        for pointer, expected, seen in found:
            known = self.known_differences.find(operation, pointer)
            self.differences.append(Difference(number, operation, pointer, expected, seen, known))

    @property
    def new(self) -> list[Difference]:
        """The differences that no entry covers."""
        return [difference for difference in self.differences if difference.known is None]

    @property
    def unmet(self) -> list[Known]:
        """The entries of the reviewed file that nothing was found for."""
        met = {difference.known for difference in self.differences}
        return [entry for entry in self.known_differences.entries if entry not in met]


def compare(
    expected: Iterable[Exchange], seen: Iterable[Exchange], known: KnownDifferences | None = None
) -> Comparison:
    """Compare two recordings of the same calls; calls that only one has are differences themselves."""
    ours, theirs = list(expected), list(seen)
    comparison, bindings = Comparison(known or KnownDifferences()), Bindings()
    for at, one, other in _pairs(ours, theirs):
        if one is not None and other is not None:
            comparison.add(at, one.operation, differences(one, other, bindings))
        elif one is not None:
            comparison.add(at, one.operation, [("", "a call", NOTHING)])
        elif other is not None:
            comparison.add(at, other.operation, [("", NOTHING, "a call")])
    return comparison


def differences(expected: Exchange, seen: Exchange, bindings: Bindings) -> list[tuple[str, str, str]]:
    """Return what differs: pointer, and both values as JSON. ``bindings`` learns the names of both runs."""
    one = {"call": expected.call, **expected.reply}
    other = _in_order(one, {"call": seen.call, **seen.reply}, bindings)
    bindings.bind(one, other)
    rows = diff(one, bindings.translate(other))
    return [(pointer, _shown(before), _shown(after)) for pointer, before, after in rows]


def _pairs(ours: list[Exchange], theirs: list[Exchange]) -> Iterator[tuple[int, Exchange | None, Exchange | None]]:
    """Yield exchanges that belong together: the same calls in the same order, ids apart."""
    matcher = SequenceMatcher(None, [_label(one) for one in ours], [_label(one) for one in theirs], autojunk=False)
    for tag, first, last, other_first, other_last in matcher.get_opcodes():
        if tag == "equal":
            for offset in range(last - first):
                yield first + offset + 1, ours[first + offset], theirs[other_first + offset]
        else:
            for at in range(first, last):
                yield at + 1, ours[at], None
            for at in range(other_first, other_last):
                yield at + 1, None, theirs[at]


def _label(exchange: Exchange) -> tuple[str, ...]:
    path = replace_names(exchange.call.get("path", ""), lambda _: "<>")
    return exchange.call["operation"], exchange.call.get("method", ""), path


def _in_order(expected: Mapping[str, Any], seen: Mapping[str, Any], bindings: Bindings) -> dict[str, Any]:
    """Put what a call lists into the order of the expected list: HNS promises none."""
    ordered = dict(seen)
    ours, theirs = expected.get("output"), seen.get("output")
    if isinstance(ours, list) and isinstance(theirs, list):
        ordered["output"] = _arranged(ours, theirs, bindings)
    elif isinstance(ours, dict) and isinstance(theirs, dict):
        inner, other = ours.get("Output"), theirs.get("Output")
        if isinstance(inner, list) and isinstance(other, list):
            ordered["output"] = {**theirs, "Output": _arranged(inner, other, bindings)}
    return ordered


def _arranged(expected: list[Any], seen: list[Any], bindings: Bindings) -> list[Any]:
    """Return ``seen`` with the objects that are known already where ``expected`` has them, the others in between."""
    if not all(_identity(one) for one in (*expected, *seen)):
        return seen
    by_id = {_identity(bindings.translate(one)): one for one in seen}
    places = [by_id.pop(_identity(one), None) for one in expected]
    placed = {id(one) for one in places if one is not None}
    rest = iter([one for one in seen if id(one) not in placed])
    filled = [next(rest, None) if one is None else one for one in places]
    return [one for one in (*filled, *rest) if one is not None]


def _identity(item: Any) -> str:
    """Return the id of the object that a list's item shows or names, whatever its spelling."""
    text = item.get("ID", item.get("Id")) if isinstance(item, dict) else item
    return replace_names(text, lambda name: str(name.reference)) if isinstance(text, str) else ""


def _shown(value: Any) -> str:
    if value is ABSENT:
        return NOTHING
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
