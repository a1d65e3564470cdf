"""Writes the coverage page, or says that the one there is stale."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from . import knowledge
from .gaps import gaps
from .page import page

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def main(arguments: Sequence[str] | None = None, path: Path = PAGE) -> int:
    """Read what the tests touched, write or check the page; return the exit code, or exit with what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m ci.coverage", description=__doc__)
    parser.add_argument("touched", type=Path, help="what `pytest --touched` wrote")
    act = parser.add_mutually_exclusive_group(required=True)
    act.add_argument("--check", action="store_true", help="write nothing; fail if the page is not what it would be")
    act.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args(arguments)
    rows: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in options.touched.glob("*.json"):
        for *row, tests in json.loads(file.read_text()):
            rows[tuple(row)] |= set(tests)
    if not rows:
        sys.exit(f"{options.touched}: nothing there: run pytest with `-p ci.coverage.touched --touched` first")
    if found := gaps(rows):
        sys.exit("\n".join([*found, "add a test for each of these, or a reason that is true, and run the tests again"]))
    written = "\n".join((page(rows), knowledge.section()))
    if options.write:
        path.write_text(written)
    elif path.read_text() != written:
        sys.exit("docs/coverage.md is stale: `tox run -e tests`, then `tox run -e coverage -- --write`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
