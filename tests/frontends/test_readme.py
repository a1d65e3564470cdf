"""What the README shows works as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hnsfake.frontends.sockets import running_labs
from tests.frontends.conftest import Hnsfake

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def _blocks(language: str, section: str = "") -> list[str]:
    text = README.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else README
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.skipif("default" in running_labs(), reason="a lab called default runs on this machine already")
def test_the_tour_works_as_written(hnsfake: Hnsfake, tmp_path: Path) -> None:
    command = tmp_path / "hnsfake"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m hnsfake "$@"\n')
    command.chmod(0o755)
    started = hnsfake("up", "--detach")
    assert started.returncode == 0, started.stderr
    script = "\n".join(
        line for block in _blocks("sh", "A tour") for line in block.splitlines() if "activate" not in line
    )
    # Other tests have labs of their own at the same time.
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HNSFAKE_LAB": "default"}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        check=False,
    )
    if done.returncode:
        hnsfake("down", "--lab", "default")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("1 received") == 2
    assert "lab default is down" in done.stdout


def test_the_python_example_works_as_written() -> None:
    (example,) = _blocks("python")
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_lab_file_is_valid(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    (text,) = _blocks("yaml")
    path = tmp_path / "lab.yaml"
    path.write_text(text.replace("mixed", lab_name) + "dataplane: none\n")
    done = hnsfake("up", "--detach", "-f", str(path))
    hnsfake("down", "--lab", lab_name)
    assert "Windows Server 2019" in done.stdout, done.stderr


def test_the_first_two_commands_are_those_that_ci_runs() -> None:
    commands = re.findall(r"^\$ (.*)$", README, re.M)
    assert len(commands) == 2
    assert all(command.startswith("sh ci/setup && .venv/bin/tox run") for command in commands)
