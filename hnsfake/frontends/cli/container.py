"""container: compute systems, for clients that attach endpoints to containers and not to namespaces."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient

app = typer.Typer(help="Make and remove containers (compute systems): v1 clients attach endpoints to them.")
Node = Annotated[str, typer.Argument(help="The node.")]
Id = Annotated[str, typer.Argument(help="The container's id, as its runtime would choose it.")]
Lab = Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")]


@app.command("create")
def create(
    node: Node,
    container: Id,
    share: Annotated[str, typer.Option(help="The container whose compartment it shares.")] = "",
    namespace: Annotated[str, typer.Option(help="The HNS namespace it runs in.")] = "",
    lab: Lab = None,
) -> None:
    """Make a container; `hnsfake exec NODE ID -- PROGRAM` runs a program in it."""
    networking = {"Namespace": namespace, "NetworkSharedContainerName": share}
    settings = {"Owner": "hnsfake", "Container": {"Networking": networking}}
    with told():
        client = NodeClient(node, lab)
        handle = _called(client, "HcsCreateComputeSystem", settings, container)["handle"]
        _called(client, "HcsStartComputeSystem", handle=handle)
        _called(client, "HcsCloseComputeSystem", handle=handle)


@app.command("delete")
def delete(node: Node, container: Id, lab: Lab = None) -> None:
    """Stop a container and remove it; its endpoints are detached."""
    with told():
        client = NodeClient(node, lab)
        handle = _called(client, "HcsOpenComputeSystem", container=container)["handle"]
        _called(client, "HcsTerminateComputeSystem", handle=handle)
        _called(client, "HcsCloseComputeSystem", handle=handle)


@app.command("list")
def show(node: Node, lab: Lab = None) -> None:
    """List a node's containers and their compartments."""
    with told():
        systems: dict[str, int] = NodeClient(node, lab).status()["systems"]
    for container, number in systems.items():
        typer.echo(f"{container}  compartment {number}")


def _called(
    client: NodeClient,
    function: str,
    document: dict[str, Any] | None = None,
    container: str | None = None,
    handle: int | None = None,
) -> dict[str, Any]:
    """Call; end the command with what HNS says where it refuses."""
    answer = client.hcn(function, json.dumps(document).encode() if document else b"", container, handle)
    if answer["hresult"]:
        said = json.loads(answer["record"] or "{}")
        stop(f"{function}: {said.get('ErrorMessage') or said.get('Error')} ({answer['hresult']:#010x})")
    return answer
