"""What a create and an enumeration cost where five thousand endpoints are, in this process and without a data plane."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from time import perf_counter

from rich.table import Table

from ci.bench.calls.documents import NETWORK, NETWORK_ID, QUERY, VERSION, endpoint, endpoint_id
from ci.bench.verdict import Bound, add_bounds
from hnsfake import Lab
from hnsfake.node import Node

FEW, MANY = 10, 5000
CREATE_BOUND = 1.2
"""A create where many endpoints are takes at most this many times what it takes where few are."""
_CREATES = 200
Figures = Mapping[str, float]
"""Milliseconds."""


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure and judge."""
    with Lab(["few", "many"], dataplane="none", name="bench-scale") as lab:
        few, many = lab.nodes["few"], lab.nodes["many"]
        for node, count in ((few, FEW), (many, MANY)):
            _fill(node, count)
        creates = _creates(few, many, rounds)
        listed = {name: _time(partial(enumerate_, many), rounds) for name, enumerate_ in ENUMERATIONS.items()}
        plain = json.loads(many.hcn("HcnEnumerateEndpoints").output or "")
        documents = many.hns_call("GET", "/endpoints/")
        peer = _time(lambda: json.loads(json.dumps(documents)), rounds)
        assert len(plain) == len(documents) == MANY
    bounds = judge(creates)
    return table(creates, listed, peer, bounds), bounds


def judge(creates: Figures) -> list[Bound]:
    """Return whether a create costs the same where many are."""
    grown = creates["many"] / creates["few"]
    return [Bound(grown <= CREATE_BOUND, f"create, {MANY} there / {FEW} there: {grown:.2f}, bound {CREATE_BOUND:g}")]


def table(creates: Figures, listed: Figures, peer: float, bounds: list[Bound]) -> Table:
    """Return the table."""
    shown = Table(title=f"{MANY} endpoints; no data plane; in process")
    shown.add_column("")
    shown.add_column("ms", justify="right")
    shown.add_column("/ peer", justify="right")
    shown.add_row(f"create, {FEW} there", f"{creates['few']:.3f}")
    shown.add_row(f"create, {MANY} there", f"{creates['many']:.3f}", f"{creates['many'] / creates['few']:.2f}")
    shown.add_section()
    shown.add_row(f"peer: all {MANY} v1 documents to JSON and back", f"{peer:.1f}")
    for name, milliseconds in listed.items():
        shown.add_row(name, f"{milliseconds:.1f}", f"{milliseconds / peer:.2f}")
    add_bounds(shown, bounds)
    return shown


def _fill(node: Node, count: int) -> None:
    network = node.hcn("HcnCreateNetwork", NETWORK, object_id=NETWORK_ID).handle
    for number in range(count):
        node.hcn("HcnCreateEndpoint", endpoint(number), object_id=endpoint_id(number), handle=network)


def _creates(few: Node, many: Node, rounds: int) -> dict[str, float]:
    """Create and delete one endpoint again and again, in turns; return the medians of the creates."""
    taken: dict[str, list[float]] = {few.name: [], many.name: []}
    handles = {node.name: node.hcn("HcnOpenNetwork", object_id=NETWORK_ID).handle for node in (few, many)}
    for _ in range(_CREATES * rounds):
        for node in (few, many):
            begun = perf_counter()
            node.hcn("HcnCreateEndpoint", endpoint(MANY), object_id=endpoint_id(MANY), handle=handles[node.name])
            taken[node.name].append(perf_counter() - begun)
            node.hcn("HcnDeleteEndpoint", object_id=endpoint_id(MANY))
    return {name: median(all_) * 1e3 for name, all_ in taken.items()}


def _all_as_hcsshim(node: Node) -> None:
    """Read all endpoints as hcn.ListEndpoints does."""
    for listed in json.loads(node.hcn("HcnEnumerateEndpoints").output or ""):
        handle = node.hcn("HcnOpenEndpoint", object_id=listed).handle
        node.hcn("HcnQueryEndpointProperties", QUERY, handle=handle)
        node.hcn("HcnCloseEndpoint", handle=handle)


def _time(act: Callable[[], object], rounds: int) -> float:
    """Return the median of an act's times, in milliseconds."""
    taken = []
    for _ in range(rounds):
        begun = perf_counter()
        act()
        taken.append(perf_counter() - begun)
    return median(taken) * 1e3


_BY_NAME = {"SchemaVersion": VERSION, "Filter": json.dumps({"Name": "e77"})}
ENUMERATIONS: Mapping[str, Callable[[Node], object]] = {
    "HcnEnumerateEndpoints": lambda node: node.hcn("HcnEnumerateEndpoints"),
    "HcnEnumerateEndpoints, by name": lambda node: node.hcn("HcnEnumerateEndpoints", _BY_NAME),
    "enumerate, open, query, close each": _all_as_hcsshim,
    "GET /endpoints/": lambda node: node.hns_call("GET", "/endpoints/"),
}
