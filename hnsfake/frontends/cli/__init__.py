"""The command line: one file a command, put together here.

A command imports what only it needs when it runs, so that the small ones start quickly.
"""

from __future__ import annotations

import os
import sys

import typer

from hnsfake import __version__
from hnsfake.frontends.cli import (
    call,
    container,
    diag,
    doctor,
    down,
    fault,
    life_cycle,
    parity,
    registry,
    replay,
    run,
    status,
    up,
    wine,
)
from hnsfake.frontends.cli.problems import FAULT, complain

app = typer.Typer(
    help="An emulated Windows Host Networking Service (HNS) on Linux.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(up.up)
app.command("down")(down.down)
app.command("status")(status.status)
app.command("call")(call.call)
app.command("diag")(diag.diag)
app.command("registry")(registry.registry)
app.command("exec")(run.execute)
app.command("wine")(wine.wine)
app.command("sandbox")(run.sandbox)
app.command("restart-service")(life_cycle.restart_service)
app.command("crash-service")(life_cycle.crash_service)
app.command("reboot")(life_cycle.reboot)
app.add_typer(container.app, name="container")
app.add_typer(fault.app, name="fault")
app.command("replay")(replay.replay)
app.command("parity")(parity.parity)
app.command("doctor")(doctor.doctor)


@app.command("version")
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """Run the command line; what goes wrong is one line, and exit code 2."""
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    # What stands behind "--" is another program's: it is kept from the parser.
    ours, command = _split(arguments)
    try:
        code: int | None = app(ours or ["--help"], prog_name="hnsfake", standalone_mode=False, obj=command)
        sys.stdout.flush()
    except typer.TyperException as error:
        return complain(f"{' '.join(error.format_message().split())} (`hnsfake {_name(ours)}--help` says more)")
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if "HNSFAKE_TRACEBACK" in os.environ:
            raise
        complain(f"internal fault: {type(error).__name__}: {' '.join(str(error).split())} (HNSFAKE_TRACEBACK=1: where)")
        return FAULT
    return code or 0


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _name(arguments: list[str]) -> str:
    known = {each.name for each in app.registered_commands} | {each.name for each in app.registered_groups}
    return f"{arguments[0]} " if arguments and arguments[0] in known else ""
