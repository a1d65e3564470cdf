"""Writes the page of limits, or says that the one there is stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .page import ROOT, page

PAGE = ROOT / "docs" / "limits.md"


def main(arguments: Sequence[str] | None = None, path: Path = PAGE) -> int:
    """Write or check the page; return the exit code, or exit with what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m ci.limits", description=__doc__)
    act = parser.add_mutually_exclusive_group(required=True)
    act.add_argument("--check", action="store_true", help="write nothing; fail if the page is not what it would be")
    act.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args(arguments)
    if options.write:
        path.write_text(page())
    elif not path.exists() or path.read_text() != page():
        sys.exit("docs/limits.md is stale: `python -m ci.limits --write`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
