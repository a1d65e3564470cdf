"""exec: a program inside a compartment; sandbox: a program that may make labs without root."""

from __future__ import annotations

from typing import Annotated

import typer

from hnsfake.frontends.cli import entering
from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient


def execute(
    context: typer.Context,
    node: Annotated[str, typer.Argument(help="The node.")],
    namespace: Annotated[
        str, typer.Argument(help="The namespace's GUID or compartment number; the node's own by default.")
    ] = "1",
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Run a program in a compartment, as in ``hnsfake exec n1 2 -- ip addr``."""
    command: list[str] = context.obj
    if not command:
        stop("what to run? hnsfake exec NODE [NAMESPACE] -- COMMAND …")
    with told():
        status = NodeClient(node, lab).status()
        number = entering.compartment(status, namespace)
        entering.enter(status, number)
        entering.own_files({"resolv.conf": entering.resolv_conf(status["dns"][number])})
    entering.become(command)


def sandbox(context: typer.Context) -> None:
    """Run a program as root of a user namespace of its own, as in ``hnsfake sandbox -- pytest``.

    For programs that make labs (a test run, say) where root is not to be had.
    """
    from hnsfake.dataplane.sandbox import SandboxError, enter_user_namespace

    command: list[str] = context.obj
    if not command:
        stop("what to run? hnsfake sandbox -- COMMAND …")
    with told(SandboxError):
        enter_user_namespace()
    entering.become(command)
