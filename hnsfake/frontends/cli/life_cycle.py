"""restart-service, crash-service, reboot: what clients of HNS must live through."""

from __future__ import annotations

from typing import Annotated

import typer

from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.client import NodeClient

Node = Annotated[str, typer.Argument(help="The node.")]
Lab = Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")]


def restart_service(node: Node, lab: Lab = None) -> None:
    """Restart a node's HNS: objects and packets stay, clients' handles and callbacks don't."""
    with told():
        NodeClient(node, lab).act("restart-service")


def crash_service(node: Node, lab: Lab = None) -> None:
    """Have a node's HNS die and start again: as restart-service, but for what the release's quirks lose."""
    with told():
        NodeClient(node, lab).act("crash-service")


def reboot(node: Node, lab: Lab = None) -> None:
    """Reboot a node: containers, namespaces and non-persistent networks are gone, endpoints are detached."""
    with told():
        NodeClient(node, lab).act("reboot")
