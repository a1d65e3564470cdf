"""Tables of objects that never change: a later one shares all with an earlier one but what differs.

A call's changes cost the same on a node with ten endpoints and with ten thousand, and whoever reads a table while
a call changes the state reads it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from immutables import Map

T = TypeVar("T")


class Table(Mapping[str, T]):
    """Objects by id, in the order of their creation: one that is replaced keeps its place."""

    __slots__ = ("_next", "_numbered")

    def __init__(self, numbered: Map[str, tuple[int, T]] | None = None, following: int = 0) -> None:
        self._numbered: Map[str, tuple[int, T]] = Map() if numbered is None else numbered
        self._next = following

    def __getitem__(self, object_id: str) -> T:
        return self._numbered[object_id][1]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._numbered, key=self._number))

    def __len__(self) -> int:
        return len(self._numbered)

    def with_(self, object_id: str, noun: T) -> Table[T]:
        """Return the table with one object more, or another in its place."""
        there = self._numbered.get(object_id)
        number = self._next if there is None else there[0]
        return Table(self._numbered.set(object_id, (number, noun)), self._next + (there is None))

    def without(self, object_id: str) -> Table[T]:
        """Return the table with one object less; raise KeyError."""
        return Table(self._numbered.delete(object_id), self._next)

    def in_order(self) -> list[T]:
        """Return the objects."""
        return [noun for _, noun in sorted(self._numbered.values(), key=_first)]

    def in_any_order(self) -> Iterator[T]:
        """Iterate over the objects where their order is nothing to the asker: it costs less."""
        return (noun for _, noun in self._numbered.values())

    def _number(self, object_id: str) -> int:
        return self._numbered[object_id][0]


def _first(pair: tuple[int, object]) -> int:
    return pair[0]
