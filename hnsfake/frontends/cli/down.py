"""down: the end of a lab."""

from __future__ import annotations

import os
import select
import signal
from typing import Annotated

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NoLabError
from hnsfake.frontends.sockets import listener_of, running_labs

_PATIENCE = 20.0


def down(
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Stop a lab."""
    with told():
        name, node = _choose(lab)
        server = listener_of(name, node)
        if server is not None and not _stopped(server.pid):
            stop(f"lab {name} (pid {server.pid}) does not stop: `kill -9 {server.pid}` leaves nothing behind either")
        typer.echo(f"lab {name} is down")


def _choose(lab: str | None) -> tuple[str, str]:
    """Return the name of the lab that is meant, and one of its nodes."""
    labs = running_labs()
    if lab is not None and lab not in labs:
        raise NoLabError(f"no lab {lab} is running" + (f" (running: {', '.join(labs)})" if labs else ""))
    if not labs:
        raise NoLabError("no lab is running")
    if lab is None and len(labs) > 1:
        raise NoLabError(f"several labs run: say which with --lab ({', '.join(labs)})")
    name = lab or next(iter(labs))
    return name, labs[name][0]


def _stopped(pid: int) -> bool:
    """Ask a process to stop; return whether it ended in time."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        signal.pidfd_send_signal(process, signal.SIGTERM)
        ready, _, _ = select.select([process], [], [], _PATIENCE)
    finally:
        os.close(process)
    return bool(ready)
