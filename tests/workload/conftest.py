"""A namespace with nothing but a loopback interface, and an engine: enough for most workloads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hnsfake.dataplane.sandbox import NetNs, Sandbox
from hnsfake.workload import Compartment, Engine


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.open() as made:
        yield made


@pytest.fixture
def engine(sandbox: Sandbox) -> Iterator[Engine]:
    made = Engine(sandbox)
    yield made
    made.close()


@pytest.fixture
def netns(sandbox: Sandbox) -> Iterator[NetNs]:
    made = sandbox.new_netns("place")
    yield made
    made.close()


@pytest.fixture
def place(engine: Engine, netns: NetNs) -> Compartment:
    return Compartment(engine, netns)
