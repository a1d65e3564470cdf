"""Calls a second by each way in, beside the same web server that gives one answer to everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import truediv
from statistics import median
from typing import NamedTuple

from rich.table import Table

from ci.bench.calls import cycles
from ci.bench.calls.documents import NETWORK, NETWORK_ID
from ci.bench.calls.load import calls_a_second
from ci.bench.calls.servers import CONSTANT, OURS, Address, served
from ci.bench.verdict import Bound, add_bounds
from hnsfake import Lab

SHARE_BOUND = 0.5
"""A way in carries at least this share of the calls that the constant answer carries."""
CLIENTS = (1, 32)
_TURNS = 4
"""Turns a round."""
WAYS: Mapping[str, cycles.Way] = {
    "HTTP, v2": cycles.by_http_v2,
    "HTTP, v1": cycles.by_http_v1,
    "C library": cycles.by_library,
}
IN_PROCESS = "Python"


class Case(NamedTuple):
    """A way in, and how many clients take it at once."""

    way: str
    clients: int


Figures = Mapping[str, Sequence[float]]
"""Calls a second by server, turn by turn."""


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure and judge; raise BenchError."""
    measured = measure(rounds)
    bounds = judge(measured)
    return table(measured, bounds, rounds), bounds


def measure(rounds: int) -> dict[Case, Figures]:
    """Run all cases in turns, each on one server right after the other."""
    runs: dict[Case, dict[str, list[float]]] = {}
    with _both() as servers, Lab(["n1"], dataplane="none", name="bench-python") as lab:
        node = lab.nodes["n1"]
        node.hcn("HcnCreateNetwork", NETWORK, object_id=NETWORK_ID)
        for _ in range(rounds * _TURNS):
            for clients in CLIENTS:
                for way, client in WAYS.items():
                    for name, address in servers.items():
                        carried = calls_a_second(partial(client, address), clients)
                        runs.setdefault(Case(way, clients), {}).setdefault(name, []).append(carried)
                carried = calls_a_second(partial(cycles.in_process, node), clients)
                runs.setdefault(Case(IN_PROCESS, clients), {}).setdefault(OURS, []).append(carried)
    return dict(runs)


def judge(measured: Mapping[Case, Figures]) -> list[Bound]:
    """Return, for each case that has a peer, whether its share is met: the median of those of the turns."""
    shares = {case: median(map(truediv, by[OURS], by[CONSTANT])) for case, by in measured.items() if CONSTANT in by}
    return [
        Bound(share >= SHARE_BOUND, f"{case.way}, {case.clients}: {share:.2f} of the peer, bound {SHARE_BOUND:g}")
        for case, share in shares.items()
    ]


def table(measured: Mapping[Case, Figures], bounds: list[Bound], rounds: int) -> Table:
    """Return the table."""
    shown = Table(title=f"create, read, close, delete an endpoint; no data plane; medians of {rounds} rounds")
    for column in ("way in, clients", "ours, calls/s", "constant answer, calls/s"):
        shown.add_column(column, justify="left" if "way" in column else "right")
    for case, by in measured.items():
        peer = f"{median(by[CONSTANT]):.0f}" if CONSTANT in by else ""
        shown.add_row(f"{case.way}, {case.clients}", f"{median(by[OURS]):.0f}", peer)
    add_bounds(shown, bounds)
    return shown


@contextmanager
def _both() -> Iterator[dict[str, Address]]:
    with served(OURS) as ours, served(CONSTANT) as constant:
        cycles.make_network(ours)
        yield {OURS: ours, CONSTANT: constant}
