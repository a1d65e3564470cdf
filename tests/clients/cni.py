"""CNI plugins as a container runtime calls them: by environment and standard streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from hnsfake.node import Node

from .world import World

Document = dict[str, Any]
VERSION = "1.0.0"


class CniError(Exception):
    """A plugin's error; ``code`` and ``message`` are CNI's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Plugin:
    """A plugin in a directory with its IPAM plugins, on a node."""

    world: World
    node: Node
    program: Path

    def call(self, command: str, config: Document, container: str = "", namespace: str = "") -> Document:
        """Call the plugin; return its result ({} where it says nothing), raise CniError."""
        done = self.world.wine(
            self.node, self.program, env=self._environment(command, container, namespace), given=json.dumps(config)
        )
        said: Document = json.loads(done.stdout) if done.stdout.strip() else {}
        if done.returncode != 0:
            raise CniError(said.get("code", -1), said.get("msg") or done.stderr or f"exit code {done.returncode}")
        return said

    def call_and_kill(self, config: Document, container: str, namespace: str, when: Callable[[], bool]) -> None:
        """Call the plugin's ADD, and kill it and what it started as soon as something is seen."""
        command = self.world.wine_command(self.node, self.program)
        environment = {**os.environ, **self._environment("ADD", container, namespace)}
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as running:
            assert running.stdin is not None
            assert running.stderr is not None
            running.stdin.write(json.dumps(config).encode())
            running.stdin.close()
            while not when():
                assert running.poll() is None, "it ended before"
            os.killpg(running.pid, signal.SIGKILL)
            running.stderr.read()  # its IPAM plugin has the stream too, and may be out of the signal's reach

    def _environment(self, command: str, container: str, namespace: str) -> dict[str, str]:
        return {
            "CNI_COMMAND": command,
            "CNI_CONTAINERID": container,
            "CNI_NETNS": namespace,
            "CNI_IFNAME": "eth0",
            "CNI_PATH": windows_path(self.program.parent),
        }


def windows_path(path: Path) -> str:
    """Return a path of this machine as a Windows program names it."""
    return f"Z:{PureWindowsPath(path)}"


def host_local(prefix: str, data: Path) -> Document:
    """Return the IPAM part of a configuration: addresses from .10 on, leases in ``data``."""
    base = prefix.rsplit(".", 1)[0]
    return {
        "type": "host-local",
        "dataDir": windows_path(data),
        "ranges": [[{"subnet": prefix, "rangeStart": f"{base}.10", "rangeEnd": f"{base}.250"}]],
    }
