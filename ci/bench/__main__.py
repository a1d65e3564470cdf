"""Run all lanes in turns and print one table; exit status 1 where a bound is missed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from statistics import median

from rich.console import Console
from rich.table import Table

from ci.bench.lanes import BRIDGE_CNI, FLOOR, LANES, OURS, Figures, Lane, LaneError

CREATE_BOUND = 2.0
"""Creating takes at most this many times what the floor takes."""
CNI_BOUND = 5.0
"""Creating and deleting together are at least this many times faster than the CNI plugin."""


def main() -> int:
    """Measure and judge; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ci.bench", description=__doc__)
    parser.add_argument("--endpoints", type=int, default=100, help="endpoints a run (default 100)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all lanes (default 3)")
    asked = parser.parse_args()
    try:
        medians = measure(asked.endpoints, asked.rounds)
    except LaneError as error:
        print(error, file=sys.stderr)
        return 1
    bounds = judge(medians)
    Console(width=None if sys.stdout.isatty() else 120).print(table(medians, bounds, asked.endpoints, asked.rounds))
    return 0 if all(met for met, _ in bounds) else 1


def measure(endpoints: int, rounds: int) -> dict[Lane, Figures]:
    """Run the lanes in turns, the quick ones more often; return the medians."""
    runs: dict[Lane, list[Figures]] = {lane: [] for lane in LANES}
    for _ in range(rounds):
        for turn in range(max(lane.repeats for lane in LANES)):
            for lane in LANES:
                if turn < lane.repeats:
                    runs[lane].append(lane.run(endpoints))
    return {lane: {key: median(run[key] for run in done) for key in done[0]} for lane, done in runs.items()}


def judge(medians: Mapping[Lane, Figures]) -> list[tuple[bool, str]]:
    """Return, for each bound, whether it is met and what is said of it."""
    ours, floor, cni = medians[OURS], medians[FLOOR], medians[BRIDGE_CNI]
    slower = ours["create"] / floor["create"]
    faster = _both(cni) / _both(ours)
    return [
        (slower <= CREATE_BOUND, f"create {slower:.2f}x (a), bound {CREATE_BOUND:g}x"),
        (faster >= CNI_BOUND, f"both {faster:.1f}x faster than (b), bound {CNI_BOUND:g}x"),
    ]


def table(medians: Mapping[Lane, Figures], bounds: list[tuple[bool, str]], endpoints: int, rounds: int) -> Table:
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
    shown.add_section()
    for met, text in bounds:
        shown.add_row(text, "met" if met else "MISSED")
    return shown


def _both(figures: Figures) -> float:
    return figures["create"] + figures["delete"]


if __name__ == "__main__":
    sys.exit(main())
