"""Programs built once a run, and labs that are served."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .programs import Go
from .shared_object import SharedObject
from .world import World, world


@pytest.fixture(scope="session")
def go(tmp_path_factory: pytest.TempPathFactory) -> Go:
    """The Go toolchain; all workers of a run share what it built."""
    base = tmp_path_factory.getbasetemp()
    return Go((base.parent if base.name.startswith("popen-") else base) / "programs")


@pytest.fixture
def served() -> Iterator[World]:
    """A served lab of two nodes of Server 2022."""
    with world("n1", "n2") as served:
        yield served


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A node without a data plane, which this process's native libraries find."""
    with world("n1", dataplane="none") as served:
        monkeypatch.setenv("HNSFAKE_URL", served.url(served.lab.nodes["n1"]))
        yield served


@pytest.fixture
def hcn(api: World) -> SharedObject:
    return SharedObject("libcomputenetwork.so")


@pytest.fixture
def vmcompute(api: World) -> SharedObject:
    return SharedObject("libvmcompute.so")
