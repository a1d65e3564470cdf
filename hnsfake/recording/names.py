"""Names that stand for values: in a recording counts which values are the same, not what they are.

A name says the kind of the value, its number in the order of first sight, the subnet or block of MACs that it lies
in (the number of that one's first value), and how it was spelled: ``<guid 3>``, ``<guid 3 lower>``,
``<address 4 in 1>``, ``<mac 2 in 1 colon lower>``, ``<handle 1>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from hnsfake.documents.macs import to_number
from hnsfake.recording.notations import ADDRESS, MAC, NOTATIONS, Found, find

HANDLE, COMPARTMENT, PORT, CLIENT = "handle", "compartment", "port", "client"

NUMBERS = (HANDLE, COMPARTMENT, PORT)
"""Kinds whose values are numbers."""

_NUMBER = re.compile(r"-?[0-9]{1,40}")
_GIVEN_AGAIN = (MAC, ADDRESS, COMPARTMENT, PORT)

_NAME = re.compile(
    r"<(?P<kind>guid|mac|address|handle|compartment|port|client) (?P<number>[1-9][0-9]{0,8})"
    r"(?: in (?P<within>[1-9][0-9]{0,8}))?(?P<spelling>(?: (?:lower|mixed|upper|long|colon))*)>"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a name refers to: the value of a kind that was the ``number``th to be seen."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in a text."""

    reference: Reference
    within: Reference | None = None
    spelling: str = ""

    def __str__(self) -> str:
        place = "" if self.within is None else f" in {self.within.number}"
        return f"<{self.reference}{place}{' ' if self.spelling else ''}{self.spelling}>"


def replace_names(text: str, with_text: Callable[[Name], str]) -> str:
    """Put texts in the place of the names in a text."""
    return _NAME.sub(lambda match: with_text(_read(match)), text)


def names_in(text: str) -> list[Name]:
    """Return the names in a text, from left to right."""
    return [_read(match) for match in _NAME.finditer(text)]


def read_name(text: str) -> Name | None:
    """Read a text that is one name; None for any other."""
    match = _NAME.fullmatch(text)
    return None if match is None else _read(match)


def read_reference(text: str) -> Reference | None:
    """Read a reference as it is written among given values ("guid 3"); None for any other text."""
    name = read_name(f"<{text}>")
    return name.reference if name is not None and str(name.reference) == text else None


def _read(match: re.Match[str]) -> Name:
    kind, within = match["kind"], match["within"]
    place = None if within is None else Reference(kind, int(within))
    return Name(Reference(kind, int(match["number"])), place, match["spelling"].strip())


@dataclass(frozen=True, slots=True)
class _Range:
    """Values of one kind that lie side by side: a subnet, or a block of MACs."""

    first: tuple[str, int]
    last: tuple[str, int]
    reference: Reference

    def holds(self, place: tuple[str, int]) -> bool:
        return self.first <= place <= self.last

    @property
    def size(self) -> int:
        return self.last[1] - self.first[1]


