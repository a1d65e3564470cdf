"""Fixtures for tests of the data plane: a sandbox a worker, a world a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hnsfake.dataplane.sandbox import Sandbox

from .world import World


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.open() as sandbox:
        yield sandbox


@pytest.fixture
def world(sandbox: Sandbox) -> Iterator[World]:
    world = World(sandbox)
    yield world
    world.close()
