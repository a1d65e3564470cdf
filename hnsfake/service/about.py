"""What a call is about, as far as can be told before it is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from hnsfake.documents.errors import HnsError
from hnsfake.documents.text import read_optional_object
from hnsfake.service.call import Call
from hnsfake.service.handles import Handles
from hnsfake.service.state import State

_NAMING = ("id", "name")


def operations(call: Call) -> tuple[str, ...]:
    """Return the names of the operation: the function's, and for a v1 call also its method and path."""
    if not call.method:
        return (call.operation,)
    return (call.operation, v1_operation(call.method, call.path))


def v1_operation(method: str, path: str) -> str:
    """Write a v1 call in the one way that clients' ways of writing it are compared in: "POST /endpoints"."""
    return f"{method.upper()} /{path.strip('/')}"


def objects(call: Call, handles: Handles, state: State) -> frozenset[str]:
    """Return the ids and names of the objects a call is about, in lower case and without braces."""
    ids = {plain(text) for text in (*_ids(call, handles), *_named(call)) if text}
    found = (kind.get(one.upper()) for one in ids for kind in (state.networks, state.endpoints))
    return frozenset(ids | {plain(noun.name) for noun in found if noun is not None})


def _ids(call: Call, handles: Handles) -> Iterator[str | None]:
    yield call.id
    yield handles.id_of(call.handle, call.client)
    yield from call.path.strip("/").split("/")[1:2]


def _named(call: Call) -> Iterator[str]:
    """Yield the id and the name that a document gives; what can't be read is its function's to refuse."""
    with suppress(HnsError):
        document = read_optional_object(call.document)
        for key, value in document.items():
            if key.lower() in _NAMING and isinstance(value, str):
                yield value


def plain(text: str) -> str:
    """Write an id or a name in the one way that these are compared in."""
    return text.strip("{}").casefold()
