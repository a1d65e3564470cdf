"""The page's text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from hnsfake.releases import QUIRKS, RELEASES, Quirk
from hnsfake.releases.quirks.quirk import Span

ROOT = Path(__file__).parents[2]
_LIMITS = ROOT / "suites" / "limits"
_OPENING = """\
# Known limits, by release and update

What Windows networking does on some updates and not by design, and what is known of where it ends. A node has those of
its release and updates: `ws2022` is current, `ws2022@20348.288` has the updates up to that one. Each that is *shown*
can be switched on or off, on a node or for a lab: `hnsfake up --quirk ID --no-quirk ID`, `quirks: {ID: true}` in a
lab's file, `Lab(quirks={"ID": False})`.

This page is made from `hnsfake/releases/quirks/` by `python -m ci.limits --write`. Where a source dates a cure by
month, the update is the first of that month or the next.

| quirk | releases and updates | shown |
|---|---|---|
"""


def page() -> str:
    """Return the page."""
    tests = shown_by()
    rows = "".join(
        f"| [{quirk.id}](#{quirk.id}) | {_spans(quirk)} | {'yes' if quirk.shown else 'no'} |\n"
        for quirk in QUIRKS.values()
    )
    return _OPENING + rows + "".join(_section(quirk, tests.get(quirk.id, ())) for quirk in QUIRKS.values())


def shown_by() -> Mapping[str, list[str]]:
    """Return, by quirk, the tests that have its mark."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file in sorted(_LIMITS.glob("test_*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                for quirk in _marks(node):
                    found[quirk].append(f"{file.relative_to(ROOT)}::{node.name}")
    return found


def _marks(test: ast.FunctionDef) -> Iterator[str]:
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "quirk":
            (name,) = mark.args
            assert isinstance(name, ast.Constant)
            yield str(name.value)


def _section(quirk: Quirk, tests: list[str] | tuple[str, ...]) -> str:
    lines = [
        f"**Where**: {quirk.where}.",
        f"**Seen**: {quirk.seen}",
        f"**Releases and updates**: {_spans(quirk)}.",
        *([f"**Way round**: {quirk.way_round}"] if quirk.way_round else []),
        f"**Sources**: {'; '.join(quirk.sources)}.",
        *([f"**Not shown**: {quirk.unshown}"] if not quirk.shown else []),
        *([f"**Always on**: {quirk.always}"] if quirk.always else []),
        *([f"**Tests**: {', '.join(f'`{test}`' for test in tests)}"] if tests else []),
    ]
    return f"\n## {quirk.id}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def _spans(quirk: Quirk) -> str:
    return "; ".join(map(_span, quirk.spans)) or "none that a node can have"


def _span(span: Span) -> str:
    release = RELEASES[span.release]
    first = f" from {release.build}.{span.first}" if span.first else ""
    cured = f" before {release.build}.{span.cured}" if span.cured is not None else ""
    return f"{release.title}{first}{' and' if first and cured else ''}{cured}"
