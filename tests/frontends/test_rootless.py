"""A lab without root, where the machine allows user namespaces."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_NOBODY = 65534
_ROOT = Path(__file__).parents[2]
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
    # An interpreter under root's home can't be started by another user: the user changes inside.
    lines = ["import os, sys"]
    if os.geteuid() == 0:
        lines += [f"os.setgroups([]); os.setresgid({_NOBODY}, {_NOBODY}, {_NOBODY})"]
        lines += [f"os.setresuid({_NOBODY}, {_NOBODY}, {_NOBODY})"]
        lines += ["import ctypes; ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # /proc/self is ours again"]
    imports = "from hnsfake import Lab\nimport hnsfake.workload, hnsfake.dataplane.node, hnsfake.dataplane.fabric\n"
    script = imports + "\n".join(lines) + "\n" + _SCRIPT
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=_ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["connected", "10.127.0.11", "nat"]


def _as_user(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a program as a user without privileges: us, or nobody where we are root."""
    nobody = _NOBODY if os.geteuid() == 0 else None
    paths = filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        user=nobody,
        group=nobody,
        extra_groups=None if nobody is None else [],
    )


def _others_can_start_us() -> bool:
    try:
        return _as_user(sys.executable, "-c", "import hnsfake.frontends.cli").returncode == 0
    except PermissionError:
        return False


@pytest.mark.skipif(not _user_namespaces_allowed(), reason="this machine allows no user namespaces")
@pytest.mark.skipif(not _others_can_start_us(), reason="this interpreter can't be started by a user without privileges")
def test_the_command_line_works_without_root(lab_name: str) -> None:
    def hnsfake(*arguments: str) -> subprocess.CompletedProcess[str]:
        return _as_user(sys.executable, "-m", "hnsfake", *arguments)

    up = hnsfake("up", "--detach", "--name", lab_name, "--node", lab_name)
    assert up.returncode == 0, up.stderr
    script = "ls /sys/class/net; cat /etc/resolv.conf; ping -c 1 -W 2 203.0.113.10; exit 5"
    done = hnsfake("exec", lab_name, "--", "sh", "-c", script)
    down = hnsfake("down", "--lab", lab_name)
    assert done.returncode == 5, done.stderr
    assert done.stdout.split()[:2] == ["lo", "nic0"]
    assert "1 received" in done.stdout
    assert down.stdout == f"lab {lab_name} is down\n"
