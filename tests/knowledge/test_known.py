"""The rule: a test about Windows says how its expectation is known, or collection fails and says which does not."""

from __future__ import annotations

import pytest

from .conftest import Tree

pytest_plugins = ["pytester"]

COLLECT = ("--collect-only", "-q")
KNOWN = '@pytest.mark.known("documentation", "a page")'
OURS = '@pytest.mark.ours("our journal")'


def module(*marks: str, all_of_it: str = "") -> str:
    """Return a module with one test of these marks."""
    return "\n".join(("import pytest", all_of_it, *marks, "def test_it():", "    pass", ""))


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("suites/flows", module(KNOWN)),
        ("tests/contract", module(KNOWN)),
        ("tests/contract/model", module(OURS)),
        ("tests/dataplane", module(all_of_it=f"pytestmark = {OURS[1:]}")),
        ("tests/clients", module('@pytest.mark.known("inferred", "what follows from a page")')),
        ("tests/frontends", module()),
    ],
    ids=lambda value: "" if "\n" in value else value,
)
def test_one_mark_is_enough_and_a_room_of_our_own_tools_needs_none(
    pytester: pytest.Pytester, tree: Tree, room: str, text: str
) -> None:
    tree({f"{room}/test_a.py": text})
    pytester.runpytest_inprocess(*COLLECT, "suites", "tests").stdout.fnmatch_lines([f"{room}/test_a.py::test_it"])


@pytest.mark.parametrize(
    ("room", "text", "says"),
    [
        ("tests/contract", module(), "*needs exactly one mark, known(*) or ours(*); has none"),
        ("tests/contract", module(KNOWN, OURS), "*needs exactly one mark*; has known(*) and ours(*)"),
        ("tests/contract", module(KNOWN, KNOWN), "*needs exactly one mark*; has known(*) and known(*)"),
        ("tests/contract", module(KNOWN, all_of_it=f"pytestmark = {OURS[1:]}"), "*needs exactly one mark*"),
        ("tests/contract", module(KNOWN, all_of_it=f"pytestmark = {KNOWN[1:]}"), "*needs exactly one mark*"),
        ("suites/contract", module(), "*needs exactly one mark, known(*); has none"),
        ("suites/contract", module(OURS), "*needs exactly one mark, known(*); has ours(*)"),
        ("tests/frontends", module(KNOWN), "*needs exactly one mark, none here; has known(*)"),
        (
            "tests/dataplane",
            module('@pytest.mark.known("hearsay", "a page")'),
            "*known by 'hearsay', which is none of*",
        ),
        ("tests/dataplane", module('@pytest.mark.known("inferred", " ")'), "*known needs a way and a source*"),
        ("tests/dataplane", module('@pytest.mark.known("inferred")'), "*known needs a way and a source*"),
        ("tests/clients", module('@pytest.mark.ours("")'), "*ours needs a reason*"),
        ("tests/clients", module("@pytest.mark.ours()"), "*ours needs a reason*"),
        ("tests/cellar", module(KNOWN), "*tests/cellar is none of the rooms*"),
    ],
    ids=lambda value: "" if "\n" in value else value,
)
def test_what_does_not_say_it_once_and_well_is_named_in_one_line(
    pytester: pytest.Pytester, tree: Tree, room: str, text: str, says: str
) -> None:
    tree({f"{room}/test_a.py": text})
    done = pytester.runpytest_inprocess(*COLLECT, "suites", "tests")
    assert done.ret is pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, done.errlines)
    assert line.startswith(f"ERROR: {room}/test_a.py::test_it: ")
    done.stderr.fnmatch_lines([says])


def test_every_test_that_does_not_say_it_is_named_once(pytester: pytest.Pytester, tree: Tree) -> None:
    often = module('@pytest.mark.parametrize("number", range(3))').replace("test_it()", "test_it(number)")
    tree({"tests/contract/test_a.py": often, "tests/dataplane/test_b.py": module()})
    done = pytester.runpytest_inprocess(*COLLECT, "tests")
    named = [line.split(": ")[1] for line in done.errlines if line]
    assert named == ["tests/contract/test_a.py::test_it", "tests/dataplane/test_b.py::test_it"]


def test_processes_that_share_the_work_stop_with_such_a_line(pytester: pytest.Pytester, tree: Tree) -> None:
    tree({"tests/contract/test_a.py": module(), "tests/dataplane/test_b.py": module()})
    done = pytester.runpytest_inprocess("-p", "xdist", "-n", "1", "tests")
    assert done.ret is pytest.ExitCode.INTERRUPTED
    done.stdout.fnmatch_lines(["*tests/contract/test_a.py::test_it: needs exactly one mark*(1 more)*"])


def test_suites_do_without_tests(pytester: pytest.Pytester, tree: Tree) -> None:
    tree({"suites/flows/test_a.py": module()})
    (pytester.path / "tests/conftest.py").unlink()
    assert pytester.runpytest_inprocess(*COLLECT, "suites").ret is pytest.ExitCode.USAGE_ERROR
