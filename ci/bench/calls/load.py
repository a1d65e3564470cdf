"""Clients that run their cycles at once, and how many calls a second that makes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from time import perf_counter

from ci.bench.calls.cycles import Cycle

SECONDS = 0.25
"""How long a lane runs at a time: shorter than the machine's moods last."""


def calls_a_second(client: Callable[[int], AbstractContextManager[Cycle]], clients: int) -> float:
    """Run as many clients at once, each with a number of its own; raise BenchError where a call fails."""
    with ExitStack() as stack, ThreadPoolExecutor(clients) as threads:
        cycles = [stack.enter_context(client(number)) for number in range(clients)]
        begun = perf_counter()
        calls = sum(threads.map(lambda cycle: _repeat(cycle, begun + SECONDS), cycles))
        return calls / (perf_counter() - begun)


def _repeat(cycle: Cycle, until: float) -> int:
    calls = cycle()
    while perf_counter() < until:
        calls += cycle()
    return calls
