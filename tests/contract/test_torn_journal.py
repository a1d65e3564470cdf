"""A journal whose end never reached the disk, or only in part, is the journal as it was some calls before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hnsfake.service.journal import Journal
from hnsfake.service.state import Noun
from tests.contract.service import VERSION, Bench

pytestmark = pytest.mark.ours("our journal")

_LAST = 3
_STRIDE = 61
"""Of the bytes within a page every so many is tried, and each one around its head; all of them with --kills 200."""
_ALL = 200
_PAGE, _HEADER, _FRAME = 4096, 32, 24  # of SQLite's log: sqlite.org/fileformat2.html


def kept_in(path: Path) -> list[Noun]:
    journal = Journal(path, "n1")
    nouns = journal.read()
    journal.close()
    return nouns


def offsets(first: int, end: int, stride: int) -> list[int]:
    frame = _FRAME + _PAGE
    near = [o for o in range(first, end) if (o - _HEADER) % frame < _FRAME + 8 or (o - _HEADER) % frame > frame - 4]
    return sorted({*near, *range(first, end, stride)})


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rest", ["missing", "zeros", "garbage"])
def test_a_journal_torn_anywhere_holds_the_calls_before(tmp_path: Path, rest: str, kills: int) -> None:
    bench = Bench(journal=tmp_path / "journal")
    log = tmp_path / "journal-wal"
    network = bench.network("L2Bridge")["ID"]
    bench.endpoint(network)
    states, ends = [bench.service._journal.read()], [log.stat().st_size]
    for name in range(_LAST):
        bench.endpoint(network, Name=f"pod {name}")
        bench.invoke("HcnCreateNamespace", {"SchemaVersion": VERSION})
        states.append(bench.service._journal.read())
        ends.append(log.stat().st_size)
    database, whole = (tmp_path / "journal").read_bytes(), log.read_bytes()
    seen = set()
    for offset in offsets(ends[0], ends[-1], 1 if kills >= _ALL else _STRIDE):
        tail = {"missing": b"", "zeros": bytes(len(whole) - offset), "garbage": b"\xa5" * (len(whole) - offset)}[rest]
        (tmp_path / "torn").write_bytes(database)
        (tmp_path / "torn-wal").write_bytes(whole[:offset] + tail)
        nouns = kept_in(tmp_path / "torn")
        before = max(number for number, end in enumerate(ends) if end <= offset)
        assert nouns[: len(states[before])] == states[before], offset
        assert nouns in (states[before], *_between(states[before], states[before + 1])), offset
        seen.add(before)
        (tmp_path / "torn-wal").unlink(missing_ok=True)
    assert seen == set(range(_LAST))
    bench.service.close()


def _between(before: list[Noun], after: list[Noun]) -> list[list[Noun]]:
    """The states after each of the calls that lie between two: every one of them adds one object."""
    return [after[:count] for count in range(len(before) + 1, len(after))]


def test_a_lab_starts_on_a_torn_journal(tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "journal")
    network = bench.network("L2Bridge")["ID"]
    before = bench.service.state
    bench.endpoint(network)
    log = (tmp_path / "journal-wal").read_bytes()
    shutil.copy(tmp_path / "journal", tmp_path / "torn")
    (tmp_path / "torn-wal").write_bytes(log[:-1])
    assert Bench(journal=tmp_path / "torn").service.state == before
    bench.service.close()