class Names:
    """The names of one run, given in the order of first sight. Not thread safe.

    What the service gives an object it may give another once that is deleted, by chance and not in every run. So a
    deleted object's MACs, addresses and numbers are forgotten, and have new names where they are met again.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], Name] = {}
        self._values: dict[Reference, str] = {}
        self._order: list[Reference] = []
        self._counts: dict[str, int] = {}
        self._ranges: set[_Range] = set()
        self._owner = ""
        self._owned: dict[str, list[Reference]] = {}
        self._parents: dict[str, str] = {}

    def name(self, kind: str, value: str, spelling: str = "") -> Name:
        """Return the name of a value, which is new where it hasn't been seen."""
        known = self._names.get((kind, value))
        if known is None:
            known = self._add(kind, value)
        return Name(known.reference, known.within, spelling)

    def name_of(self, found: Found) -> str:
        """Return the name of a value that was found in a text; a prefix makes its subnet known."""
        name = self.name(found.kind, found.value, found.spelling)
        if found.kind == ADDRESS and found.length is not None:
            self._add_subnet(found.value, found.length, name.reference)
        return str(name)

    def add_block(self, first: str, last: str) -> None:
        """Make a block of MACs known, by its ends."""
        self._ranges.add(_Range(_place(MAC, first), _place(MAC, last), self.name(MAC, first).reference))

    @contextmanager
    def showing(self, owner: str, parent: str = "") -> Iterator[None]:
        """Take what is seen first in the meantime as the object's, which goes with its parent."""
        self._owner, self._parents[owner] = owner, parent
        try:
            yield
        finally:
            self._owner = ""

    def forget(self, owner: str) -> None:
        """Forget which names a deleted object's values had, and those of the objects that went with it."""
        gone = {owner, *(child for child, parent in self._parents.items() if parent == owner)}
        forgotten = {reference for one in gone for reference in self._owned.pop(one, ())}
        for reference in forgotten:
            del self._names[reference.kind, self._values[reference]]
        self._ranges = {one for one in self._ranges if one.reference not in forgotten}

    def value(self, reference: Reference) -> str:
        """Return the value that has a name; raise KeyError."""
        return self._values[reference]

    def __len__(self) -> int:
        return len(self._order)

    def since(self, count: int) -> dict[str, str]:
        """Return what was named after the first ``count`` names: references and their values.

        A value that lies in a known range is told by its distance from the first there ("address 1 + 9"): who chose
        it looked at the range, and would choose another where that is another.
        """
        return {str(reference): self._told(reference) for reference in self._order[count:]}

    def _told(self, reference: Reference) -> str:
        value = self._values[reference]
        within = self._names[reference.kind, value].within
        if within is None:
            return value
        return f"{within} + {_place(reference.kind, value)[1] - _place(reference.kind, self._values[within])[1]}"

    def _add(self, kind: str, value: str) -> Name:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        reference = Reference(kind, self._counts[kind])
        name = self._names[kind, value] = Name(reference, self._range_of(kind, value))
        self._values[reference] = value
        self._order.append(reference)
        if self._owner and kind in _GIVEN_AGAIN:
            self._owned.setdefault(self._owner, []).append(reference)
        return name

    def _range_of(self, kind: str, value: str) -> Reference | None:
        """Return the smallest range that holds a value."""
        if kind not in (MAC, ADDRESS):
            return None
        place = _place(kind, value)
        holding = [one for one in self._ranges if one.reference.kind == kind and one.holds(place)]
        return min(holding, key=lambda one: (one.size, one.reference.number)).reference if holding else None

    def _add_subnet(self, address: str, length: int, reference: Reference) -> None:
        try:
            subnet = ip_network(f"{address}/{length}")
        except ValueError:
            return  # an address with the length of its prefix
        if subnet.num_addresses > 1:
            first, last = _place(ADDRESS, str(subnet[0])), _place(ADDRESS, str(subnet[-1]))
            self._ranges.add(_Range(first, last, reference))


def read_distance(text: str) -> tuple[Reference, int] | None:
    """Read a value that is told by its distance from another ("address 1 + 9"); None for any other text."""
    base, plus, distance = text.partition(" + ")
    reference = read_reference(base)
    return (reference, int(distance)) if plus and reference is not None and _is_number(distance) else None


def is_value(kind: str, text: str) -> bool:
    """Whether a text is a value of a kind."""
    if kind in NUMBERS:
        return _is_number(text)
    return kind not in NOTATIONS or [(found.kind, found.value) for found in find(text)] == [(kind, text)]


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _place(kind: str, value: str) -> tuple[str, int]:
    """Return where a value stands among those of its family."""
    if kind == MAC:
        return MAC, to_number(value)
    address = ip_address(value)
    return f"IPv{address.version}", int(address)
