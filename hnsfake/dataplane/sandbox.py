"""The sandbox of a lab: network namespaces held by file descriptors alone, and threads that work in them.

Nothing has a name, so nothing can outlive the process: when its descriptors close, the kernel takes the
namespaces down. With root, namespaces are simply made; without, the process enters a user namespace first.

Namespaces are a property of a thread. The main thread never leaves the machine's own namespace (in a user
namespace it could not come back); sandbox threads go wherever their work is and never need to come back.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import local
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from hnsfake.dataplane import messages, netlink

P = ParamSpec("P")
R = TypeVar("R")

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_CAP_NET_ADMIN, _CAP_SYS_ADMIN = 12, 21
_THREADS = 1  # one that is always warm is faster than several that take turns; what runs there is short

_libc = ctypes.CDLL(None, use_errno=True)


class SandboxError(RuntimeError):
    """No sandbox can be had; the text says in one line what to do."""


class NetNs:
    """A network namespace, alive as long as its descriptor is open."""

    def __init__(self, fd: int, label: str) -> None:
        self.fd = fd
        self.label = label

    def close(self) -> None:
        """Let go of the namespace; the kernel removes it, and all in it, when nobody else holds it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def another(self) -> NetNs:
        """Return a second hold on the namespace: it stays until both are closed."""
        return NetNs(os.dup(self.fd), self.label)

    def __repr__(self) -> str:
        return f"NetNs({self.label!r}, fd={self.fd})"


def enter(netns: NetNs) -> None:
    """Move the calling thread into ``netns``. Only for sandbox threads."""
    if _libc.setns(netns.fd, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise SandboxError(f"can't enter {netns.label}: {os.strerror(number)}")


class Sandbox:
    """Makes namespaces and runs functions in them."""

    def __init__(self) -> None:
        self._here = local()
        self._threads = ThreadPoolExecutor(
            _THREADS, thread_name_prefix="hnsfake-sandbox", initializer=setattr, initargs=(self._here, "is_ours", True)
        )

    @classmethod
    def open(cls) -> Sandbox:
        """Return a sandbox; enter a user namespace where the process may not make network namespaces.

        Raises SandboxError where neither is possible.
        """
        if not _privileged():
            enter_user_namespace()
        _allow_many_files()
        return cls()

    def new_netns(self, label: str) -> NetNs:
        """Return an empty namespace, its loopback interface on; raise SandboxError and DataplaneError.

        Callable from any thread; a sandbox thread is in the namespace afterwards.
        """
        if getattr(self._here, "is_ours", False):
            return _make(label)
        return self._threads.submit(_make, label).result()

    def run(self, netns: NetNs, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run ``function`` on a sandbox thread inside ``netns``; return or raise what it does.

        ``function`` may go on to other namespaces with ``enter``.
        """
        work = partial(function, *args, **kwargs)
        if getattr(self._here, "is_ours", False):
            return _run_in(netns, work)
        return self._threads.submit(_run_in, netns, work).result()

    @property
    def thread(self) -> Executor:
        """The sandbox thread: what runs there finds ``run`` to be a plain call."""
        return self._threads

    def close(self) -> None:
        """Stop the threads; may be called twice. Namespaces belong to whoever asked for them."""
        self._threads.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def enter_user_namespace() -> None:
    """Give the process a user namespace in which it is root; raise SandboxError where that can't be.

    The kernel allows it only to a process with one thread.
    """
    if _privileged():
        return
    if len(os.listdir("/proc/self/task")) > 1:
        raise SandboxError(
            "no privileges, and too late for a user namespace (the process has threads): "
            "run as root, or under `unshare --map-root-user COMMAND`"
        )
    uid, gid = os.getuid(), os.getgid()
    if _libc.unshare(_CLONE_NEWUSER) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise SandboxError(f"no user namespaces ({reason}): run as root, or `sysctl -w user.max_user_namespaces=10000`")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def _allow_many_files() -> None:
    """Use the files that the process may have: a compartment and each connection of a workload is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _privileged() -> bool:
    """Whether the process has the capabilities that namespaces and interfaces need."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            effective = int(line.split()[1], 16)
            needed = 1 << _CAP_SYS_ADMIN | 1 << _CAP_NET_ADMIN
            return effective & needed == needed
    return False


def _make(label: str) -> NetNs:
    """Make a namespace; the calling thread is in it afterwards."""
    if _libc.unshare(_CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise SandboxError(f"can't make a network namespace ({reason}): `hnsfake doctor` says more")
    try:
        netns = NetNs(os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC), label)
    except OSError as error:
        raise SandboxError(f"can't hold a network namespace: {error.strerror}") from error
    try:
        netlink.send([messages.loopback_up()], "switch on the loopback interface")
    except BaseException:
        netns.close()
        raise
    return netns


def _run_in(netns: NetNs, work: Callable[[], R]) -> R:
    enter(netns)
    return work()
