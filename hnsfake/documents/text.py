"""From the bytes a caller sent to a JSON object, or the HRESULT that Windows gives for them."""

from __future__ import annotations

import json
import math
from typing import Any

from hnsfake.documents.errors import InvalidDocumentError

MAX_DOCUMENT = 16 * 1024 * 1024
"""Largest document read, in bytes.  # unverified: HNS's own limit (RPC's) is not published."""

MAX_DEPTH = 64
"""Deepest nesting read.  # unverified: no HNS document is deeper than ten levels."""


_SURROGATE = "\\ud"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    """Read a number; one that no double holds could only be given back as Infinity, which is not JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def read_object(document: bytes | str) -> dict[str, Any]:
    """Read a JSON object; raise InvalidDocumentError for anything else."""
    text = _decode(document)
    if depth_exceeds(text, MAX_DEPTH):
        raise InvalidDocumentError
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        _check_characters(text, value)
    except (ValueError, RecursionError) as error:
        raise InvalidDocumentError from error
    if not isinstance(value, dict):
        raise InvalidDocumentError
    return value


def read_optional_object(document: bytes | str) -> dict[str, Any]:
    """Read a JSON object where none at all is allowed too: empty text is an empty object."""
    return read_object(document) if document.strip() else {}


def _decode(document: bytes | str) -> str:
    if len(document) > MAX_DOCUMENT:
        raise InvalidDocumentError
    if isinstance(document, str):
        return document
    try:
        return document.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocumentError from error


def _check_characters(text: str, value: Any) -> None:
    """Raise ValueError for half of a surrogate pair: no UTF-8 can be made of it, on disk or in an answer.

    unverified: what HNS does with one; RFC 8259 calls it unpredictable.
    """
    if _SURROGATE in text.lower() or not text.isascii():
        json.dumps(value, ensure_ascii=False).encode()


def is_text(text: str) -> bool:
    """Whether UTF-8 can be made of it: half of a surrogate pair is none."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def depth_exceeds(text: str, limit: int) -> bool:
    """Whether brackets nest deeper than ``limit``; looked at before the parser recurses on them."""
    if text.count("[") + text.count("{") <= limit:
        return False
    depth, in_string, escaped = 0, False, False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            if depth > limit:
                return True
        elif character in "]}":
            depth -= 1
    return False
