"""Namespaces by descriptor alone; what happens without the right to make them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hnsfake.dataplane.interface import CompartmentWant
from hnsfake.dataplane.node import LinuxNode
from hnsfake.dataplane.sandbox import NetNs, Sandbox, SandboxError, enter

from .world import World, create

pytestmark = pytest.mark.ours("the namespaces that our data plane lives in")

ROOT = Path(__file__).parents[2]
_BECOME_NOBODY = """
import ctypes, os, sys, threading
from hnsfake.dataplane.sandbox import Sandbox, SandboxError, enter_user_namespace
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc/self is ours again
"""


def namespace() -> int:
    return os.stat("/proc/thread-self/ns/net").st_ino


@pytest.fixture
def netns(sandbox: Sandbox) -> Iterator[NetNs]:
    netns = sandbox.new_netns("place")
    yield netns
    netns.close()


def test_functions_run_inside_the_namespace(sandbox: Sandbox, netns: NetNs) -> None:
    here = namespace()
    assert sandbox.run(netns, namespace) == os.stat(f"/proc/self/fd/{netns.fd}").st_ino != here
    assert namespace() == here
    assert sandbox.run(netns, lambda: [name for _, name in socket.if_nameindex()]) == ["lo"]


def test_a_function_may_go_on_to_another_namespace(sandbox: Sandbox, netns: NetNs) -> None:
    other = sandbox.new_netns("other")

    def both() -> tuple[int, int]:
        first = namespace()
        enter(other)
        return first, namespace()

    first, second = sandbox.run(netns, both)
    assert first != second
    assert sandbox.run(netns, namespace) == first
    other.close()


def test_what_a_function_raises_comes_out(sandbox: Sandbox, netns: NetNs) -> None:
    def fail() -> None:
        raise LookupError("on purpose")

    with pytest.raises(LookupError, match="on purpose"):
        sandbox.run(netns, fail)


def test_a_closed_namespace_can_not_be_entered(sandbox: Sandbox) -> None:
    netns = sandbox.new_netns("gone")
    netns.close()
    netns.close()
    with pytest.raises(SandboxError, match="can't enter gone"):
        sandbox.run(netns, namespace)


def test_many_nodes_change_at_once(sandbox: Sandbox, world: World) -> None:
    """More changes at once than there are sandbox threads: none waits for another thread."""
    nodes = [
        LinuxNode(sandbox, world.fabric, f"x{n}", world.n1.adapters()[0].addresses[0], f"02-00-00-00-01-{n:02X}")  # type: ignore[arg-type]
        for n in range(12)
    ]

    def grow(node: LinuxNode) -> int:
        for number in range(2, 8):
            node.apply(create(CompartmentWant(number, str(number))))
        return len(node._compartments)

    with ThreadPoolExecutor(len(nodes)) as threads:
        assert set(threads.map(grow, nodes)) == {7}
    for node in nodes:
        node.close()


def run(script: str, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
    )


def user_namespaces() -> bool:
    return run(_BECOME_NOBODY + "enter_user_namespace()").returncode == 0


needs_user_namespaces = pytest.mark.skipif(
    not user_namespaces(), reason="this machine lets no unprivileged process make a user namespace"
)


@needs_user_namespaces
def test_without_privileges_a_user_namespace_is_entered() -> None:
    done = run(
        _BECOME_NOBODY
        + """
with Sandbox.open() as sandbox:
    netns = sandbox.new_netns("place")
    print(sandbox.run(netns, os.stat, "/proc/thread-self/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino)
    netns.close()
"""
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


@needs_user_namespaces
def test_too_late_for_a_user_namespace_is_said_with_the_way_out() -> None:
    done = run(
        _BECOME_NOBODY
        + """
stop = threading.Event()
threading.Thread(target=stop.wait).start()
try:
    Sandbox.open()
except SandboxError as error:
    print(error)
stop.set()
"""
    )
    assert "too late for a user namespace" in done.stdout
    assert "unshare --map-root-user" in done.stdout
    assert done.stdout.count("\n") == 1
