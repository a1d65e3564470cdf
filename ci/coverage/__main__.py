"""Writes the coverage page, or says that the one there is stale."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

from . import knowledge
from .page import page

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def main() -> int:
    """Read what the tests touched; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ci.coverage", description=__doc__)
    parser.add_argument("touched", type=Path, help="what `pytest --touched` wrote")
    act = parser.add_mutually_exclusive_group(required=True)
    act.add_argument("--check", action="store_true", help="write nothing; fail if the page is not what it would be")
    act.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    rows: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in options.touched.glob("*.json"):
        for *row, tests in json.loads(file.read_text()):
            rows[tuple(row)] |= set(tests)
    if not rows:
        sys.exit(f"{options.touched}: nothing there: run pytest with `-p ci.coverage.touched --touched` first")
    written = "\n".join((page(rows), knowledge.section()))
    if options.write:
        PAGE.write_text(written)
    elif PAGE.read_text() != written:
        sys.exit("docs/coverage.md is stale: `tox run -e tests`, then `tox run -e coverage -- --write`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
