"""Which drivers a test is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


def on(*drivers: str) -> Callable[[Test], Test]:
    """Run a test of a topology on these drivers only."""

    def mark(test: Test) -> Test:
        test.drivers = drivers  # type: ignore[attr-defined]
        return test

    return mark
