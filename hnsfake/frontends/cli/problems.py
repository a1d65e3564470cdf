"""How a command ends that can't do what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from hnsfake.frontends.client import NoLabError

BAD_INPUT = 2
FAULT = 70
"""A fault of ours; sysexits.h calls it EX_SOFTWARE."""


def complain(reason: str) -> int:
    """Say on stderr, in one line, what is wrong and what to do; return the exit code for it."""
    typer.echo(f"hnsfake: {reason}", err=True)
    return BAD_INPUT


def stop(reason: str) -> NoReturn:
    """End the command with one line that says what to do."""
    raise typer.Exit(complain(reason))


@contextmanager
def told(*expected: type[Exception]) -> Iterator[None]:
    """Turn what is expected to go wrong, and what the system refuses, into one line."""
    kinds: tuple[type[Exception], ...] = (NoLabError, *expected)
    try:
        yield
    except BrokenPipeError:
        raise
    except kinds as error:
        stop(str(error))
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}" if error.filename else f"{error.strerror or error}")
