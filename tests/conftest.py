"""Of all tests: how their expectations are known, and how much is tried where chance decides what is."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites import known


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hnsfake")
    group.addoption("--steps", type=int, default=10_000, help="calls that are made at random against the model of HNS")
    group.addoption("--kills", type=int, default=40, help="how often a lab is killed at a random point")


def pytest_configure(config: pytest.Config) -> None:
    known.declare(config)


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    known.check(session, items, Path(__file__).parent)


@pytest.fixture
def steps(request: pytest.FixtureRequest) -> int:
    """How many calls to make at random."""
    return int(request.config.getoption("--steps"))


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """How often to kill a lab."""
    return int(request.config.getoption("--kills"))
