"""How a command ends that can't do what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from hnsfake.dataplane.interface import DataplaneError
from hnsfake.frontends.client import NoLabError
from hnsfake.frontends.labfile import LabFileError
from hnsfake.frontends.server import ServeError
from hnsfake.lab import LabError
from hnsfake.releases import UnknownReleaseError
from hnsfake.service.journal import JournalError

EXPECTED = (
    DataplaneError,
    JournalError,
    LabError,
    LabFileError,
    NoLabError,
    ServeError,
    UnknownReleaseError,
)


def stop(reason: str) -> NoReturn:
    """End the command with one line that says what to do."""
    typer.echo(f"hnsfake: {reason}", err=True)
    raise typer.Exit(2)


@contextmanager
def told() -> Iterator[None]:
    """Turn what is expected to go wrong into one line."""
    from hnsfake.dataplane.sandbox import SandboxError

    try:
        yield
    except (*EXPECTED, SandboxError) as error:
        stop(str(error))
