"""replay: the calls of a recording, sent again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.client import NodeClient

if TYPE_CHECKING:
    from hnsfake.recording.replay import Backend

KnownFile = Annotated[
    Path | None, typer.Option(help="A YAML file of known differences: operation, pointer and reason of each.")
]


def replay(
    recording: Annotated[Path, typer.Argument(help="The recording.")],
    node: Annotated[str | None, typer.Option(help="A running node; without it, a fresh one in memory.")] = None,
    release: Annotated[str | None, typer.Option(help="The fresh node's Windows release, if not the recorded.")] = None,
    known: KnownFile = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show known differences too.")] = False,
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Send a recording's calls to a node and compare the answers: exit code 1 where some differ."""
    # Imported here: only this command needs them.
    from hnsfake.recording.known import KnownFileError, read_known
    from hnsfake.recording.lines import RecordingError, read
    from hnsfake.recording.replay import replay as send
    from hnsfake.recording.report import by_exchange
    from hnsfake.releases import UnknownReleaseError

    with told(RecordingError, KnownFileError, UnknownReleaseError):
        recorded, differences = read(recording), read_known(known)
        with _backend(node, lab, release or recorded.header.release) as backend:
            comparison = send(recorded, backend, differences)
    for line in by_exchange(comparison, verbose):
        typer.echo(line)
    raise typer.Exit(1 if comparison.new else 0)


@contextmanager
def _backend(node: str | None, lab: str | None, release: str) -> Iterator[Backend]:
    if node is not None:
        yield NodeClient(node, lab)
        return
    from hnsfake.lab import Lab

    with Lab(["n1"], release=release, dataplane="none") as fresh:
        yield fresh.nodes["n1"]
