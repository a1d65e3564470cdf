"""What a comparison found, in words: a line a difference, or a line a field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from hnsfake.recording.compare import Comparison, Difference


def by_exchange(comparison: Comparison, with_known: bool = False) -> Iterator[str]:
    """Yield a line for each difference, then a line for each operation, and the end."""
    for difference in comparison.differences:
        if difference.known is None:
            yield str(difference)
        elif with_known:
            yield f"{difference} (known: {difference.known.reason})"
    if comparison.differences:
        yield ""
    for operation, count in sorted(comparison.exchanges.items()):
        yield f"{operation}: {_counted(count, 'exchange')}{_share(comparison, operation)}"
    yield from _end(comparison)


def by_field(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each operation and each of its fields that differs, with the first example; then the end."""
    fields: dict[str, dict[str, list[Difference]]] = defaultdict(lambda: defaultdict(list))
    for difference in comparison.differences:
        fields[difference.operation][difference.field].append(difference)
    for operation, count in sorted(comparison.exchanges.items()):
        yield f"{operation}: {_counted(count, 'exchange')}{_share(comparison, operation)}"
        for field, found in sorted(fields[operation].items()):
            yield f"  {_status(found)}  {field or '(the call)'}  {_example(found)}"
    yield from _end(comparison)


def _status(found: list[Difference]) -> str:
    return "known" if all(difference.known for difference in found) else "new  "


def _example(found: list[Difference]) -> str:
    first = next((difference for difference in found if difference.known is None), found[0])
    times = f"{len(found)} times, first in exchange" if len(found) > 1 else "in exchange"
    reason = f" (known: {first.known.reason})" if first.known else ""
    return f"{times} {first.exchange}: expected {first.expected}, seen {first.seen}{reason}"


def _share(comparison: Comparison, operation: str) -> str:
    """Return how many of an operation's exchanges differ."""
    of_it = [difference for difference in comparison.differences if difference.operation == operation]
    differing = {difference.exchange for difference in of_it}
    new = {difference.exchange for difference in of_it if difference.known is None}
    if not differing:
        return ", no difference"
    known = len(differing) - len(new)
    return f", {len(new)} with differences" + (f", {known} with known ones alone" if known else "")


def _end(comparison: Comparison) -> Iterator[str]:
    for entry in comparison.unmet:
        yield f"known and not met: {entry.operation} {entry.pointer} ({entry.reason})"
    new = len(comparison.new)
    known = len(comparison.differences) - new
    total = sum(comparison.exchanges.values())
    yield f"{_counted(total, 'exchange')}: {_counted(new, 'difference')}{f', {known} known' if known else ''}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
