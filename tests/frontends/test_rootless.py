"""A lab without root, where the machine allows user namespaces."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_NOBODY = 65534
_SCRIPT = """
from hnsfake import Lab

with Lab() as lab:
    network = lab.nodes["n1"].hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})
    node = lab.nodes["n1"].compartment(1)
    with lab.outside.tcp_server() as server:
        outcome = node.tcp(str(lab.fabric.outside_address), server.port)
print(outcome.result.value, outcome.seen[0], network["Type"])
"""


def _user_namespaces_allowed() -> bool:
    for path in ("/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone"):
        setting = Path(path)
        if setting.exists() and int(setting.read_text()) == 0:
            return False
    return True


@pytest.mark.skipif(not _user_namespaces_allowed(), reason="this machine allows no user namespaces")
def test_a_lab_runs_without_root() -> None:
    root = Path(__file__).parents[2]
    # An interpreter under root's home can't be started by another user: the user changes inside.
    lines = ["import os, sys"]
    if os.geteuid() == 0:
        lines += [f"os.setgroups([]); os.setresgid({_NOBODY}, {_NOBODY}, {_NOBODY})"]
        lines += [f"os.setresuid({_NOBODY}, {_NOBODY}, {_NOBODY})"]
        lines += ["import ctypes; ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # /proc/self is ours again"]
    imports = "from hnsfake import Lab\nimport hnsfake.workload, hnsfake.dataplane.node, hnsfake.dataplane.fabric\n"
    script = imports + "\n".join(lines) + "\n" + _SCRIPT
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["connected", "10.127.0.11", "nat"]
