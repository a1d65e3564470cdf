"""All lanes in turns, their table and its bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from rich.table import Table

from ci.bench.endpoints.lanes import BRIDGE_CNI, FLOOR, LANES, OURS, Figures, Lane
from ci.bench.verdict import Bound, add_bounds

ENDPOINTS = 100
"""Endpoints a run."""
CREATE_BOUND = 2.0
"""Creating takes at most this many times what the floor takes."""
CNI_BOUND = 5.0
"""Creating and deleting together are at least this many times faster than the CNI plugin."""
Runs = Mapping[Lane, Sequence[Figures]]
"""What the lanes measured, turn by turn."""


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure and judge; raise BenchError."""
    runs = measure(ENDPOINTS, rounds)
    bounds = judge(runs)
    return table({lane: _medians(done) for lane, done in runs.items()}, bounds, ENDPOINTS, rounds), bounds


def measure(endpoints: int, rounds: int) -> Runs:
    """Run the lanes in turns, the quick ones more often; return what each measured, turn by turn."""
    runs: dict[Lane, list[Figures]] = {lane: [] for lane in LANES}
    for _ in range(rounds):
        for turn in range(max(lane.repeats for lane in LANES)):
            for lane in LANES:
                if turn < lane.repeats:
                    runs[lane].append(lane.run(endpoints))
    return runs


def judge(runs: Runs) -> list[Bound]:
    """Return, for each bound, whether it is met and what is said of it.

    A lane is compared with the one that ran in the same turn: the machine's own ups and downs are in both.
    """
    slower = median(ours["create"] / floor["create"] for ours, floor in zip(runs[OURS], runs[FLOOR], strict=True))
    faster = _both(_medians(runs[BRIDGE_CNI])) / _both(_medians(runs[OURS]))
    return [
        Bound(slower <= CREATE_BOUND, f"create {slower:.2f}x (a), bound {CREATE_BOUND:g}x"),
        Bound(faster >= CNI_BOUND, f"both {faster:.1f}x faster than (b), bound {CNI_BOUND:g}x"),
    ]


def table(medians: Mapping[Lane, Figures], bounds: list[Bound], endpoints: int, rounds: int) -> Table:
    """Return the table."""
    shown = Table(title=f"{endpoints} endpoints, each in a new namespace; medians of {rounds} rounds")
    for column in (
        "",
        "create ms",
        "delete ms",
        "ms an endpoint",
        "create / (a)",
        "both / (a)",
        "both / (b)",
    ):
        shown.add_column(column, justify="right" if column else "left")
    floor, cni = medians[FLOOR], medians[BRIDGE_CNI]
    for lane, figures in medians.items():
        shown.add_row(
            lane.title,
            f"{figures['create']:.0f}",
            f"{figures['delete']:.0f}",
            f"{_both(figures) / endpoints:.2f}",
            f"{figures['create'] / floor['create']:.2f}",
            f"{_both(figures) / _both(floor):.2f}",
            f"{_both(figures) / _both(cni):.3f}",
        )
    shown.add_section()
    ours = medians[OURS]
    shown.add_row("Lab() until two nodes are ready", f"{ours['lab']:.0f}")
    shown.add_row(
        f"resident memory with {endpoints} endpoints",
        f"{ours['full'] / 1024:.1f} MiB",
        "",
        f"{(ours['full'] - ours['empty']) / endpoints:.1f} KiB",
    )
    add_bounds(shown, bounds)
    return shown


def _medians(runs: Sequence[Figures]) -> Figures:
    return {key: median(run[key] for run in runs) for key in runs[0]}


def _both(figures: Figures) -> float:
    return figures["create"] + figures["delete"]
