"""Many clients at once: no call waits for ever, none is lost, and each is as if it had happened at one instant."""

from __future__ import annotations

import pytest

from tests.contract.clients import History, Interval, check_nothing_is_lost, work_together
from tests.contract.service import Bench

pytestmark = pytest.mark.ours("how our service takes many calls at once, and the checker of histories")

CLIENTS = 32
CALLS = 150


def test_many_clients_at_once_are_as_if_one_after_the_other() -> None:
    bench = Bench()
    networks = [
        bench.network("L2Bridge", "10.1.0.0/25", Name="one")["ID"],
        bench.network("Overlay", "10.2.0.0/25", Name="two")["ID"],
    ]
    opened = len(bench.service._handles)
    clients, history = work_together([bench.service.invoke] * CLIENTS, networks, CALLS)
    history.check()
    check_nothing_is_lost(bench.service.state, clients, history)
    assert len(bench.service._handles) == opened
    assert sum(client.calls for client in clients) >= CLIENTS * CALLS


def test_the_checker_refuses_what_cannot_have_been() -> None:
    history = History()
    history.events["a"] = [Interval(0, 1, "old"), Interval(2, 3, "new"), Interval(4, 5, "saw old")]
    error = ""
    try:
        history.check()
    except AssertionError as found:
        error = str(found)
    assert "saw old" in error
    history.events["a"] = [Interval(0, 1, "old"), Interval(2, 6, "new"), Interval(4, 5, "saw old")]
    history.check()
