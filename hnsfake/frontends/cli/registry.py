"""registry: what `ipconfig /all` and `route print` say in a compartment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hnsfake.frontends.cli import entering
from hnsfake.frontends.cli.problems import told
from hnsfake.frontends.client import NodeClient, RefusedError

if TYPE_CHECKING:
    from rich.table import Table

_WIDE = 200


def registry(
    node: Annotated[str, typer.Argument(help="The node.")],
    namespace: Annotated[
        str, typer.Argument(help="The namespace's GUID, a container's id or a compartment number; 1 is the node's own.")
    ] = "1",
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Show a compartment's registry view: interfaces, metrics, DNS settings and routes, apart from all others'."""
    with told(RefusedError):
        client = NodeClient(node, lab)
        view = client.registry(entering.compartment_number(client.status(), namespace))
    if as_json:
        typer.echo(json.dumps(view, indent=2))
    else:
        _print(view)


def _print(view: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = _WIDE  # whoever reads it there wants whole lines
    interfaces = _table("Interface", "Physical Address", "Addresses", "Suffix", "DNS Servers", "Metric")
    for one in view["interfaces"]:
        lists = ("\n".join(one["addresses"]), one["suffix"], "\n".join(one["name_servers"]))
        interfaces.add_row(one["alias"], one["mac"], *lists, str(one["metric"]))
    registered = _table("Persistent Route", "Gateway", "Interface", "Metric", "Effective")
    for one in view["interfaces"]:
        for route in one["routes"]:
            metrics = (str(route["metric"]), str(route["effective_metric"]))
            registered.add_row(route["destination"], route["next_hop"] or "On-link", one["alias"], *metrics)
    active = _table("Active Route", "Gateway", "Interface", "Effective")
    for route in view["active_routes"]:
        gateway, metric = route["next_hop"] or "On-link", str(route["effective_metric"])
        active.add_row(route["destination"], gateway, route["alias"], metric)
    console.print(f"Compartment {view['compartment']}")
    if view["search_list"]:
        console.print(f"DNS Suffix Search List: {', '.join(view['search_list'])}")
    for table in (interfaces, registered, active):
        if table.row_count:
            console.print("", table, sep="\n")


def _table(*headers: str) -> Table:
    from rich.table import Column, Table

    return Table(*(Column(header, overflow="fold") for header in headers), box=None)
