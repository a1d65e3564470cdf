"""The lanes: what each runs in, and what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from ci.bench.verdict import BenchError

PREFIX = IPv4Network("10.1.0.0/16")
GATEWAY = IPv4Address("10.1.0.1")
ACL = {
    "Action": "Allow",
    "Direction": "In",
    "Priority": 100,
    "Protocols": "6",
    "LocalPorts": "80",
    "RemoteAddresses": "10.0.0.0/8",
}
"""The one ACL of every endpoint, as v2 settings."""

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Lane:
    """One way to make endpoints.

    ``isolation`` are unshare(1)'s options, so that the machine stays clean; ``repeats`` are its runs a round.
    """

    module: str
    title: str
    isolation: tuple[str, ...] = ()
    repeats: int = 1

    def run(self, endpoints: int) -> Figures:
        """Run the lane once in a process of its own; return what it measured, in milliseconds and KiB."""
        command = [*self._unshare(), sys.executable, "-m", f"ci.bench.endpoints.{self.module}", str(endpoints)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise BenchError(f"{self.title}: {ended.stderr.strip() or f'exit status {ended.returncode}'}")
        figures: dict[str, float] = json.loads(ended.stdout)
        return figures

    def _unshare(self) -> list[str]:
        if not self.isolation:
            return []
        return ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), *self.isolation]


FLOOR = Lane("floor", "(a) bare script, the same kernel objects", ("--net",), repeats=3)
BRIDGE_CNI = Lane("bridge_cni", "(b) bridge CNI plugin with host-local", ("--net", "--mount"))
OURS = Lane("ours", "(c) hnsfake, v2 calls in Python", repeats=3)
LANES = (FLOOR, BRIDGE_CNI, OURS)


def address(number: int) -> IPv4Address:
    """Return the address of an endpoint, past the gateway's."""
    return PREFIX[number + 10]


def endpoints_asked() -> int:
    """Return the number of endpoints on a lane's command line."""
    return int(sys.argv[1])


def report(**figures: float) -> None:
    """Print a lane's result."""
    print(json.dumps(figures))
