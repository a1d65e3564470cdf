"""The benchmark's ways in still work on both servers, and its bounds are judged as written. No times are asserted."""

from __future__ import annotations

import pytest

from ci.bench.calls import cycles, scale, ways
from ci.bench.calls.servers import CONSTANT, OURS, served
from ci.bench.verdict import BenchError


@pytest.mark.parametrize("server", [OURS, CONSTANT])
@pytest.mark.parametrize("way", ways.WAYS)
def test_a_way_in_creates_reads_and_deletes_an_endpoint_again_and_again(way: str, server: str) -> None:
    with served(server) as address:
        cycles.make_network(address)
        with ways.WAYS[way](address, 0) as cycle:
            assert cycle() == cycle() > 0


def test_a_call_that_fails_ends_the_measurement() -> None:
    with (
        served(OURS) as address,
        pytest.raises(BenchError, match=r"a call failed: .*network was not found"),
        cycles.by_http_v2(address, 0),
    ):
        pass  # there is no network


@pytest.mark.parametrize(("ours", "met"), [(50.0, True), (49.0, False)])
def test_the_bound_of_a_way_in(ours: float, met: bool) -> None:
    measured: dict[ways.Case, ways.Figures] = {
        ways.Case("HTTP", 1): {OURS: [ours, 0.0, 100.0], CONSTANT: [100.0, 100.0, 100.0]},
        ways.Case(ways.IN_PROCESS, 1): {OURS: [1.0]},
    }
    assert [bound for bound, _ in ways.judge(measured)] == [met]


@pytest.mark.parametrize(("many", "met"), [(1.2, True), (1.3, False)])
def test_the_bound_of_a_create_among_many(many: float, met: bool) -> None:
    assert [bound for bound, _ in scale.judge({"few": 1.0, "many": many})] == [met]
