"""What a part of the benchmark finds: tables, and bounds that are met or missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.table import Table


class Bound(NamedTuple):
    """A bound, and what was measured of it in words."""

    met: bool
    text: str


class BenchError(RuntimeError):
    """Nothing could be measured; the text says what to do."""


def add_bounds(table: Table, bounds: Sequence[Bound]) -> None:
    """Close a table with its bounds."""
    table.add_section()
    for met, text in bounds:
        table.add_row(text, "met" if met else "MISSED")
