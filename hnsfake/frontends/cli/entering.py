"""Into a node's compartment: what this process does before it becomes the program that runs there."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer

from hnsfake.frontends.cli.problems import complain, stop

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWUTS = 0x00020000, 0x10000000, 0x40000000, 0x04000000
_MS_BIND, _MS_REC, _MS_PRIVATE, _MNT_DETACH = 4096, 16384, 1 << 18, 2
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_libc = ctypes.CDLL(None, use_errno=True)


def compartment_number(status: dict[str, Any], namespace: str) -> str:
    """Return the number, as text, of the compartment that is meant: by GUID, by container, by number."""
    wanted = namespace.strip("{}").upper()
    return str(status["systems"].get(namespace, status["namespaces"].get(wanted, namespace)))


def compartment(status: dict[str, Any], namespace: str) -> str:
    """Return the number of a compartment in which something can run; end the command where it is none."""
    compartments = status["compartments"]
    if not compartments:
        stop("this lab has no compartments: it was started with --dataplane none")
    number = compartment_number(status, namespace)
    if number not in compartments:
        known = ", ".join(compartments)
        stop(f"node {status['node']} has no namespace or compartment {namespace} (compartments: {known})")
    return number


def enter(status: dict[str, Any], number: str) -> None:
    """Join the lab's user namespace, where it has one, and the compartment."""
    pid = status["pid"]
    try:
        netns = os.open(status["compartments"][number], os.O_RDONLY)
        own, theirs = (os.stat(f"/proc/{who}/ns/user") for who in ("self", pid))
        if own.st_ino != theirs.st_ino:
            user = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY)
            _must(_libc.setns(user, _CLONE_NEWUSER), "join the lab's user namespace")
            os.close(user)
        _must(_libc.setns(netns, _CLONE_NEWNET), "enter the compartment")
        os.close(netns)
    except OSError as error:
        stop(f"can't enter the compartment: {error.strerror} (are you the user who started the lab?)")


def own_files(files: Mapping[str, str]) -> bool:
    """Give the program its own view of /sys and of these files of /etc, where the system allows it.

    Without them it still runs in the compartment; only what it reads there is the machine's. Returns whether the
    process has mounts of its own now.
    """
    if _libc.unshare(_CLONE_NEWNS) != 0 or _mount("none", "/", "", _MS_REC | _MS_PRIVATE) != 0:
        return False
    # The files need a place that ends with the program: a file system that nobody else sees, over /sys for now.
    if _mount("hnsfake", "/sys", "tmpfs", 0) == 0:
        for name, text in files.items():
            file = Path("/sys", name)
            file.write_text(text)
            file.chmod(0o644)
            _mount(str(file), os.path.realpath(Path("/etc", name)), "", _MS_BIND)
        _libc.umount2(b"/sys", _MNT_DETACH)
    _mount("hnsfake", "/sys", "sysfs", 0)
    return True


def lay_over(directory: Path, place: Path) -> None:
    """Let ``place`` show ``directory``, for this process and its children; raise OSError. After ``own_files``."""
    _must(_mount(str(directory), str(place), "", _MS_BIND), f"lay {directory} over {place}")


def own_name(name: str) -> None:
    """Give this process a host name of its own, where the system allows it."""
    if _libc.unshare(_CLONE_NEWUTS) == 0:
        encoded = name.encode()
        _libc.sethostname(encoded, len(encoded))


def resolv_conf(dns: dict[str, Any]) -> str:
    """Write v2's ``Dns`` object as Windows resolves by it: one suffix, for names without a dot alone."""
    suffix = next(iter(dns.get("Search", [])), dns.get("Domain", ""))
    lines = [f"nameserver {server}" for server in dns.get("ServerList", [])]
    lines += [f"search {suffix}"] if suffix else []
    return "".join(f"{line}\n" for line in [*lines, "options ndots:1"])


def be_user(uid: int, gid: int) -> None:
    """Be that user again inside the lab's user namespace, in which everybody is root; raise OSError."""
    _must(_libc.unshare(_CLONE_NEWUSER), "leave the lab's root")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} 0 1")
    Path("/proc/self/gid_map").write_text(f"{gid} 0 1")


def become(command: Sequence[str], environment: Mapping[str, str] = os.environ) -> NoReturn:
    """Become the program."""
    # Tools such as ip and tc are in places that a user's PATH may lack.
    path = ":".join(filter(None, (environment.get("PATH"), _PATH)))
    try:
        os.execvpe(command[0], list(command), {**environment, "PATH": path})
    except FileNotFoundError:
        complain(f"{command[0]}: no such program")
        raise typer.Exit(127) from None  # as shells say it
    except OSError as error:
        complain(f"{command[0]}: {error.strerror}")
        raise typer.Exit(126) from None


def _mount(source: str, target: str, kind: str, flags: int) -> int:
    result: int = _libc.mount(source.encode(), target.encode(), kind.encode(), flags, None)
    return result


def _must(result: int, purpose: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} ({purpose})")
