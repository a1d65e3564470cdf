"""The page of limits says what the data say, and tests show what it says is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.limits.__main__ import main
from ci.limits.page import page, shown_by
from hnsfake.releases import QUIRKS, Quirk


def test_the_page_is_what_it_would_be_made_anew() -> None:
    assert main(["--check"]) == 0


def test_a_stale_page_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="stale"):
        main(["--check"], tmp_path / "limits.md")


def test_a_page_is_written(tmp_path: Path) -> None:
    assert main(["--write"], tmp_path / "limits.md") == 0
    assert (tmp_path / "limits.md").read_text() == page()


def test_each_quirk_that_is_shown_has_a_test_and_no_other_has() -> None:
    assert set(shown_by()) == {quirk.id for quirk in QUIRKS.values() if quirk.shown}


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=list(QUIRKS))
def test_a_quirk_has_a_source_and_what_is_seen(quirk: Quirk) -> None:
    assert all((quirk.where, quirk.seen, quirk.sources))
