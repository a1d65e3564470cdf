"""Two recordings side by side, and what is said of them."""

from __future__ import annotations

from typing import Any

from hnsfake.recording.compare import compare
from hnsfake.recording.known import Known, KnownDifferences
from hnsfake.recording.normal import Exchange
from hnsfake.recording.report import by_exchange, by_field


def asked(operation: str, output: Any = None, **call: Any) -> Exchange:
    """Return an exchange with an answer."""
    return Exchange({"operation": operation, **call}, {"hresult": "0x00000000", "output": output}, {})


def test_a_call_that_only_one_has_shifts_no_other() -> None:
    ours = [asked("A", 1), asked("B", 2), asked("C", 3)]
    theirs = [asked("A", 1), asked("C", 3), asked("D", 4)]
    found = compare(ours, theirs).differences
    assert [str(one) for one in found] == ["2 B: expected a call, seen nothing", "3 D: expected nothing, seen a call"]


def test_names_are_compared_by_what_they_stand_for() -> None:
    ours = [asked("A", {"ID": "<guid 1>"}), asked("B", ["<guid 1>"])]
    theirs = [asked("A", {"Extra": "<guid 1>", "ID": "<guid 2>"}), asked("B", ["<guid 2>"])]
    (found,) = compare(ours, theirs).differences
    assert (found.pointer, found.seen) == ("/output/Extra", '"<guid new 1>"')


def test_two_values_in_one_recording_are_not_one_in_the_other() -> None:
    ours = [asked("A", {"x": "<guid 1>", "y": "<guid 2>"})]
    theirs = [asked("A", {"x": "<guid 1>", "y": "<guid 1>"})]
    assert [one.pointer for one in compare(ours, theirs).differences] == ["/output/y"]
    assert [one.pointer for one in compare(theirs, ours).differences] == ["/output/y"]


def test_the_letter_case_of_an_id_counts() -> None:
    (found,) = compare([asked("A", "<guid 1>")], [asked("A", "<guid 1 lower>")]).differences
    assert (found.expected, found.seen) == ('"<guid 1>"', '"<guid 1 lower>"')


def test_the_order_of_members_does_not_count() -> None:
    assert compare([asked("A", {"x": 1, "y": 2})], [asked("A", {"y": 2, "x": 1})]).differences == []


def test_calls_that_differ_are_found_too() -> None:
    (found,) = compare([asked("A", document={"x": 1})], [asked("A", document={"x": 2})]).differences
    assert (found.pointer, found.expected, found.seen) == ("/call/document/x", "1", "2")


def test_true_is_not_one_and_one_is_not_a_float() -> None:
    ours, theirs = [asked("A", [True]), asked("B", {"x": [1]})], [asked("A", [1]), asked("B", {"x": [1.0]})]
    assert [one.pointer for one in compare(ours, theirs).differences] == ["/output/0", "/output/x/0"]


def test_an_item_more_in_a_list_makes_no_other_differ() -> None:
    ours, theirs = [asked("A", {"x": ["a", "b"]})], [asked("A", {"x": ["new", "a", "b"]})]
    (found,) = compare(ours, theirs).differences
    assert (found.pointer, found.expected, found.seen) == ("/output/x/0", "nothing", '"new"')


def test_a_pointer_is_escaped() -> None:
    (found,) = compare([asked("A", {"a/b~c": 1})], [asked("A", {"a/b~c": 2})]).differences
    assert found.pointer == "/output/a~1b~0c"


def test_fields_are_listed_by_operation_with_what_is_known() -> None:
    ours = [asked("A", {"l": [{"x": 1, "y": 1}]}), asked("A", {"l": [{"x": 1, "y": 2}]}), asked("B", 1)]
    theirs = [asked("A", {"l": [{"x": 2, "y": 1}]}), asked("A", {"l": [{"x": 3, "y": 4}]}), asked("B", 1)]
    known = KnownDifferences((Known(operation="A", pointer="/output/l/*/y", reason="as seen"),))
    assert list(by_field(compare(ours, theirs, known))) == [
        "A: 2 exchanges, 2 with differences",
        "  new    /output/l/*/x  2 times, first in exchange 1: expected 1, seen 2",
        "  known  /output/l/*/y  in exchange 2: expected 2, seen 4 (known: as seen)",
        "B: 1 exchange, no difference",
        "3 exchanges: 2 differences, 1 known",
    ]


def test_differences_are_listed_by_exchange_then_counted() -> None:
    known = KnownDifferences((Known(operation="B", pointer="/output", reason="as seen"),))
    comparison = compare([asked("A", 1), asked("B", 1)], [asked("A", 2), asked("B", 2)], known)
    counts = ["", "A: 1 exchange, 1 with differences", "B: 1 exchange, 0 with differences, 1 with known ones alone"]
    end = "2 exchanges: 1 difference, 1 known"
    assert list(by_exchange(comparison)) == ["1 A /output: expected 1, seen 2", *counts, end]
    assert "2 B /output: expected 1, seen 2 (known: as seen)" in by_exchange(comparison, with_known=True)


def test_a_long_value_is_shown_by_its_beginning() -> None:
    (found,) = compare([asked("A", "x" * 1000)], [asked("A", 1)]).differences
    assert len(found.expected) < 200
    assert found.expected.endswith("…")
