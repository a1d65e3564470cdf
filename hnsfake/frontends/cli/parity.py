"""parity: two recordings of the same calls, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.cli.replay import KnownFile


def parity(
    expected: Annotated[Path, typer.Argument(help="The recording that is taken as right.")],
    seen: Annotated[Path, typer.Argument(help="The recording of the same calls that is held against it.")],
    known: KnownFile = None,
) -> None:
    """Compare two recordings by operation and field: exit code 1 where some differ that are not known to."""
    # Imported here: only this command needs them.
    from hnsfake.recording.compare import compare
    from hnsfake.recording.known import KnownFileError, read_known
    from hnsfake.recording.lines import Header, RecordingError, read
    from hnsfake.recording.report import by_field

    def title(header: Header) -> str:
        return f"{header.backend}, {header.release}, HNS {header.hns}, node {header.node}, {header.date}"

    with told(RecordingError, KnownFileError):
        one, other, differences = read(expected), read(seen), read_known(known)
        comparison = compare(one.exchanges, other.exchanges, differences)
    typer.echo(f"expected: {title(one.header)}\nseen:     {title(other.header)}")
    for line in by_field(comparison):
        typer.echo(line)
    raise typer.Exit(1 if comparison.new else 0)
