"""Ten nodes with thirty pods each: until they are ready, and until they are gone."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter

from rich.table import Table

from ci.bench.endpoints import ours
from ci.bench.verdict import Bound
from hnsfake import Lab

NODES, PODS = 10, 30


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure; nothing is judged."""
    taken = [measure() for _ in range(rounds)]
    return table([ready for ready, _ in taken], [gone for _, gone in taken]), []


def measure() -> tuple[float, float]:
    """Return the seconds until the fleet is ready, and until it is gone."""
    begun = perf_counter()
    with Lab([f"n{number}" for number in range(NODES)], name="bench-fleet") as lab:
        for node in lab.nodes.values():
            network = node.hcn("HcnCreateNetwork", ours.NETWORK, object_id=ours.guid(0, 0)).handle
            for number in range(PODS):
                ours.create(node, network, number)
        ready = perf_counter()
    return ready - begun, perf_counter() - ready


def table(ready: Sequence[float], gone: Sequence[float]) -> Table:
    """Return the table."""
    shown = Table(title=f"{NODES} nodes with {PODS} pods each")
    shown.add_column("")
    shown.add_column("s", justify="right")
    shown.add_row("until ready", f"{median(ready):.2f}")
    shown.add_row("until gone", f"{median(gone):.2f}")
    return shown
