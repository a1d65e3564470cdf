"""Writes the page of what is what in v1 and in v2, or says that the one there is stale."""

from __future__ import annotations

import argparse
import sys

from .page import PAGE, page


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ci.translation", description=__doc__)
    act = parser.add_mutually_exclusive_group(required=True)
    act.add_argument("--check", action="store_true", help="write nothing; fail if the page is not what it would be")
    act.add_argument("--write", action="store_true", help="write the page")
    if parser.parse_args().write:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit("docs/translation.md is stale: `python -m ci.translation --write`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
