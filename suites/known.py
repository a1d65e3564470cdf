"""How an expectation is known: every test that states how Windows behaves says so by one mark.

``@pytest.mark.known(way, source)`` has one of four ways:

- "published output": a real machine printed it, and somebody published that
- "client code": a client, or a test of one, relies on it; its repository and path, or the issue that tells
- "documentation": Microsoft, Kubernetes, a standard or a paper says it
- "inferred": nobody published it; the source is what it is inferred from

A test in such a room that is about our own tools is marked ``@pytest.mark.ours(reason)`` instead. Each test has exactly
one of these marks, on itself or on its module: a module whose tests don't share the way and the source has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath

import pytest

WAYS = ("published output", "client code", "documentation", "inferred")
OURS = "ours"

_WINDOWS, _MIXED, _TOOLS = ("known",), ("known", "ours"), ()
ROOMS: Mapping[str, tuple[str, ...]] = {
    "suites": _WINDOWS,
    "tests/contract": _MIXED,
    "tests/dataplane": _MIXED,
    "tests/clients": _MIXED,
    "tests/bench": _TOOLS,
    "tests/ci": _TOOLS,
    "tests/frontends": _TOOLS,
    "tests/knowledge": _TOOLS,
    "tests/recording": _TOOLS,
    "tests/workload": _MIXED,
}
"""The rooms of tests, and which marks there are in each; without any, all its tests are about our own tools."""

_PARTS = {"known": "a way and a source", "ours": "a reason"}


def declare(config: pytest.Config) -> None:
    """Make the marks known to pytest."""
    config.addinivalue_line("markers", "known(way, source): how the expectation is known, and where it is published")
    config.addinivalue_line("markers", "ours(reason): not about Windows but about our own tools")


def check(session: pytest.Session, items: list[pytest.Item], base: Path) -> None:
    """See that every test below ``base`` ("suites" or "tests") says how it is known.

    Raise pytest.UsageError with a line for each test that doesn't; a worker of pytest-xdist stops the run instead.
    """
    lines = list(dict.fromkeys(_complaints(items, base)))
    if lines and hasattr(session.config, "workerinput"):
        # Of an error a worker leaves no words; this is what the process that reports shows.
        session.shouldfail = lines[0] + (f" ({len(lines) - 1} more)" if len(lines) > 1 else "")
        items.clear()
    elif lines:
        raise pytest.UsageError(*lines)


def way_of(item: pytest.Item, base: Path) -> str:
    """Return how the expectation of a test below ``base`` is known, or OURS; raise pytest.UsageError."""
    marks = ROOMS[room_of(item, base)]
    found = [mark for name in _PARTS for mark in item.iter_markers(name)]
    if not marks and not found:
        return OURS
    if len(found) != 1 or found[0].name not in marks:
        wanted = " or ".join(f"{name}({_PARTS[name]})" for name in marks) or "none here"
        has = " and ".join(f"{mark.name}{mark.args}" for mark in found) or "none"
        raise pytest.UsageError(f"{function_of(item)}: needs exactly one mark, {wanted}; has {has}")
    return _read(found[0], item)


def room_of(item: pytest.Item, base: Path) -> str:
    """Return the room of a test; raise pytest.UsageError for one that is not listed."""
    place = PurePath(base.name) / item.path.relative_to(base)
    for room in ROOMS:
        if place.is_relative_to(room):
            return room
    raise pytest.UsageError(f"{function_of(item)}: {place.parent} is none of the rooms that suites/known.py lists")


def function_of(item: pytest.Item) -> str:
    """Return the name of a test's function, which may be run with many parameters."""
    return item.nodeid.partition("[")[0]


def _complaints(items: Iterable[pytest.Item], base: Path) -> Iterator[str]:
    for item in items:
        if item.path.is_relative_to(base):
            try:
                way_of(item, base)
            except pytest.UsageError as error:
                yield str(error)


def _read(mark: pytest.Mark, item: pytest.Item) -> str:
    parts, name = mark.args, function_of(item)
    if mark.kwargs or len(parts) != (2 if mark.name == "known" else 1) or not all(_is_text(part) for part in parts):
        raise pytest.UsageError(f"{name}: {mark.name} needs {_PARTS[mark.name]}, as texts that say something")
    if mark.name == "known" and parts[0] not in WAYS:
        raise pytest.UsageError(f"{name}: known by {parts[0]!r}, which is none of {', '.join(WAYS)}")
    return str(parts[0]) if mark.name == "known" else OURS


def _is_text(part: object) -> bool:
    return isinstance(part, str) and bool(part.strip())
