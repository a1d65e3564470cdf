"""wine: a Windows program on a node."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hnsfake.frontends.cli import entering
from hnsfake.frontends.cli.problems import complain, stop, told
from hnsfake.frontends.client import NodeClient, first_node

if TYPE_CHECKING:
    from hnsfake.frontends.wine import Prefixes

_WINDOWS_PROGRAM = b"MZ"


def wine(
    context: typer.Context,
    node: Annotated[
        str | None, typer.Option(envvar="HNSFAKE_NODE", help="The node; the lab's first where it isn't said.")
    ] = None,
    namespace: Annotated[str, typer.Option(help="The namespace's GUID or compartment number.")] = "1",
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Run a Windows program on a node, as in ``hnsfake wine -- win-bridge.exe`` (`go test -exec "hnsfake wine --"`).

    It finds HNS in computenetwork.dll and vmcompute.dll, and Windows as the node's release; its sockets are the
    node's. Drive Z: is this machine's file system, drive C: the node's own.
    """
    from hnsfake.frontends.wine import NoWineError, PrefixError, Prefixes
    from hnsfake.native import MissingLibraryError
    from hnsfake.releases import release

    command: list[str] = context.obj
    if not command:
        stop("what to run? hnsfake wine [--node NODE] -- PROGRAM.exe …")
    _check(command[0])
    with told(NoWineError, PrefixError, MissingLibraryError):
        status = NodeClient(node or first_node(lab), lab).status()
        number = entering.compartment(status, namespace)
        prefixes = Prefixes.of_user()
        user = (os.getuid(), os.getgid())
        entering.enter(status, number)
        _own_places(status, number, prefixes, user[0])
        if os.getuid() != user[0]:
            entering.be_user(*user)
        prefix = prefixes.clone(release(status["release"]), status["pid"])
        _check_name(command[0], prefix)
        prefixes.boot(prefix)
    entering.become([str(prefixes.wine.loader), *command], prefixes.environment(prefix))


def _own_places(status: dict[str, Any], number: str, prefixes: Prefixes, uid: int) -> None:
    """Let Wine's sockets be in our cache, and the machine have the node's name, which Wine looks up at its start."""
    node, address = status["node"], status["address"]
    files = {
        "resolv.conf": entering.resolv_conf(status["dns"][number]),
        "hosts": f"127.0.0.1 localhost\n{address} {node}\n",
    }
    from hnsfake.frontends.wine import server_places

    places = server_places(uid)
    for place in places:
        place.mkdir(mode=0o700, exist_ok=True)
    if entering.own_files(files):
        for place in places:
            entering.lay_over(prefixes.servers(), place)
    entering.own_name(node)


def _check_name(program: str, prefix: Path) -> None:
    """Say what Wine would say less clearly: of a program given by its name, to be searched for as Windows does."""
    if set(program) & set("/\\:") or "WINEPATH" in os.environ:
        return
    windows = prefix / "drive_c/windows"
    names = {program.casefold(), f"{program}.exe".casefold()}
    if not any(
        path.name.casefold() in names for place in (Path(), windows, windows / "system32") for path in place.iterdir()
    ):
        complain(f"{program}: no such program, here or on the node's drive C:")
        raise typer.Exit(127)


def _check(program: str) -> None:
    """Say what Wine would say less clearly: of a program given by its path in this machine's file system."""
    if "/" not in program:
        return
    try:
        with Path(program).open("rb") as file:
            start = file.read(len(_WINDOWS_PROGRAM))
    except FileNotFoundError:
        complain(f"{program}: no such program")
        raise typer.Exit(127) from None
    except OSError as error:
        complain(f"{program}: {error.strerror}")
        raise typer.Exit(126) from None
    if start != _WINDOWS_PROGRAM:
        complain(f"{program} is not a Windows program: `hnsfake exec NODE -- {program}` runs Linux programs")
        raise typer.Exit(126)
