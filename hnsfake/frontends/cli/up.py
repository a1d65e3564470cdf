"""up, down, status: a lab's life."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient, NoLabError
from hnsfake.frontends.labfile import LabFile, check_lab, read_lab_file
from hnsfake.frontends.server import LabServer
from hnsfake.frontends.sockets import running_labs
from hnsfake.lab import DEFAULT_NODES, DEFAULT_RELEASE, Lab

_PATIENCE = 20.0


def up(
    file: Annotated[Path | None, typer.Option("-f", "--file", help="A YAML file that describes the lab.")] = None,
    node: Annotated[list[str] | None, typer.Option(help="A node's name; may be given again.")] = None,
    release: Annotated[str, typer.Option(help="The nodes' Windows release.")] = DEFAULT_RELEASE,
    name: Annotated[str, typer.Option(help="The lab's name.")] = "default",
    dataplane: Annotated[str, typer.Option(help='"linux", or "none" for the API alone.')] = "linux",
    state: Annotated[Path | None, typer.Option(help="A directory where the state survives a restart.")] = None,
    port: Annotated[int, typer.Option(help="TCP port of the first node; 0 lets the system choose.")] = 0,
    socket_dir: Annotated[Path | None, typer.Option(help="A directory for Unix sockets with names.")] = None,
    detach: Annotated[bool, typer.Option(help="Run in the background.")] = False,
) -> None:
    """Start a lab and serve it until Ctrl-C, SIGTERM or `hnsfake down`."""
    with told():
        if file is not None:
            lab = read_lab_file(file)
        else:
            flags = {"name": name, "release": release, "dataplane": dataplane, "nodes": node or DEFAULT_NODES}
            lab = check_lab({**flags, "nodes": tuple(flags["nodes"])}, "the command line")
        if lab.name in running_labs():
            stop(f"a lab {lab.name} is running already: `hnsfake down --lab {lab.name}`, or give a --name")
        if detach:
            _detach()
        _serve(lab, state, port, socket_dir)


def _serve(lab_file: LabFile, state: Path | None, port: int, socket_dir: Path | None) -> None:
    if lab_file.dataplane == "linux":
        from hnsfake.dataplane.sandbox import enter_user_namespace

        enter_user_namespace()  # before any thread is there; does nothing for root
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    lab = Lab(
        lab_file.configs(),
        release=lab_file.release,
        dataplane=lab_file.dataplane,
        state=state,
        name=lab_file.name,
    )
    with lab, LabServer(lab, port, socket_dir) as server:
        typer.echo(f"lab {lab.name} is up (pid {os.getpid()})")
        for name, node in lab.nodes.items():
            address = server.addresses[name]
            typer.echo(
                f"  {name}  {node.release.title}  {node.address}  unix {address.unix}  tcp 127.0.0.1:{address.tcp}"
            )
        sys.stdout.flush()
        _ready()
        signal.sigwait(signals)
    typer.echo(f"lab {lab.name} is down")


def down(
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Stop a lab."""
    with told():
        name, node = _choose(lab)
        with NodeClient(node, name) as client:
            pid = int(client.status()["pid"])
        process = os.pidfd_open(pid)
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not _ended(process):
            stop(f"lab {name} (pid {pid}) does not stop: `kill -9 {pid}` leaves nothing behind either")
        typer.echo(f"lab {name} is down")


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
) -> None:
    """Show the labs that run on this machine."""
    with told():
        labs = running_labs()
        views = []
        for lab, nodes in labs.items():
            for node in nodes:
                with NodeClient(node, lab) as client:
                    views.append(client.status())
        if as_json:
            typer.echo(json.dumps(views, indent=2))
            return
        if not views:
            typer.echo("no lab is running")
        for view in views:
            address = view["nodes"][view["node"]]
            counts = ", ".join(f"{count} {noun}" for noun, count in view["objects"].items())
            typer.echo(
                f"{view['lab']}/{view['node']}  {view['title']}  HNS {view['hns'][0]}.{view['hns'][1]}  "
                f"{view['address']}  {counts}  unix {address['unix']}  tcp 127.0.0.1:{address['tcp']}"
            )


def _choose(lab: str | None) -> tuple[str, str]:
    labs = running_labs()
    if lab is not None and lab not in labs:
        raise NoLabError(f"no lab {lab} is running")
    if not labs:
        raise NoLabError("no lab is running")
    if lab is None and len(labs) > 1:
        raise NoLabError(f"several labs run: say which with --lab ({', '.join(labs)})")
    name = lab or next(iter(labs))
    return name, labs[name][0]


def _ended(process: int) -> bool:
    """Wait for the process behind a pidfd; return whether it ended in time."""
    ready, _, _ = select.select([process], [], [], _PATIENCE)
    os.close(process)
    return bool(ready)


_READY_VARIABLE = "HNSFAKE_READY_FD"


def _detach() -> None:
    """Go on in a child of init; this process ends when the lab is up, with what it had to say."""
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with os.fdopen(reader, "rb") as said:
            message = said.read()
        sys.stdout.buffer.write(message)
        sys.stdout.flush()
        os._exit(0 if message.startswith(b"lab ") else 2)
    os.close(reader)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    os.close(writer)
    os.environ[_READY_VARIABLE] = str(nothing)


def _ready() -> None:
    """Let the process that waits for a detached lab go."""
    if nothing := os.environ.pop(_READY_VARIABLE, None):
        os.dup2(int(nothing), 1)
        os.dup2(int(nothing), 2)
