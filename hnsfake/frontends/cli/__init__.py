"""The command line: one file a command, put together here."""

from __future__ import annotations

import sys

import typer

from hnsfake import __version__
from hnsfake.frontends.cli import call, diag, doctor, run, up

app = typer.Typer(
    help="An emulated Windows Host Networking Service (HNS) on Linux.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(up.up)
app.command("down")(up.down)
app.command("status")(up.status)
app.command("call")(call.call)
app.command("diag")(diag.diag)
app.command("exec", context_settings={"ignore_unknown_options": True})(run.execute)
app.command("sandbox", context_settings={"ignore_unknown_options": True})(run.sandbox)
app.command("doctor")(doctor.doctor)


@app.command("version")
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """Run the command line; what goes wrong is one line, and exit code 2."""
    # What stands behind "--" is another program's: it is kept from the parser.
    arguments, _, command = _split(sys.argv[1:])
    try:
        app(arguments, obj=command)
    except KeyboardInterrupt:
        sys.exit(130)


def _split(arguments: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in arguments:
        return arguments, "", []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1 :]
