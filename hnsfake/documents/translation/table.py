"""A noun's two documents as one table: a row an attribute, with its members in v1 and in v2 and their codecs.

A codec that only reads or only shows says so by what it lacks. Where one attribute has several members, what is read
of them is added; where one member has several attributes, what they show is. The rows' order is that of v2's members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from hnsfake.documents.network import Network
from hnsfake.documents.schema import Document, UnknownFields
from hnsfake.documents.translation.form import is_new, ordered


class Kept(Protocol):
    """What the service keeps of every noun."""

    @property
    def version(self) -> int:
        """The release that made it, as a number."""


class Around(NamedTuple):
    """What a document shows besides the attribute itself: the object it is of, and what is around that."""

    of: Any
    new: bool = True
    network: Network | None = None
    endpoints: int = 0
    total_endpoints: int = 0
    detailed: bool = False


class Form(StrEnum):
    """A form of a document in which not every member is shown."""

    OLD = "up to HNS 12"
    NEW = "from HNS 13 on"
    BRIEF = "without details"
    DETAILED = "where details are asked for"


@dataclass(frozen=True)
class Codec:
    """How a value goes from a document's member to a noun's attribute and back.

    ``read`` raises HnsError; None: the member is taken, and has no effect. ``show`` gives None where the member is
    left out; where itself is None, the member isn't shown. ``whole``: it is shown of the noun itself. ``only`` names
    the one form that shows it. For a place of several members ``read`` takes, and ``show`` gives, a value for each.
    """

    name: str
    read: Callable[[Any], Any] | None = None
    show: Callable[[Any, Around], Any] | None = None
    whole: bool = False
    only: Form | None = None

    def only_read(self) -> Codec:
        """Return a codec that doesn't show."""
        return replace(self, show=None)

    def only_shown(self) -> Codec:
        """Return a codec that doesn't read."""
        return replace(self, read=None)

    def unless_empty(self) -> Codec:
        """Return a codec that leaves an empty member out."""
        show = self.show
        assert show is not None
        return replace(
            self,
            name=f"{self.name}, left out where empty",
            show=lambda value, around: show(value, around) or None,
        )

    def since_13(self) -> Codec:
        """Return a codec that shows the member in HNS 13 and later."""
        return replace(self, only=Form.NEW)

    def until_12(self) -> Codec:
        """Return a codec that shows the member in HNS 9 to 12."""
        return replace(self, only=Form.OLD)

    def in_detail(self) -> Codec:
        """Return a codec that shows the member where a query asked for details."""
        return replace(self, only=Form.DETAILED)


def as_is(value: Any, _: Around) -> Any:
    """Show a value as it is."""
    return value


class Place(NamedTuple):
    """Where an attribute is in a document: one member (a path with dots), or several; none is the document itself."""

    members: tuple[str, ...]
    codec: Codec


def at(members: str, codec: Codec) -> tuple[Place, ...]:
    """Return a place, to be added to others; several members are separated by spaces."""
    return (Place(tuple(members.split()), codec),)


@dataclass(frozen=True)
class Row:
    """An attribute of a noun (empty: something that isn't kept of it), and where it is in v1's and in v2's document.

    ``lost`` says why something doesn't come back by way of the other face.
    """

    attribute: str
    v1: tuple[Place, ...] = ()
    v2: tuple[Place, ...] = ()
    lost: str = ""
    source: str = ""


_READ_ORDER = {"id": -2, "network_id": -2, "namespace_id": -2, "mac": -1, "policies": 1}
"""What is read before or after the rest, which is read in the order of the rows.  # unverified: HNS's own order"""

N = TypeVar("N")
_Get = Callable[[Any], Any]
_Show = Callable[[Any, Around], Any]
_Put = Callable[[dict[str, Any], Any], None]


