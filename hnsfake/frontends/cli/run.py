"""exec: a program inside a compartment; sandbox: a program that may make labs without root."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from hnsfake.frontends.cli.problems import complain, stop, told
from hnsfake.frontends.client import NodeClient

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
_MS_BIND, _MS_REC, _MS_PRIVATE, _MNT_DETACH = 4096, 16384, 1 << 18, 2
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_libc = ctypes.CDLL(None, use_errno=True)


def execute(
    context: typer.Context,
    node: Annotated[str, typer.Argument(help="The node.")],
    namespace: Annotated[
        str, typer.Argument(help="The namespace's GUID or compartment number; the node's own by default.")
    ] = "1",
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Run a program in a compartment, as in ``hnsfake exec n1 2 -- ip addr``."""
    command: list[str] = context.obj
    if not command:
        stop("what to run? hnsfake exec NODE [NAMESPACE] -- COMMAND …")
    with told():
        with NodeClient(node, lab) as client:
            status = client.status()
        number = _compartment(status, namespace)
        _enter(status, number)
        _own_files(status["dns"][number])
    _become(command)


def sandbox(context: typer.Context) -> None:
    """Run a program as root of a user namespace of its own, as in ``hnsfake sandbox -- pytest``.

    For programs that make labs (a test run, say) where root is not to be had.
    """
    from hnsfake.dataplane.sandbox import SandboxError, enter_user_namespace

    command: list[str] = context.obj
    if not command:
        stop("what to run? hnsfake sandbox -- COMMAND …")
    with told(SandboxError):
        enter_user_namespace()
    _become(command)


def _compartment(status: dict[str, Any], namespace: str) -> str:
    """Return the number, as text, of the compartment that was named."""
    compartments = status["compartments"]
    if not compartments:
        stop("this lab has no compartments: it was started with --dataplane none")
    wanted = namespace.strip("{}").upper()
    number = str(status["namespaces"].get(wanted, namespace))
    if number not in compartments:
        known = ", ".join(compartments)
        stop(f"node {status['node']} has no namespace or compartment {namespace} (compartments: {known})")
    return number


def _enter(status: dict[str, Any], number: str) -> None:
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


def _own_files(dns: dict[str, Any]) -> None:
    """Give the program its own view of /sys and resolv.conf, where the system allows it.

    Without them it still runs in the compartment; only what it reads there is the machine's.
    """
    if _libc.unshare(_CLONE_NEWNS) != 0 or _mount("none", "/", "", _MS_REC | _MS_PRIVATE) != 0:
        return
    # The file needs a place that ends with the program: a file system that nobody else sees, over /sys for now.
    if _mount("hnsfake", "/sys", "tmpfs", 0) == 0:
        settings = Path("/sys/resolv.conf")
        settings.write_text(_resolv_conf(dns))
        settings.chmod(0o644)
        _mount(str(settings), os.path.realpath("/etc/resolv.conf"), "", _MS_BIND)
        _libc.umount2(b"/sys", _MNT_DETACH)
    _mount("hnsfake", "/sys", "sysfs", 0)


def _resolv_conf(dns: dict[str, Any]) -> str:
    """Write v2's ``Dns`` object as Windows resolves by it: one suffix, for names without a dot alone."""
    suffix = next(iter(dns.get("Search", [])), dns.get("Domain", ""))
    lines = [f"nameserver {server}" for server in dns.get("ServerList", [])]
    lines += [f"search {suffix}"] if suffix else []
    return "".join(f"{line}\n" for line in [*lines, "options ndots:1"])


def _mount(source: str, target: str, kind: str, flags: int) -> int:
    result: int = _libc.mount(source.encode(), target.encode(), kind.encode(), flags, None)
    return result


def _must(result: int, purpose: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} ({purpose})")


def _become(command: list[str]) -> NoReturn:
    # Tools such as ip and tc are in places that a user's PATH may lack.
    os.environ["PATH"] = ":".join(filter(None, (os.environ.get("PATH"), _PATH)))
    try:
        os.execvp(command[0], command)
    except FileNotFoundError:
        complain(f"{command[0]}: no such program")
        raise typer.Exit(127) from None  # as shells say it
    except OSError as error:
        complain(f"{command[0]}: {error.strerror}")
        raise typer.Exit(126) from None
