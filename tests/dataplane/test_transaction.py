"""Steps are undone last first; what can't be undone waits for the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hnsfake.dataplane.transaction import Transaction

pytestmark = pytest.mark.ours("how our data plane takes back what failed")


class StepError(Exception):
    pass


def fail(transaction: Transaction, *undo: Callable[[], object]) -> None:
    with transaction:
        for action in undo:
            transaction.undo(action)
        raise StepError


def change(transaction: Transaction, done: list[str], *, fails: bool) -> None:
    with transaction:
        for step in ("a", "b"):
            transaction.undo(done.append, f"undo {step}")
            transaction.at_end(done.append, f"end {step}")
            done.append(step)
        if fails:
            raise StepError


def test_success_does_what_waited_and_undoes_nothing() -> None:
    done: list[str] = []
    change(Transaction(), done, fails=False)
    assert done == ["a", "b", "end a", "end b"]


def test_failure_undoes_the_last_step_first() -> None:
    done: list[str] = []
    with pytest.raises(StepError):
        change(Transaction(), done, fails=True)
    assert done == ["a", "b", "undo b", "undo a"]


def test_one_change_is_nothing_to_the_next() -> None:
    done: list[str] = []
    transaction = Transaction()
    change(transaction, done, fails=False)
    done.clear()
    with pytest.raises(StepError):
        fail(transaction)
    assert not done


def test_an_undo_that_fails_is_logged_and_the_others_are_done(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def broken() -> None:
        raise LookupError("on purpose")

    with pytest.raises(StepError):
        fail(Transaction(), lambda: done.append("first"), broken)
    assert done == ["first"]
    assert "on purpose" in caplog.text


def test_undoing_by_doing_leaves_nothing_to_undo() -> None:
    done: list[str] = []
    transaction = Transaction()
    with pytest.raises(StepError):
        fail(transaction, lambda: transaction.undo(done.append, "never"))
    with pytest.raises(StepError):
        fail(transaction)
    assert not done
