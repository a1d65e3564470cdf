"""A tree of tests as this repository's, with the rule in force."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CONFTEST = """
from pathlib import Path
from suites import known

def pytest_configure(config):
    known.declare(config)

def pytest_collection_modifyitems(session, items):
    known.check(session, items, Path(__file__).parent)
"""
Tree = Callable[[dict[str, str]], None]


@pytest.fixture
def tree(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Return what writes modules of tests, by their paths."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the rule needs none, and they take a second to load

    def write(modules: dict[str, str]) -> None:
        for path, text in {"suites/conftest.py": CONFTEST, "tests/conftest.py": CONFTEST, **modules}.items():
            file = pytester.path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    return write
