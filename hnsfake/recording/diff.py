"""What differs between two JSON values.

A library for it was tried (deepdiff): inside lists it takes ``true`` for 1 and 1 for 1.0, which here are differences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

ABSENT: Final = object()
"""Stands where one of the two has nothing."""

Row = tuple[str, Any, Any]
"""A JSON pointer (RFC 6901), and what is there in the one and in the other."""


def diff(expected: Any, seen: Any, pointer: str = "") -> Iterator[Row]:
    """Yield what differs, as deep inside as it can be said. The order of members doesn't count."""
    if isinstance(expected, dict) and isinstance(seen, dict):
        for key in dict.fromkeys((*expected, *seen)):
            place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from diff(expected.get(key, ABSENT), seen.get(key, ABSENT), place)
    elif isinstance(expected, list) and isinstance(seen, list):
        yield from _diff_lists(expected, seen, pointer)
    elif expected is ABSENT or seen is ABSENT or _text(expected) != _text(seen):
        yield pointer, expected, seen


def _diff_lists(expected: list[Any], seen: list[Any], pointer: str) -> Iterator[Row]:
    """Compare lists so that an item more or less makes no other differ; one only in ``seen`` has its place there."""
    matcher = SequenceMatcher(None, [_text(item) for item in expected], [_text(item) for item in seen], autojunk=False)
    for tag, first, last, other_first, other_last in matcher.get_opcodes():
        if tag == "equal":
            continue
        places = zip_longest(range(first, last), range(other_first, other_last))
        for at, other_at in places:
            one = ABSENT if at is None else expected[at]
            other = ABSENT if other_at is None else seen[other_at]
            yield from diff(one, other, f"{pointer}/{other_at if at is None else at}")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
