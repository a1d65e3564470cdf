"""The benchmark's lanes still run, and its bounds are judged as written. No times are asserted."""

from __future__ import annotations

import pytest

from ci.bench.endpoints.judged import judge
from ci.bench.endpoints.lanes import BRIDGE_CNI, FLOOR, OURS, Lane
from ci.bench.verdict import BenchError


@pytest.mark.parametrize(
    ("lane", "figures"),
    [(FLOOR, {"create", "delete"}), (OURS, {"lab", "create", "delete", "empty", "full"})],
    ids=lambda value: value.module if isinstance(value, Lane) else "",
)
def test_a_lane_runs(lane: Lane, figures: set[str]) -> None:
    measured = lane.run(3)
    assert measured.keys() == figures
    assert all(value > 0 for value in measured.values())


def test_a_lane_that_fails_says_why() -> None:
    with pytest.raises(BenchError, match="No module named"):
        Lane("wanting", "no such lane").run(1)


@pytest.mark.parametrize(
    ("create", "delete", "met"), [(200, 200, [True, True]), (201, 100, [False, True]), (200, 201, [True, False])]
)
def test_bounds(create: float, delete: float, met: list[bool]) -> None:
    runs = {
        FLOOR: [{"create": 100.0, "delete": 50.0}],
        BRIDGE_CNI: [{"create": 1000.0, "delete": 1000.0}],
        OURS: [{"create": create, "delete": delete}],
    }
    assert [bound for bound, _ in judge(runs)] == met


def test_a_lane_is_compared_with_the_one_of_its_turn() -> None:
    slow, quick = {"create": 300.0, "delete": 50.0}, {"create": 100.0, "delete": 50.0}
    runs = {FLOOR: [slow, quick, quick], BRIDGE_CNI: [slow], OURS: [slow, slow, quick]}
    assert judge(runs)[0].text == "create 1.00x (a), bound 2x"
