"""up: a lab's life, from its description to its end."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hnsfake.frontends.cli.detach import Release, detach
from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.sockets import running_labs

if TYPE_CHECKING:
    from hnsfake.frontends.labfile import LabFile

_ENDS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def up(
    file: Annotated[Path | None, typer.Option("-f", "--file", help="A YAML file that describes the lab.")] = None,
    node: Annotated[list[str] | None, typer.Option(help="A node's name; may be given again.")] = None,
    release: Annotated[
        str | None, typer.Option(help="The nodes' Windows release: ws2025, or as ws2022@20348.288.")
    ] = None,
    quirk: Annotated[list[str] | None, typer.Option(help="A quirk to switch on; may be given again.")] = None,
    no_quirk: Annotated[list[str] | None, typer.Option(help="A quirk to switch off; may be given again.")] = None,
    name: Annotated[str | None, typer.Option(help="The lab's name.")] = None,
    dataplane: Annotated[str | None, typer.Option(help='"linux", or "none" for the API alone.')] = None,
    state: Annotated[Path | None, typer.Option(help="A directory where the state survives a restart.")] = None,
    record: Annotated[Path | None, typer.Option(help="A directory for recordings of all calls, one a node.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port of the first node; 0: any.")] = 0,
    socket_dir: Annotated[Path | None, typer.Option(help="A directory for Unix sockets with names.")] = None,
    log: Annotated[Path | None, typer.Option(help="A file for the log; else it goes to stderr.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse fields, flags and paths that nobody here knows.")
    ] = False,
    in_background: Annotated[bool, typer.Option("--detach", help="Run in the background.")] = False,
) -> None:
    """Start a lab and serve it until Ctrl-C, SIGTERM or `hnsfake down`. Flags win over the file."""
    # Imported here: only this command needs the service.
    from hnsfake.dataplane.interface import DataplaneError
    from hnsfake.dataplane.sandbox import SandboxError
    from hnsfake.frontends.labfile import LabFileError, describe
    from hnsfake.frontends.server import ServeError
    from hnsfake.lab import LabError
    from hnsfake.recording.lines import RecordingError
    from hnsfake.service.journal import JournalError

    with told(DataplaneError, SandboxError, LabFileError, ServeError, LabError, JournalError, RecordingError):
        names = {"name": name, "release": release, "dataplane": dataplane, "nodes": node}
        quirks = {**dict.fromkeys(quirk or (), True), **dict.fromkeys(no_quirk or (), False)}
        flags = {**names, "strict": strict, "record": record, "quirks": quirks}
        lab = describe(file, {key: value for key, value in flags.items() if value})
        if lab.name in running_labs():
            stop(f"a lab {lab.name} is running already: `hnsfake down --lab {lab.name}`, or give a --name")
        if log is not None:
            logging.basicConfig(filename=log, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        _serve(lab, state, port, socket_dir, detach() if in_background else sys.stdout.flush)


def _serve(description: LabFile, state: Path | None, port: int, socket_dir: Path | None, ready: Release) -> None:
    from hnsfake.dataplane.sandbox import enter_user_namespace
    from hnsfake.frontends.server import LabServer
    from hnsfake.lab import Lab

    if description.dataplane == "linux":
        enter_user_namespace()  # before any thread is there; does nothing for root
    # Whatever starts from here on ends in order; signals wait for sigwait.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    lab = Lab(
        description.configs(),
        release=description.release,
        dataplane=description.dataplane,
        state=state,
        name=description.name,
        faults=description.faults,
        strict=description.strict,
        record=description.record,
        quirks=description.quirks,
    )
    with lab, LabServer(lab, port, socket_dir) as server:
        typer.echo(f"lab {lab.name} is up (pid {os.getpid()})")
        for name, node in lab.nodes.items():
            unix, tcp = server.addresses[name].unix, server.addresses[name].tcp
            typer.echo(f"  {name}  {node.release.title}  {node.address}  unix {unix}  tcp 127.0.0.1:{tcp}")
        ready()
        signal.sigwait(_ENDS)
    typer.echo(f"lab {lab.name} is down")
