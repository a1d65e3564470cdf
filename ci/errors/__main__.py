"""Write docs/errors.md, or with ``--check`` say whether it is as it should be."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ci.errors.page import page

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where the page is stale")
    stale = not PAGE.is_file() or PAGE.read_text() != page()
    if parser.parse_args().check:
        print("docs/errors.md is stale: python -m ci.errors" if stale else "docs/errors.md is as it should be")
        return int(stale)
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
