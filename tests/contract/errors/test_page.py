"""The page of errors says what the table says, and the table says all that is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hnsfake
from ci.errors.__main__ import PAGE
from ci.errors.page import page
from hnsfake.documents.hresults import HResult
from hnsfake.documents.not_given import NOT_GIVEN

_OTHERS = ("hresults.py", "not_given.py", "faults.py")
"""Tables of codes, and what fault rules answer in place of the service."""
_SOURCES = [path for path in Path(hnsfake.__file__).parent.rglob("*.py") if path.name not in _OTHERS]


def _named() -> Iterator[str]:
    """Iterate over the HRESULTs that the product's code names."""
    for path in _SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "HResult":
                yield node.attr


@pytest.mark.ours("the page is made of the table")
def test_the_page_is_as_the_table() -> None:
    assert PAGE.read_text() == page(), "python -m ci.errors"


@pytest.mark.ours("the table of what is not given has no code that is")
def test_every_hresult_is_either_given_or_known_not_to_be() -> None:
    given = {HResult[name] for name in _named() if name in HResult.__members__}
    assert given | set(NOT_GIVEN) == set(HResult) - {HResult.S_OK}
    assert given & set(NOT_GIVEN) == set()