class Table(Generic[N]):
    """All rows of a noun, or of a part of one, made ready to read and show documents.

    ``name`` and ``inside``, where the members of a part are in v1's and v2's whole documents, are for readers.
    """

    def __init__(
        self,
        name: str,
        noun: type[N],
        rows: Sequence[Row],
        *,
        v1: type[Document] | None = None,
        v2: type[Document] | None = None,
        inside: tuple[str, str] = ("", ""),
        order: Sequence[str] = (),
        source: str = "",
    ) -> None:
        self.name, self.rows, self.inside, self.source = name, rows, inside, source
        self.documents = (v1, v2)
        self._noun = noun
        self._order = order
        in_v1 = [(one.attribute, place) for one in rows for place in one.v1]
        in_v2 = [(one.attribute, place) for one in rows for place in one.v2]
        self._reads_v1, self._reads_v2 = _reads(in_v1), _reads(in_v2)
        self._shows = {
            **{form: list(_shows(in_v1, form)) for form in (Form.OLD, Form.NEW)},
            **{form: list(_shows(in_v2, form)) for form in (Form.BRIEF, Form.DETAILED)},
        }

    def parse(self, document: Mapping[str, Any], unknown: UnknownFields) -> Document:
        """Read a JSON object of either shape: one with SchemaVersion is v2 (hcn/hcnv1schema_test.go).

        Raises InvalidDocumentError.
        """
        v1, v2 = self.documents
        model = v2 if any(key.lower() == "schemaversion" for key in document) else v1
        assert model is not None
        return model.read(document, unknown)

    def read(self, document: Document) -> N:
        """Return the noun of a parsed document of either shape; raise HnsError."""
        return self._noun(**self.attributes(document))

    def attributes(self, document: Document) -> dict[str, Any]:
        """Return what a parsed document of either shape says of the noun."""
        values: dict[str, Any] = {}
        v2 = self.documents[1]
        for attribute, get, read in self._reads_v2 if v2 and isinstance(document, v2) else self._reads_v1:
            value = read(get(document))
            values[attribute] = values[attribute] + value if attribute in values else value
        return values

    def v1(self, noun: Any, around: Around) -> dict[str, Any]:
        """Return v1's document of the noun, its members in the order of the release."""
        return ordered(self.in_v1(noun, around), around.new, self._order)

    def in_v1(self, noun: Any, around: Around) -> dict[str, Any]:
        """Return the members that a part has among those of v1's whole document, in no order."""
        return _shown(self._shows[Form.NEW if around.new else Form.OLD], noun, around)

    def v2(self, noun: Any, around: Around) -> dict[str, Any]:
        """Return v2's document of the noun."""
        return _shown(self._shows[Form.DETAILED if around.detailed else Form.BRIEF], noun, around)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def about(noun: Kept, network: Network | None = None, **more: Any) -> Around:
    """Return what is around an object."""
    return Around(noun, is_new(noun.version), network, **more)


def _itself(value: Any) -> Any:
    return value


def _reads(places: list[tuple[str, Place]]) -> list[tuple[str, _Get, Callable[[Any], Any]]]:
    """Return what is read, in order: of a document with two faults the first is told."""
    reads = [
        (attribute, attrgetter(*members) if members else _itself, codec.read)
        for attribute, (members, codec) in places
        if codec.read is not None
    ]
    return sorted(reads, key=lambda read: _READ_ORDER.get(read[0], 0))


def _shows(places: list[tuple[str, Place]], form: Form) -> Iterator[tuple[str, _Get, _Show | None, _Put | None]]:
    """Yield, of each place: its member, how to get the attribute, how to show it, how to put it where not simply there.

    What is None needs nothing done: documents are shown often.
    """
    shown = [(name, place) for name, place in places if place.codec.show and place.codec.only in (None, form)]
    uses = Counter(member for _, place in shown for member in place.members)
    for attribute, (members, codec) in shown:
        get = attrgetter(attribute) if attribute and not codec.whole else _itself
        simple = len(members) == 1 and uses[members[0]] == 1 and "." not in members[0]
        paths = [(member.split(".")[:-1], member.split(".")[-1]) for member in members]
        yield (
            "".join(members),
            get,
            None if codec.show is as_is else codec.show,
            None if simple else partial(_put, paths),
        )


def _shown(shows: list[tuple[str, _Get, _Show | None, _Put | None]], noun: Any, around: Around) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for member, get, show, put in shows:
        value = get(noun)
        if show is not None:
            value = show(value, around)
        if value is None:
            continue
        if put is None:
            document[member] = value
        else:
            put(document, value)
    return document


def _put(paths: list[tuple[list[str], str]], document: dict[str, Any], value: Any) -> None:
    """Put a value, or one for each member, or with no member a whole document, into a document."""
    if not paths:
        document.update(value)
    for (outer, name), part in zip(paths, value if len(paths) > 1 else (value,), strict=False):
        target = document
        for step in outer:
            target = target.setdefault(step, {})
        if part is not None:
            target[name] = target[name] + part if name in target else part
