"""Published outputs of HNS as shapes: what a file of ``golden/published`` says, and how an answer differs from it.

A shape is an object of shapes in the order of its members; a list of shapes, one an element; ``{some: [...]}`` for a
list of which not all is published, its elements found by their Tag; a word for a type (``WORDS``); or HNS's own
constant, a text of these behind ``=``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import yaml

from .service import VERSION, Bench

FOLDER = Path(__file__).parent / "golden" / "published"
_UPPER = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
_MAC = re.compile(r"[0-9A-Fa-f]{2}([-:][0-9A-Fa-f]{2}){5}")
_FILETIMES = range(130_000_000_000_000_000, 150_000_000_000_000_000)  # years 2012 to 2076


def _of(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


def _text(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _parses(parse: Callable[[str], object]) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        try:
            parse(value)
        except ValueError:
            return False
        return isinstance(value, str)

    return check


WORDS: dict[str, Callable[[Any], bool]] = {
    "GUID": _text(_UPPER.pattern),
    "guid": _text(_UPPER.pattern.replace("A-F", "a-f")),
    "{GUID}": _text(rf"\{{{_UPPER.pattern}\}}"),
    "text": _of(str),
    "number": _of(int),
    "flag": _of(bool),
    "time": lambda value: type(value) is int and value in _FILETIMES,  # a FILETIME: 100 ns since 1601
    "MAC": _text(_MAC.pattern),
    "address": _parses(ip_address),
    "prefix": _parses(ip_network),
    "list": _of(list),
    "object": _of(dict),
}


@dataclass(frozen=True)
class Publication:
    """A file of ``golden/published``: one output, how such an object is made here, and where we differ and why.

    ``shows`` is the release that the publication shows, as far as it says; ``release`` the one of ours next to it.
    ``answer`` is the call whose answer is compared, the last one's of ``make`` if empty; ``within``, the part of it.
    """

    source: str
    shows: str
    release: str
    make: list[dict[str, Any]]
    answer: str
    shape: Any
    within: str = ""
    differences: dict[str, str] = field(default_factory=dict)


def read(path: Path) -> Publication:
    """Read a file."""
    return Publication(**yaml.safe_load(path.read_text()))


def answer(publication: Publication) -> Any:
    """Make the object on the publication's release; return what HNS shows of it.

    A call is v1's method and path, or a function of v2; ``as`` keeps the id of what it made, for later calls to name
    in braces.
    """
    bench = Bench(publication.release)
    ids: dict[str, str] = {}
    made: Any = None
    for step in publication.make:
        document = json.loads(_filled(json.dumps(step.get("document", "")), ids))
        made = _call(bench, _filled(step["call"], ids), document)
        if "as" in step:
            ids[step["as"]] = made["ID"]
    shown = _call(bench, _filled(publication.answer, ids), "") if publication.answer else made
    for name in filter(None, publication.within.split(".")):
        shown = shown[name]
    return shown


def _filled(text: str, ids: dict[str, str]) -> str:
    for name, object_id in ids.items():
        text = text.replace(f"{{{name}}}", object_id)
    return text


def _call(bench: Bench, call: str, document: Any) -> Any:
    operation, _, rest = call.partition(" ")
    if not operation.startswith("Hcn"):
        envelope = bench.v1(operation, rest, document)
        assert envelope["Success"], envelope
        return envelope.get("Output")
    verb, noun = re.fullmatch(r"Hcn(Create|Modify|Query)(\w+?)(?:Properties)?", operation).groups()  # type: ignore[union-attr]
    if verb == "Create":
        of = {"handle": bench.handle("Network", rest)} if rest else {}
        return bench.made(noun, document, **of)
    query = {"SchemaVersion": VERSION, "Flags": 1} if verb == "Query" else document
    reply = bench.invoke(operation, query, handle=bench.handle(noun, rest))
    assert reply.ok, reply.record
    return json.loads(reply.output or "{}")


def differences(shape: Any, shown: Any, where: str = "") -> Iterator[str]:
    """Yield how what is shown differs from a shape, each difference in words that a file can list."""
    if isinstance(shape, dict) and set(shape) == {"some"}:
        yield from _of_some(shape["some"], shown, where)
    elif isinstance(shape, dict):
        yield from _of_object(shape, shown, where)
    elif isinstance(shape, list):
        yield from _of_list(shape, shown, where)
    elif isinstance(shape, str) and shape in WORDS:
        if not WORDS[shape](shown):
            yield f"{where} is no {shape}"
    elif shown != (shape.removeprefix("=") if isinstance(shape, str) else shape) or type(shown) is bool is not type(
        shape
    ):
        yield f"{where} is not {shape}"


def _of_object(shape: dict[str, Any], shown: Any, where: str) -> Iterator[str]:
    if not isinstance(shown, dict):
        yield f"{where} is no object"
        return
    yield from (f"lacks {_within(where, name)}" for name in shape if name not in shown)
    yield from (f"adds {_within(where, name)}" for name in shown if name not in shape)
    common = [name for name in shape if name in shown]
    if common != [name for name in shown if name in shape]:
        yield f"order of {where or 'all'}"
    for name in common:
        yield from differences(shape[name], shown[name], _within(where, name))


def _of_list(shape: list[Any], shown: Any, where: str) -> Iterator[str]:
    if not isinstance(shown, list) or len(shown) != len(shape):
        yield f"{where} has not {len(shape)} elements"
        return
    for number, (expected, one) in enumerate(zip(shape, shown, strict=True)):
        yield from differences(expected, one, f"{where}[{number}]")


def _of_some(shapes: list[Any], shown: Any, where: str) -> Iterator[str]:
    if not isinstance(shown, list):
        yield f"{where} is no list"
        return
    by_tag = {one.get("Tag"): one for one in shown}
    for shape in shapes:
        tag = shape["Tag"].removeprefix("=")
        if tag in by_tag:
            yield from differences(shape, by_tag[tag], f"{where}[{tag}]")
        else:
            yield f"lacks {where}[{tag}]"


def _within(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
