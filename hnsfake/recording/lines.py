"""Recordings as files: a header, then an exchange a line, all JSON. ``docs/recordings.md`` describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from hnsfake.recording.names import HANDLE, is_value, read_distance, read_name, read_reference
from hnsfake.recording.normal import Exchange

FORMAT = "hnsfake recording"
VERSION = 1


class RecordingError(ValueError):
    """A recording can't be read, or is not complete; the text says in one line where and why."""


@dataclass(frozen=True)
class Header:
    """What a recording is of: a node, its Windows release and HNS version, what played it, and when."""

    node: str
    release: str
    hns: str
    backend: str
    date: str


@dataclass(frozen=True)
class Recording:
    """A recording that was read."""

    header: Header
    exchanges: tuple[Exchange, ...]


def header_line(header: Header) -> bytes:
    """Return a recording's first line."""
    return _line({"format": FORMAT, "version": VERSION, **asdict(header)})


def exchange_line(exchange: Exchange) -> bytes:
    """Return an exchange's line."""
    given = {"given": exchange.given} if exchange.given else {}
    return _line({"call": exchange.call, "reply": exchange.reply, **given})


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def read(path: Path | str) -> Recording:
    """Read a recording; raise RecordingError and OSError."""
    lines = _lines(Path(path))
    number, first = next(lines, (1, {}))
    header = _header(first, f"{path}: line {number}")
    return Recording(header, tuple(_exchange(line, f"{path}: line {at}") for at, line in lines))


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            where = f"{path}: line {number}"
            if not line.endswith(b"\n"):
                raise RecordingError(f"{where}: cut off")
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordingError(f"{where}: not JSON: {' '.join(str(error).split())}") from error


def _header(content: Any, where: str) -> Header:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordingError(f"{where}: not a recording: it must begin with a header")
    if content.get("version") != VERSION:
        raise RecordingError(f"{where}: version {content.get('version')!r} of the format: this program reads {VERSION}")
    names = {field.name: str for field in fields(Header)}
    _check(content, {"format": str, "version": int, **names}, set(names), where)
    return Header(**{name: content[name] for name in names})


_LINE = {"call": dict, "reply": dict, "given": dict}
_CALL = {
    **dict.fromkeys(("operation", "client", "method", "path", "id", "handle", "document_text"), str),
    "document": object,
}
_REPLY = {
    **dict.fromkeys(("hresult", "record_text", "output_text", "handle"), str),
    "record": object,
    "output": object,
}


def _exchange(content: Any, where: str) -> Exchange:
    _check(content, _LINE, {"call", "reply"}, where)
    call, reply, given = content["call"], content["reply"], content.get("given", {})
    _check(call, _CALL, {"operation"}, f"{where}: call")
    _check(reply, _REPLY, {"hresult"}, f"{where}: reply")
    _check(given, dict.fromkeys(given, str), set(), f"{where}: given")
    for form in (call, reply):
        if "handle" in form and not _is_handle(form["handle"]):
            raise RecordingError(f"{where}: handle: not the name of a handle")
    _check_given(given, f"{where}: given")
    return Exchange(call, reply, given)


def _check_given(given: Mapping[str, str], where: str) -> None:
    for name, value in given.items():
        reference = read_reference(name)
        if reference is None:
            raise RecordingError(f"{where}: {name}: not the name of a value")
        distance = read_distance(value)
        if not (is_value(reference.kind, value) if distance is None else distance[0].kind == reference.kind):
            raise RecordingError(f"{where}: {name}: not such a value")


def _is_handle(text: str) -> bool:
    name = read_name(text)
    return name is not None and name.reference.kind == HANDLE


def _check(content: Any, members: Mapping[str, type], needed: set[str], where: str) -> None:
    """Hold an object against the types of its members; raise RecordingError."""
    if not isinstance(content, dict):
        raise RecordingError(f"{where}: not an object")
    for name, value in content.items():
        if name not in members:
            raise RecordingError(f"{where}: {name}: there is no such member")
        if not isinstance(value, members[name]):
            raise RecordingError(f"{where}: {name}: not {_NOUNS[members[name]]}")
    for name in sorted(needed - set(content)):
        raise RecordingError(f"{where}: {name} is missing")


_NOUNS: Mapping[type, str] = {str: "a string", int: "a number", dict: "an object"}
