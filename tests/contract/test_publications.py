"""What HNS shows has the members, types, nesting and order of the outputs of real machines that are published."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import publications

FILES = sorted(publications.FOLDER.glob("*.yaml"))


@pytest.mark.known("published output", "the source that each file of tests/contract/golden/published names")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_answer_differs_from_the_published_one_only_where_it_says_why(path: Path) -> None:
    publication = publications.read(path)
    found = list(publications.differences(publication.shape, publications.answer(publication)))
    assert sorted(found) == sorted(publication.differences)
    assert all(publication.differences.values())
