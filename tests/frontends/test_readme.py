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
    started = hnsfake("up", "--detach")
    assert started.returncode == 0, started.stderr
    done = _run("A tour", "default", tmp_path)
    if done.returncode:
        hnsfake("down", "--lab", "default")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("1 received") == 2
    assert "lab default is down" in done.stdout


def test_the_commands_that_make_things_go_wrong_work_as_written(
    hnsfake: Hnsfake, tmp_path: Path, lab_name: str
) -> None:
    hnsfake("up", "--detach", "--name", lab_name, "--node", "n1", "--dataplane", "none")
    done = _run("When things go wrong", lab_name, tmp_path)
    hnsfake("down", "--lab", lab_name)
    assert done.returncode == 0, done.stderr
    numbers, rules = done.stdout.splitlines()[:2], done.stdout.splitlines()[2:]
    assert (numbers, len(rules)) == (["1", "2"], 2)


def test_the_python_example_works_as_written() -> None:
    (example,) = _blocks("python")
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("section", ["A tour", "When things go wrong"])
def test_the_lab_files_are_valid(hnsfake: Hnsfake, tmp_path: Path, lab_name: str, section: str) -> None:
    (text,) = _blocks("yaml", section)
    path = tmp_path / "lab.yaml"
    path.write_text(text + "dataplane: none\n")
    done = hnsfake("up", "--detach", "--name", lab_name, "-f", str(path))
    hnsfake("down", "--lab", lab_name)
    assert "Windows Server 2019" in done.stdout, done.stderr


def test_the_first_two_commands_are_those_that_ci_runs() -> None:
    commands = re.findall(r"^\$ (.*)$", README, re.M)
    assert len(commands) == 2
    assert all(command.startswith("sh ci/setup && .venv/bin/tox run") for command in commands)


def _run(section: str, lab: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a section's commands; other tests have labs of their own at the same time."""
    command = directory / "hnsfake"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m hnsfake "$@"\n')
    command.chmod(0o755)
    lines = (line for block in _blocks("sh", section) for line in block.splitlines() if "activate" not in line)
    return subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PATH": f"{directory}:{os.environ['PATH']}", "HNSFAKE_LAB": lab},
        check=False,
    )
