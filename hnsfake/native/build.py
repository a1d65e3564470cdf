"""Builds the native libraries with whatever compilers are there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .products import BUILT, COMPILERS, LIBRARIES, SOURCES, Product, System

# The SDK's headers declare what we export; clang says so. gcc lets a warning off that it doesn't know.
_WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-dll-attribute-on-redeclaration")
_FLAGS: dict[System, tuple[str, ...]] = {
    "windows": ("-std=c11", "-O2", "-s", "-DUNICODE", "-U_WIN32_WINNT", "-D_WIN32_WINNT=0x0A00"),
    "linux": ("-std=c11", "-O2", "-s", "-D_GNU_SOURCE", "-fvisibility=hidden", "-fPIC"),
}
# The first that is there is taken. gcc's own library must not be a file that a prefix lacks.
_COMPILERS: dict[System, tuple[tuple[str, ...], ...]] = {
    "windows": (("x86_64-w64-mingw32-gcc", "-static-libgcc"),),
    "linux": (("cc",), ("gcc",), ("clang",)),
}
_ZIG_TARGETS: dict[System, tuple[str, ...]] = {"windows": ("-target", "x86_64-windows-gnu"), "linux": ()}


class BuildError(RuntimeError):
    """A library can't be built; the text says what to install, or what the compiler said."""


def build(systems: Sequence[System], into: Path = BUILT) -> list[Path]:
    """Build every library of these systems that is older than its sources; return all their paths.

    Raises BuildError.
    """
    into.mkdir(parents=True, exist_ok=True)
    return [_build(product, into) for product in LIBRARIES if product.system in systems]


def _build(product: Product, into: Path) -> Path:
    target = into / product.file
    newest = max(path.stat().st_mtime for path in SOURCES.iterdir())
    if target.exists() and target.stat().st_mtime >= newest:
        return target
    new = target.with_name(f".{target.name}.new")
    command = [
        *_compiler(product.system),
        *_FLAGS[product.system],
        *_WARNINGS,
        *([] if product.file.endswith(".exe") else ["-shared"]),
        *(str(SOURCES / source) for source in product.sources),
        *("-o", str(new)),
        *(f"-l{library}" for library in product.links),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise BuildError(f"can't build {product.file}: {first} (it needs {COMPILERS[product.system]})")
    new.replace(target)
    return target


def _compiler(system: System) -> tuple[str, ...]:
    for program, *options in _COMPILERS[system]:
        if shutil.which(program):
            return program, *options
    if find_spec("ziglang"):
        return sys.executable, "-m", "ziglang", "cc", *_ZIG_TARGETS[system]
    raise BuildError(f"no compiler for {system} libraries: install {COMPILERS[system]}")
