"""Rules in order of strength, as few lookups: sets of what decides alike, which need no order among themselves.

A rule matches boxes: a range in each dimension of a flow. Where boxes of opposite verdicts meet, the stronger rule's
must be looked up first, so it gets a lower level; at one level nothing contradicts, and each kind of box (which
dimensions it names) is one set. A thousand rules for a thousand addresses are two sets, whatever their order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

Range = tuple[int, int]
"""First and last value."""
Box = tuple[Range | None, ...]
"""A range a dimension; None is any value."""
ANY: Range = (0, 1 << 128)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Ruling(Generic[K, V, N]):
    """What a rule says of a box: a verdict, and the name under which it is known. Sets are of one ``kind``."""

    box: Box
    kind: K
    verdict: V
    name: N


@dataclass(frozen=True, slots=True)
class Lookup(Generic[K, V, N]):
    """Rulings of one kind and verdict, none of whose boxes meet."""

    kind: K
    verdict: V
    rulings: tuple[Ruling[K, V, N], ...]


def lookups(rulings: Sequence[Ruling[K, V, N]]) -> list[Lookup[K, V, N]]:
    """Return the lookups, in order, that decide as ``rulings`` do, the strongest first."""
    meetings = list(_meetings([ruling.box for ruling in rulings]))
    levels = _levels(rulings, meetings)
    redundant = {
        later
        for earlier, later in meetings
        if rulings[earlier].verdict == rulings[later].verdict and _holds(rulings[earlier].box, rulings[later].box)
    }
    rivals: dict[int, list[int]] = {}
    for earlier, later in meetings:
        rivals.setdefault(later, []).append(earlier)
    ranks: dict[int, int] = {}
    kept = [number for number in range(len(rulings)) if number not in redundant]
    keys = {number: (levels[number], rulings[number].kind, rulings[number].verdict) for number in kept}
    for number in kept:
        # Sets take no elements that meet: the later one goes into another set.
        taken = {ranks[rival] for rival in rivals.get(number, ()) if keys.get(rival) == keys[number]}
        ranks[number] = next(rank for rank in range(len(rulings)) if rank not in taken)
    order = sorted(kept, key=lambda number: (levels[number], repr(keys[number]), ranks[number]))
    grouped = groupby(order, key=lambda number: (keys[number], ranks[number]))
    return [
        Lookup(kind, verdict, tuple(rulings[number] for number in numbers))
        for ((_, kind, verdict), _), numbers in grouped
    ]


def _levels(rulings: Sequence[Ruling[K, V, N]], meetings: Iterable[tuple[int, int]]) -> list[int]:
    """Return each ruling's level: one more than those of the stronger rulings that contradict it."""
    levels = [0] * len(rulings)
    # By the later one: its predecessors are done then.
    for earlier, later in sorted(meetings, key=lambda meeting: meeting[1]):
        if rulings[earlier].verdict != rulings[later].verdict:
            levels[later] = max(levels[later], levels[earlier] + 1)
    return levels


def _meetings(boxes: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of boxes that have a point in common, the earlier one first."""
    if not boxes:
        return
    sweep = max(range(len(boxes[0])), key=lambda dimension: len({box[dimension] for box in boxes}))
    order = sorted(range(len(boxes)), key=lambda number: (boxes[number][sweep] or ANY)[0])
    open_: list[int] = []
    for number in order:
        box = boxes[number]
        first = (box[sweep] or ANY)[0]
        open_ = [other for other in open_ if (boxes[other][sweep] or ANY)[1] >= first]
        for other in open_:
            if _meet(boxes[other], box):
                yield (other, number) if other < number else (number, other)
        open_.append(number)


def _meet(one: Box, other: Box) -> bool:
    return all(a is None or b is None or (a[0] <= b[1] and b[0] <= a[1]) for a, b in zip(one, other, strict=True))


def _holds(outer: Box, inner: Box) -> bool:
    """Whether all of ``inner`` is in ``outer``."""
    return all(
        a is None or (b is not None and a[0] <= b[0] and b[1] <= a[1]) for a, b in zip(outer, inner, strict=True)
    )
