"""The benchmark of policies still runs in small, and its bounds are judged as written. No times are asserted."""

from __future__ import annotations

import pytest

from ci.bench.policies import balancers, fleet, traffic


@pytest.mark.parametrize(
    ("changed", "met"),
    [
        ({}, [True, True, True, True]),
        ({"load": 2.1}, [False, True, True, True]),
        ({"memory": 201.0}, [True, False, True, True]),
        ({"one": 5.1}, [True, True, False, True]),
        ({"proxy": 5.1}, [True, True, True, False]),
    ],
)
def test_the_bounds_of_load_balancers(changed: dict[str, float], met: list[bool]) -> None:
    figures = {"load": 2.0, "nft load": 1.0, "memory": 200.0, "nft memory": 100.0, "one": 5.0, "proxy": 5.0}
    assert [bound for bound, _ in balancers.judge({**figures, **changed})] == met


def test_traffic_is_compared_turn_by_turn() -> None:
    plain = {"throughput": [100.0, 10.0, 100.0], "connections": [10.0, 10.0, 10.0]}
    loaded = {"throughput": [90.0, 9.0, 10.0], "connections": [10.0, 8.0, 8.0]}
    assert [bound for bound, _ in traffic.judge({traffic.PLAIN: plain, "loaded": loaded})] == [True, False]


def test_load_balancers_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("BALANCERS", 130), ("PODS", 4), ("SERVICES", 5), ("REMOTE", 12)):
        monkeypatch.setattr(balancers, name, few)
    measured = {**balancers.measure_all(), **balancers.measure_proxy()}
    assert all(measured[name] > 0 for name in ("load", "nft load", "nft memory", "calls", "first", "one", "proxy"))


def test_traffic_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LOADS", {traffic.PLAIN: traffic.Load(balancers=2)})
    measured = traffic.measure(1)
    assert all(value > 0 for (value,) in measured[traffic.PLAIN].values())


def test_a_fleet_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "NODES", 2)
    monkeypatch.setattr(fleet, "PODS", 2)
    assert all(taken > 0 for taken in fleet.measure())
