"""Labs for the front ends' tests, each with a name of its own, so that tests run side by side."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest

from hnsfake import Lab
from hnsfake.frontends.server import LabServer


@dataclass
class Served:
    """A served lab of one node without packets."""

    lab: Lab
    server: LabServer

    def client(self) -> httpx.Client:
        """Return a client of the node's TCP port."""
        return httpx.Client(base_url=f"http://127.0.0.1:{self.server.addresses['n1'].tcp}", timeout=30)


@pytest.fixture
def lab_name() -> str:
    """A name that no other test's lab has."""
    return f"test-{uuid.uuid4().hex[:10]}"


@pytest.fixture
def served(lab_name: str) -> Iterator[Served]:
    """A served lab."""
    with Lab(["n1"], dataplane="none", name=lab_name) as lab, LabServer(lab) as server:
        yield Served(lab, server)


Hnsfake = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def hnsfake() -> Hnsfake:
    """Run the command line as a user does."""

    def run(*arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "hnsfake", *arguments],
            input=given,
            capture_output=True,
            timeout=60,
            env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        )

    return run
