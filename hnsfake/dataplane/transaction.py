"""All or nothing: what a change has done so far, how to take it back, and what waits for its success."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import ParamSpec

P = ParamSpec("P")

log = logging.getLogger("hnsfake.dataplane")


class Transaction:
    """Whoever does a step says first how it is undone; what can't be undone is kept for the end.

    A context manager, used again and again, one change at a time: on an exception the steps are undone, the
    last one first; otherwise what was kept is done. Neither stops at a step that fails: it is logged.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self._finally: list[Callable[[], object]] = []

    def undo(self, action: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have ``action`` called should the change fail."""
        self._undo.append(partial(action, *args, **kwargs))

    def at_end(self, action: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have ``action`` called when all of the change has succeeded."""
        self._finally.append(partial(action, *args, **kwargs))

    def __enter__(self) -> None:
        self._undo, self._finally = [], []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        actions = self._finally if kind is None else self._undo[::-1]
        self._undo, self._finally = [], []
        for action in actions:
            try:
                action()
            except Exception:
                log.exception("ending a change that %s", "succeeded" if kind is None else "failed")
        self._undo, self._finally = [], []  # what undoing by doing left here
