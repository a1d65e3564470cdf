"""Sends the calls of a recording to another machine, and compares what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from hnsfake.recording.bindings import Bindings
from hnsfake.recording.compare import NOTHING, Comparison, differences
from hnsfake.recording.known import KnownDifferences
from hnsfake.recording.lines import Recording
from hnsfake.recording.names import (
    NUMBERS,
    Name,
    Names,
    Reference,
    read_distance,
    read_name,
    read_reference,
    replace_names,
)
from hnsfake.recording.normal import COUNT, DURATION, TIME, Form, exchange
from hnsfake.recording.notations import shift, write
from hnsfake.service.call import Call, Reply

_MEASURED: Mapping[str, int] = {TIME: 132_000_000_000_000_000, DURATION: 0, COUNT: 0}
"""What is sent where a caller gave back a moment or a measurement; HNS does not read them."""


class Backend(Protocol):
    """A machine whose HNS can be called."""

    def invoke(self, call: Call) -> Reply:
        """Carry out one call."""


def replay(recording: Recording, backend: Backend, known: KnownDifferences | None = None) -> Comparison:
    """Send a recording's calls, in order; return how the answers differ from the recorded ones.

    What the recorded service chose, and the caller used, is what this one chose in its place. A call that needs
    something which this one never gave is not sent, and is a difference. Raises what ``backend`` raises.
    """
    comparison, run = Comparison(known or KnownDifferences()), _Run()
    for number, expected in enumerate(recording.exchanges, 1):
        run.learn(expected.given)
        try:
            call = run.call(expected.call)
        except _UnknownError as error:
            found = [("", "an answer", f"{NOTHING}: not sent, {error} is not known here")]
        else:
            seen = exchange(call, backend.invoke(call), run.names)
            found = differences(expected, seen, run.bindings)
        comparison.add(number, expected.operation, found)
    return comparison


class _UnknownError(LookupError):
    """A call refers to what this run has not seen."""


class _Run:
    """What a replay knows: this run's names, what they stand for in the recording, and what its caller gave."""

    def __init__(self) -> None:
        self.names = Names()
        self.bindings = Bindings()
        self._given: dict[Reference, str] = {}

    def learn(self, given: Mapping[str, str]) -> None:
        """Take the values that the recorded caller brought in with a call."""
        for text, value in given.items():
            reference = read_reference(text)
            if reference is not None:
                self._given[reference] = value

    def call(self, form: Form) -> Call:
        """Return a recorded call with this run's values in it; raise _UnknownError."""
        handle, client = form.get("handle"), form.get("client", "")
        return Call(
            form["operation"],
            self._document(form),
            self._text(form["id"]) if "id" in form else None,
            None if handle is None else int(self._text(handle)),
            form.get("method", ""),
            self._text(form.get("path", "")),
            self._text(client),
        )

    def _document(self, form: Form) -> bytes | str:
        if "document" in form:
            return json.dumps(self._value(form["document"]))
        text = self._text(form.get("document_text", ""))
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a text that Python alone can hold, and send
            return text

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            name = read_name(value)
            if name is not None and name.reference.kind in NUMBERS:
                return int(self._named(name.reference))
            return _MEASURED[value] if value in _MEASURED else self._text(value)
        if isinstance(value, dict):
            return {key: self._value(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._value(inner) for inner in value]
        return value

    def _text(self, text: str) -> str:
        return replace_names(text, self._written)

    def _written(self, name: Name) -> str:
        return write(name.reference.kind, self._named(name.reference), name.spelling)

    def _named(self, reference: Reference) -> str:
        here = self.bindings.seen(reference)
        if here is not None:
            return self.names.value(here)
        if reference not in self._given:
            raise _UnknownError(f"<{reference}>")
        given = self._given[reference]
        distance = read_distance(given)
        return given if distance is None else self._from(*distance)

    def _from(self, base: Reference, distance: int) -> str:
        try:
            return shift(base.kind, self._named(base), distance)
        except (ValueError, RecursionError):  # only an edited recording goes beyond the last, or in a circle
            raise _UnknownError(f"<{base}> + {distance}") from None
