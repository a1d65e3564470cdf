"""fault: what shall go wrong on a node."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.client import NodeClient, RefusedError

app = typer.Typer(help="Have calls to a node's HNS fail, be late, lose their answer or meet a restart of the service.")
Node = Annotated[str, typer.Argument(help="The node.")]
Lab = Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")]
_COUNTERS = ("id", "matched", "hits")


@app.command("add")
def add(
    node: Node,
    operation: Annotated[str, typer.Argument(help='A function, or method and path: HcnCreate*, "POST /endpoints/".')],
    object_: Annotated[str | None, typer.Option("--object", help="Id or name of what the call is about.")] = None,
    nth: Annotated[int | None, typer.Option(help="The n-th of these calls; with --times, the first of them.")] = None,
    times: Annotated[int | None, typer.Option(help="How many of these calls; else all.")] = None,
    fail: Annotated[str | None, typer.Option(help="HRESULT to fail with, as HCN_E_INVALID_IP or 0x803b001e.")] = None,
    delay: Annotated[str | None, typer.Option(help="Seconds, or a profile such as healthy.")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Restart the service before the answer.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Break the connection before the answer.")] = False,
    lab: Lab = None,
) -> None:
    """Put a rule in force, and print its number."""
    words = {
        "operation": operation,
        "object": object_,
        "nth": nth,
        "times": times,
        "fail": fail,
        "delay": delay,
        "restart": restart or None,
        "drop": drop or None,
    }
    with told(RefusedError):
        added = NodeClient(node, lab).add_fault({name: word for name, word in words.items() if word is not None})
    typer.echo(added["id"])


@app.command("list")
def show(node: Node, lab: Lab = None) -> None:
    """List the rules in force: how many calls each was for, and to how many of them it happened."""
    with told():
        for fault in NodeClient(node, lab).faults():
            typer.echo(_line(fault))


@app.command("clear")
def clear(
    node: Node,
    number: Annotated[int | None, typer.Argument(help="The rule's number; else all.")] = None,
    lab: Lab = None,
) -> None:
    """Put a rule, or all, out of force; delayed calls go on."""
    with told(RefusedError):
        NodeClient(node, lab).clear_faults(number)


def _line(fault: dict[str, Any]) -> str:
    words = "  ".join(f"{name} {word}" for name, word in fault.items() if name not in (*_COUNTERS, "operation"))
    return f"{fault['id']}  {fault['operation']}  {words}  ({fault['matched']} calls, {fault['hits']} hit)"
