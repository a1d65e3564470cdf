"""status: the labs that run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.client import NodeClient, NoLabError
from hnsfake.frontends.sockets import running_labs


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
) -> None:
    """Show your labs that run on this machine."""
    with told():
        views = list(_views())
        if as_json:
            typer.echo(json.dumps(views, indent=2))
        else:
            typer.echo("\n".join(map(_line, views)) or "no lab is running")


def _views() -> Iterator[dict[str, Any]]:
    for lab, nodes in running_labs().items():
        for node in nodes:
            with suppress(NoLabError):  # a lab may end while we look
                yield NodeClient(node, lab).status()


def _line(view: dict[str, Any]) -> str:
    address = view["nodes"][view["node"]]
    unknown = "".join(f"\n    not known, met {count} times: {name}" for name, count in view["unknown_fields"].items())
    counts = ", ".join(f"{count} {noun}" for noun, count in view["objects"].items())
    return (
        f"{view['lab']}/{view['node']}  {view['title']}  HNS {view['hns'][0]}.{view['hns'][1]}  "
        f"{view['address']}  {counts}  unix {address['unix']}  tcp 127.0.0.1:{address['tcp']}{unknown}"
    )
