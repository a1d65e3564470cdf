"""Fixtures for tests of the VFP of a port."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hnsfake.dataplane.sandbox import Sandbox

from .cable import Cable, make


@pytest.fixture
def one_cpu() -> Iterator[None]:
    """Keep the test on one CPU: what it sends first then arrives first."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def cable(sandbox: Sandbox) -> Iterator[Cable]:
    cable = make(sandbox)
    yield cable
    cable.close()
