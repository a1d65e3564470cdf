"""The mark that says how an expectation is known."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "known(how, source): how the expectation is known, and where it is published")
