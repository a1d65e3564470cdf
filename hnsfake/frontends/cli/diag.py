"""diag: what `hnsdiag list all -d` shows.

Layout: outputs published in kubernetes-sigs/sig-windows-tools#84 (lists) and microsoft/Windows-Containers#485
(the details: each object's v1 document, indented).
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient


class What(StrEnum):
    """What to list."""

    ALL = "all"
    NETWORKS = "networks"
    ENDPOINTS = "endpoints"
    NAMESPACES = "namespaces"
    LOAD_BALANCERS = "loadbalancers"


_EMPTY = re.compile(r"^( *)(.*)([\[{])([\]}])(,?)$", re.MULTILINE)
_HEADINGS = {
    What.NETWORKS: ("Networks:", f"{'Name':<16} ID"),
    What.ENDPOINTS: ("Endpoints:", f"{'Name':<16} {'ID':<36} Virtual Network Name"),
    What.NAMESPACES: ("Namespaces:", f"{'ID':<36} | Endpoint IDs"),
    What.LOAD_BALANCERS: ("LoadBalancers:", f"{'ID':<36} | {'Virtual IPs':<16} | Direct IP IDs"),
}
_PATHS = {What.LOAD_BALANCERS: "policylists"}


def diag(
    node: Annotated[str, typer.Argument(help="The node.")],
    what: Annotated[What, typer.Argument(help="What to list.")] = What.ALL,
    details: Annotated[bool, typer.Option("-d", "--details", help="Whole documents.")] = False,
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """List the node's HNS objects as hnsdiag does."""
    with told():
        client = NodeClient(node, lab)
        wanted = list(_HEADINGS) if what is What.ALL else [what]
        sections = []
        for noun in wanted:
            heading, columns = _HEADINGS[noun]
            objects = _objects(client, noun)
            lines = [heading]
            lines += [_detail(view) for view in objects] if details else [columns, *map(_line(noun), objects)]
            sections.append("\n".join(lines))
        typer.echo("\n\n".join(sections))


def _objects(client: NodeClient, noun: What) -> list[dict[str, Any]]:
    _, envelope = client.hns_call("GET", f"/{_PATHS.get(noun, noun)}/", b"")
    answer = json.loads(envelope)
    if not answer.get("Success"):
        stop(answer.get("Error", "HNS does not answer"))
    objects: list[dict[str, Any]] = answer["Output"]
    return [view for view in objects if noun is not What.LOAD_BALANCERS or _balances(view)]


def _balances(view: dict[str, Any]) -> bool:
    """Whether a policy list is a load balancer: the others are routes."""
    return any(policy["Type"] == "ELB" for policy in view["Policies"])


def _line(noun: What) -> Any:
    lines = {
        What.NETWORKS: _network,
        What.ENDPOINTS: _endpoint,
        What.NAMESPACES: _namespace,
        What.LOAD_BALANCERS: _load_balancer,
    }
    return lines[noun]


def _network(view: dict[str, Any]) -> str:
    return f"{view['Name']:<16} {view['ID']}"


def _endpoint(view: dict[str, Any]) -> str:
    return f"{view['Name']:<16} {view['ID'].lower():<36} {view['VirtualNetworkName']}"


def _namespace(view: dict[str, Any]) -> str:
    endpoints = [item["Data"]["Id"] for item in view.get("ResourceList", []) if item["Type"] == "Endpoint"]
    return f"{view['ID']:<36} | {', '.join(endpoints)}"


def _load_balancer(view: dict[str, Any]) -> str:
    vips = " ".join(view["Policies"][0]["VIPs"])
    endpoints = " ".join(reference.rsplit("/", 1)[-1].lower() for reference in view["References"])
    return f"{view['ID'].lower():<36} |  {vips:<15} | {endpoints}"


def _detail(view: dict[str, Any]) -> str:
    """Write a document as hnsdiag does: no blank behind a colon, an empty line in what is empty."""
    text = json.dumps(view, indent=4, separators=(",", ":"))
    return _EMPTY.sub(r"\1\2\3\n\n\1\4\5", text)
