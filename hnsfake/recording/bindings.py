"""Which names of one recording stand for which of another.

Two runs number what they see in the order in which they see it, so that one id more in one answer shifts all numbers
after it. What must be the same is which names stand for the same value: each pair of names that first meet at the
same place of both is bound, and from then on one must stand wherever the other does.
"""

from __future__ import annotations

from typing import Any

from hnsfake.recording.names import Name, Reference, names_in, replace_names


class Bindings:
    """Pairs of references, of the expected and of the seen run."""

    def __init__(self) -> None:
        self._seen: dict[Reference, Reference] = {}
        self._expected: dict[Reference, Reference] = {}

    def seen(self, expected: Reference) -> Reference | None:
        """Return what stands in the seen run for an expected reference."""
        return self._seen.get(expected)

    def bind(self, expected: Any, seen: Any) -> None:
        """Bind the free names that stand at the same places of two values."""
        if isinstance(expected, str) and isinstance(seen, str):
            self._bind_text(expected, seen)
        elif isinstance(expected, dict) and isinstance(seen, dict):
            for key in expected:
                self.bind(expected[key], seen.get(key))
        elif isinstance(expected, list) and isinstance(seen, list):
            for pair in zip(expected, seen, strict=False):
                self.bind(*pair)

    def translate(self, seen: Any) -> Any:
        """Return a value of the seen run in the expected run's names."""
        if isinstance(seen, str):
            return replace_names(seen, self._translated)
        if isinstance(seen, dict):
            return {key: self.translate(value) for key, value in seen.items()}
        if isinstance(seen, list):
            return [self.translate(value) for value in seen]
        return seen

    def _bind_text(self, expected: str, seen: str) -> None:
        if _skeleton(expected) != _skeleton(seen):
            return
        for one, other in zip(names_in(expected), names_in(seen), strict=True):
            self._bind_references(one.reference, other.reference)
            if one.within is not None and other.within is not None:
                self._bind_references(one.within, other.within)

    def _bind_references(self, expected: Reference, seen: Reference) -> None:
        if expected not in self._seen and seen not in self._expected:
            self._seen[expected] = seen
            self._expected[seen] = expected

    def _translated(self, name: Name) -> str:
        place = "" if name.within is None else f" in {self._number(name.within)}"
        spelling = f" {name.spelling}" if name.spelling else ""
        return f"<{name.reference.kind} {self._number(name.reference)}{place}{spelling}>"

    def _number(self, seen: Reference) -> str:
        expected = self._expected.get(seen)
        return f"new {seen.number}" if expected is None else str(expected.number)


def _skeleton(text: str) -> str:
    """Return a text with kinds alone in the place of names."""
    return replace_names(text, lambda name: f"<{name.reference.kind}>")
