"""A served lab, and Windows programs on its nodes."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hnsfake import Lab
from hnsfake.frontends.server import LabServer
from hnsfake.lab import NodeConfig
from hnsfake.node import Node

PATIENCE = 120


@dataclass(frozen=True)
class World:
    """A lab that answers on its nodes' sockets."""

    lab: Lab
    server: LabServer

    def wine(
        self,
        node: Node,
        program: Path,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        given: str = "",
        patience: float = PATIENCE,
    ) -> subprocess.CompletedProcess[str]:
        """Run a Windows program on a node, as a user does."""
        return subprocess.run(
            self.wine_command(node, program, *arguments),
            env={**os.environ, **(env or {})},
            input=given,
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )

    def wine_command(self, node: Node, program: Path, *arguments: str) -> list[str]:
        """Return the command that does it."""
        options = ("--lab", self.lab.name, "--node", node.name)
        return [sys.executable, "-m", "hnsfake", "wine", *options, "--", str(program), *arguments]

    def url(self, node: Node) -> str:
        """Return where programs outside the lab find a node's HNS."""
        return f"unix:{self.server.addresses[node.name].unix}"


@contextmanager
def world(
    *nodes: str | NodeConfig, release: str = "ws2022", dataplane: Literal["linux", "none"] = "linux"
) -> Iterator[World]:
    """Make a lab and serve it."""
    name = f"clients-{uuid.uuid4().hex[:10]}"
    with Lab(nodes, release=release, name=name, dataplane=dataplane) as lab, LabServer(lab) as server:
        yield World(lab, server)
