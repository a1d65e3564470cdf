"""However a lab ends, the machine's own network is what it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_LAB = """
import sys
from hnsfake import Lab

V = {"Major": 2, "Minor": 0}
vsid = [{"Type": "VSID", "Settings": {"IsolationId": 4096}}]
with Lab() as lab:
    for node in lab.nodes.values():
        for kind in ("NAT", "L2Bridge", "Overlay"):
            subnet = {"IpAddressPrefix": f"10.{len(kind)}.0.0/24", "Policies": vsid if kind == "Overlay" else []}
            document = {"Name": kind, "Type": kind, "Ipams": [{"Subnets": [subnet]}], "SchemaVersion": V}
            network = node.hcn("HcnCreateNetwork", document).handle
            endpoint = node.hcn("HcnCreateEndpoint", {"SchemaVersion": V}, handle=network).handle
    print("ready", flush=True)
    action = sys.stdin.readline().strip()
    if action == "raise":
        raise RuntimeError("on purpose")
"""


def _machine() -> dict[str, str]:
    """Return what there is of the machine's own network."""
    commands = {
        "links": ["ip", "-o", "link", "show"],
        "addresses": ["ip", "-o", "addr", "show"],
        "routes": ["ip", "route", "show", "table", "all"],
        "namespaces": ["ip", "netns", "list"],
        "rules": ["nft", "list", "ruleset"],
        "sysctls": ["sysctl", "-a", "--pattern", "^net"],
    }
    shown = {name: subprocess.run(c, capture_output=True, text=True, check=True).stdout for name, c in commands.items()}
    # What the kernel itself counts and what ages by itself is not a trace.
    moving = ("nf_conntrack_count", "tcp_mem", "fib_info", "neigh", "valid_lft", "icmp_msgs", "random")
    shown["sysctls"] = "\n".join(line for line in shown["sysctls"].splitlines() if not any(m in line for m in moving))
    return shown


@pytest.mark.parametrize("end", ["exit", "raise", "SIGINT", "SIGKILL"])
def test_the_machine_is_as_it_was(end: str, tmp_path: Path) -> None:
    before = _machine()
    with subprocess.Popen(
        [sys.executable, "-c", _LAB],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        during = _machine()
        if end.startswith("SIG"):
            process.send_signal(getattr(signal, end))
        else:
            process.stdin.write(f"{end}\n")
            process.stdin.flush()
        process.wait(30)
    assert during == before
    deadline = time.monotonic() + 10
    while _machine() != before and time.monotonic() < deadline:
        pass
    assert _machine() == before
