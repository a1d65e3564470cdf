"""A lab in a process of its own, which can be stopped, killed and started again over the same state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

NODE = "n1"
_UP_LINES = 2  # the lab's, and its node's


@dataclass
class Daemon:
    """``hnsfake up`` with one node; ``state`` survives it."""

    state: Path
    dataplane: str = "none"
    name: str = field(default_factory=lambda: f"daemon-{uuid.uuid4().hex[:10]}")
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where the native libraries find it."""
        return f"unix:@hnsfake/{self.name}/{NODE}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = ("--name", self.name, "--node", NODE, "--dataplane", self.dataplane, "--state", str(self.state))
        command = [sys.executable, "-m", "hnsfake", "up", *options]
        # Its own errors are in the way of nobody, and in the report of a test that failed.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said = [self.process.stdout.readline() for _ in range(_UP_LINES)]
        assert all(said), "the lab didn't come up"

    def connections(self) -> int:
        """Return how many clients its socket has, taken or not yet."""
        path = self.url.removeprefix("unix:")
        return Path("/proc/net/unix").read_text().count(f"{path}\n") - 1

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it, wherever it is."""
        if self.process is None:
            return
        self.process.kill()
        with self.process:
            pass
        self.process = None

    @contextmanager
    def wine(self, *command: str, patience: float) -> Iterator[subprocess.Popen[str]]:
        """Run a Windows program on the node; it waits for HNS as long as said."""
        environment = {**os.environ, "HNSFAKE_TIMEOUT": str(patience)}
        with subprocess.Popen(
            [sys.executable, "-m", "hnsfake", "wine", "--lab", self.name, "--node", NODE, "--", *command],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            try:
                yield program
            finally:
                program.kill()

    def exec(self, namespace: str, *command: str) -> str:
        """Run a program in a namespace; return what it printed."""
        words = [sys.executable, "-m", "hnsfake", "exec", "--lab", self.name, NODE, namespace, "--", *command]
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
