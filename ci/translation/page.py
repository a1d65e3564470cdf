"""The page, in Markdown."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from hnsfake.documents.translation import Listed, rows

PAGE = Path(__file__).parents[2] / "docs" / "translation.md"
_HEAD = """# What is what in v1 and in v2

Made of the tables that read and show documents (`hnsfake/documents/translation`): `python -m ci.translation --write`.

*Attribute*: what hnsfake keeps; none where a document shows something that isn't kept of the object. *(read)*: taken
of callers, not shown. *(shown)*: added by HNS, not taken of callers. *Lost*: what doesn't come back by way of the other
face, and why. A policy is given back just as it was sent; its rows say how the other face sees it.
"""


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    for noun, listed in groupby(rows(), key=lambda one: one.noun):
        parts += [f"## {noun[0].upper()}{noun[1:]}\n", "| attribute | v1 | v2 | conversion | lost | source |"]
        parts += ["|---|---|---|---|---|---|", *map(_line, listed), ""]
    return "\n".join(parts)


def _line(one: Listed) -> str:
    attribute, v1, v2 = (f"`{text}`" if text else "–" for text in (one.attribute, one.v1, one.v2))
    return f"| {attribute} | {v1} | {v2} | {one.conversion} | {one.lost} | {one.source} |".replace("  |", " |")
