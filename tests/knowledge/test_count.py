"""The table of how things are known: test functions by room and way."""

from __future__ import annotations

import pytest

from ci.coverage import knowledge
from suites import known

from .conftest import Tree

pytest_plugins = ["pytester"]

MODULE = """
import pytest

@pytest.mark.known("documentation", "a page")
@pytest.mark.parametrize("number", range(3))
def test_often(number):
    pass

@pytest.mark.known("inferred", "what follows from a page")
@pytest.mark.skipif("True", reason="not on this machine")
def test_not_here():
    pass

@pytest.mark.ours("our journal")
def test_of_ours():
    pass
"""


def test_functions_are_counted_once_however_often_they_run_and_whether_they_do(
    pytester: pytest.Pytester, tree: Tree
) -> None:
    tree({"tests/contract/test_a.py": MODULE, "tests/dataplane/vfp/test_b.py": MODULE, "tests/workload/test_c.py": ""})
    assert knowledge.collected(pytester.path) == {
        (room, way): {f"{room}{file}::{function}"}
        for room, file in (("tests/contract", "/test_a.py"), ("tests/dataplane", "/vfp/test_b.py"))
        for way, function in (("documentation", "test_often"), ("inferred", "test_not_here"), ("ours", "test_of_ours"))
    }


def test_tests_that_do_not_say_how_they_know_can_not_be_counted(pytester: pytest.Pytester, tree: Tree) -> None:
    tree({"suites/flows/test_a.py": MODULE.replace("ours", "nobodys")})
    with pytest.raises(SystemExit, match="can't be collected"):
        knowledge.collected(pytester.path)


def test_the_table_has_a_row_a_room_and_counts_what_a_real_machine_has_shown() -> None:
    functions = {
        ("suites", "documentation"): {"a", "b"},
        ("suites", "inferred"): {"c"},
        ("tests/contract", "ours"): {"d"},
        ("tests/frontends", "ours"): {"e"},
    }
    rows = [line for line in knowledge.table(functions, {"b", "c", "e"}).splitlines() if line.startswith("| `")]
    assert rows[:2] == ["| `suites` | 0 | 0 | 2 | 1 | 3 | 2 | 0 |", "| `tests/contract` | 0 | 0 | 0 | 0 | 0 | 0 | 1 |"]
    assert [row.split("`")[1] for row in rows] == [room for room, marks in known.ROOMS.items() if marks]
    assert "tests/frontends" not in "\n".join(rows)
