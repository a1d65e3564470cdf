"""Lookups decide as the rules do from which they were made, and are few."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hnsfake.dataplane.vfp.classifier import Box, Ruling, lookups

pytestmark = pytest.mark.ours("how our data plane looks ACLs up")

LAST = 5
Rule = Ruling[tuple[bool, ...], bool, int]

_ranges = st.none() | st.tuples(st.integers(0, LAST), st.integers(0, LAST)).map(lambda ends: (min(ends), max(ends)))
_boxes = st.tuples(_ranges, _ranges, _ranges)


def _rule(number: int, box: Box, verdict: bool) -> Rule:
    return Ruling(box, tuple(part is not None for part in box), verdict, number)


def _has(box: Box, point: tuple[int, ...]) -> bool:
    return all(part is None or part[0] <= value <= part[1] for part, value in zip(box, point, strict=True))


_rules = st.lists(st.tuples(_boxes, st.booleans()), max_size=12).map(
    lambda given: [_rule(number, box, verdict) for number, (box, verdict) in enumerate(given)]
)


@given(rules=_rules)
def test_the_first_lookup_that_holds_a_point_decides_as_the_first_rule(rules: list[Rule]) -> None:
    made = lookups(rules)
    for point in product(range(LAST + 1), repeat=3):
        expected = next((rule.verdict for rule in rules if _has(rule.box, point)), None)
        seen = next((one.verdict for one in made if any(_has(rule.box, point) for rule in one.rulings)), None)
        assert seen is expected


@given(rules=_rules)
def test_elements_of_a_lookup_are_of_one_kind_and_do_not_meet(rules: list[Rule]) -> None:
    for one in lookups(rules):
        assert {rule.kind for rule in one.rulings} == {one.kind}
        for a, b in combinations(one.rulings, 2):
            points = product(range(LAST + 1), repeat=3)
            assert not any(_has(a.box, point) and _has(b.box, point) for point in points)


def test_rules_that_do_not_meet_are_two_lookups_in_whatever_order() -> None:
    rules = [_rule(number, ((number, number), None, None), number % 2 == 0) for number in range(1000)]
    assert len(lookups(rules)) == 2


def test_an_exception_is_looked_up_before_its_rule() -> None:
    rules = [_rule(0, ((3, 3), None, None), False), _rule(1, ((0, 5), None, None), True)]
    assert [one.verdict for one in lookups(rules)] == [False, True]


def test_a_rule_inside_a_stronger_one_of_the_same_verdict_is_left_out() -> None:
    rules = [_rule(0, ((0, 5), None, None), True), _rule(1, ((3, 3), None, None), True)]
    assert [rule.name for one in lookups(rules) for rule in one.rulings] == [0]
