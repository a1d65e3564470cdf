"""How what the tests expect is known: their marks, counted by collecting them all (suites/known.py has the rule)."""

from __future__ import annotations

import contextlib
import io
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from suites import known

ROOT = Path(__file__).parents[2]

VALIDATED: frozenset[str] = frozenset()
"""Functions of tests that have passed on a real machine; the suites have no lane on one yet."""

Functions = Mapping[tuple[str, str], Collection[str]]
"""Functions of tests by the room they are in and the way their expectation is known."""

_HEAD = """## How it is known

Every test that states how Windows behaves says how that is known, and where it is published (`suites/known.py`).
Counted are test functions, however often they are run with other parameters.
"""


def section() -> str:
    """Return the section of the page."""
    return table(collected(ROOT), VALIDATED)


def table(functions: Functions, validated: Collection[str]) -> str:
    """Return the section for these tests, of which some have passed on a real machine."""
    columns = ("room", *known.WAYS, "together", "validated on a real machine", "about our own tools")
    rows = [_row(room, functions, validated) for room, marks in known.ROOMS.items() if marks]
    lines = (f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}", *rows)
    return "\n".join((_HEAD, *lines, ""))


def collected(root: Path) -> Functions:
    """Return the functions of the tests below ``root``; raise SystemExit where they can't be collected."""
    marks = _Marks(root)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        end = pytest.main(["--collect-only", "-q", "--rootdir", str(root), *marks.places], plugins=[marks])
    if end is not pytest.ExitCode.OK:
        sys.exit(said.getvalue() + "the tests can't be collected, and so not counted")
    return marks.functions


class _Marks:
    """A plugin of pytest that takes down the marks."""

    def __init__(self, root: Path) -> None:
        self._bases = [root / base for base in dict.fromkeys(room.partition("/")[0] for room in known.ROOMS)]
        self.functions: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    @property
    def places(self) -> list[str]:
        return [str(base) for base in self._bases]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for base in self._bases:
                if item.path.is_relative_to(base):
                    where = known.room_of(item, base), known.way_of(item, base)
                    self.functions[where].add(known.function_of(item))


def _row(room: str, functions: Functions, validated: Collection[str]) -> str:
    ways = [functions.get((room, way), ()) for way in known.WAYS]
    all_of_them = {function for way in ways for function in way}
    counts = (*map(len, ways), len(all_of_them), len(all_of_them.intersection(validated)))
    ours = len(functions.get((room, known.OURS), ()))
    return f"| `{room}` | {' | '.join(map(str, (*counts, ours)))} |"
