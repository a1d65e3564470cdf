"""What the README tells a CNI plugin's author to do works as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hnsfake.frontends.sockets import running_labs

pytestmark = pytest.mark.ours("our README")

ROOT = Path(__file__).parents[2]
PROGRAMS = Path("/tmp/cni")


@pytest.fixture
def script() -> Iterator[str]:
    section = (ROOT / "README.md").read_text().partition("\n## Windows programs\n")[2].partition("\n## ")[0]
    yield "\n".join(re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S))
    shutil.rmtree(PROGRAMS, ignore_errors=True)


@pytest.mark.skipif("default" in running_labs(), reason="a lab called default runs on this machine already")
def test_a_plugin_is_built_run_and_watched_as_written(script: str) -> None:
    # Other tests have labs of their own at the same time.
    environment = {**os.environ, "HNSFAKE_LAB": "default"}
    run = ["bash", "-euxo", "pipefail", "-c", script]
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=110, check=False)
    if done.returncode:
        subprocess.run(["hnsfake", "down", "--lab", "default"], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"10.127.0.50/24"' in done.stdout
    assert "10.127.0.50 > 10.127.0.12: ICMP echo request" in done.stdout
    assert "3 received" in done.stdout
    assert "lab default is down" in done.stdout
