"""The wheel carries the native libraries; where there is no compiler, it says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hnsfake.native import LIBRARIES

pytestmark = pytest.mark.ours("our wheel")

REPOSITORY = Path(__file__).parents[2]
_NO_COMPILER = "/nowhere"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """What a wheel is built from, with nothing built."""
    sources = tmp_path / "sources"
    shutil.copytree(REPOSITORY / "hnsfake", sources / "hnsfake", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, sources)
    return sources


def _wheel(sources: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    options = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-w", str(sources.parent))
    command = [sys.executable, "-m", "pip", "wheel", *options, str(sources)]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=100, check=False
    )


def test_a_wheel_has_every_library_and_is_this_platforms(sources: Path) -> None:
    done = _wheel(sources)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = sources.parent.glob("*.whl")
    assert wheel.name.endswith("_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {f"hnsfake/native/lib/{product.file}" for product in LIBRARIES} <= set(archive.namelist())


def test_without_a_compiler_the_package_to_install_is_named(sources: Path) -> None:
    done = _wheel(sources, PATH=_NO_COMPILER)
    assert done.returncode != 0
    assert "gcc-mingw-w64-x86-64" in done.stdout + done.stderr


def test_a_wheel_can_be_had_without_the_libraries(sources: Path) -> None:
    done = _wheel(sources, HNSFAKE_NATIVE="none", PATH=_NO_COMPILER)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = sources.parent.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
