"""Run all parts in turn and print a table of each; exit status 1 where a bound is missed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table

from ci.bench.calls import scale, ways
from ci.bench.endpoints import judged
from ci.bench.policies import balancers, fleet, traffic
from ci.bench.verdict import BenchError, Bound

Part = Callable[[int], tuple[Table, list[Bound]]]
PARTS: Mapping[str, Part] = {
    "calls": ways.run,
    "scale": scale.run,
    "endpoints": judged.run,
    "balancers": balancers.run,
    "traffic": traffic.run,
    "fleet": fleet.run,
}


def main() -> int:
    """Measure and judge; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ci.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default all)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all lanes of a part (default 3)")
    asked = parser.parse_args()
    unknown = set(asked.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    console = Console(width=None if sys.stdout.isatty() else 120)
    met = True
    for name in asked.parts or PARTS:
        try:
            table, bounds = PARTS[name](asked.rounds)
        except BenchError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        console.print(table)
        met = met and all(bound.met for bound in bounds)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
