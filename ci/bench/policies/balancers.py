"""Ten thousand load balancers on a node with fifty endpoints, beside nft(8) loading a file of the same content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from ipaddress import IPv4Address
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

from rich.table import Table

from ci.bench.calls.http_calls import Connection
from ci.bench.calls.servers import PACKETS, served
from ci.bench.endpoints import ours
from ci.bench.endpoints.lanes import address
from ci.bench.verdict import BenchError, Bound, add_bounds
from hnsfake import Lab
from hnsfake.dataplane import nftables
from hnsfake.dataplane.interface import BackendWant, Change, LoadBalancerWant
from hnsfake.dataplane.vfp.host_port import FAMILY, TABLE
from hnsfake.documents.load_balancer import PortMapping
from hnsfake.node import Node

BALANCERS, BACKENDS, PODS = 10_000, 3, 50
SERVICES, REMOTE = 2_000, 5_000
LOAD_BOUND = 2.0
"""All at once take at most this many times what nft(8) takes for a file of the same content."""
ONE_BOUND = 5.0
"""Milliseconds that one more may take."""
PROXY_BOUND = 5.0
"""Seconds that kube-proxy's first pass may take: kubernetes/kubernetes#109124."""
_LAST = 100
_VERSION = {"Major": 2, "Minor": 0}
Figures = Mapping[str, float]
T = TypeVar("T")


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure and judge; raise BenchError."""
    figures = measure(rounds)
    bounds = judge(figures)
    return table(figures, bounds), bounds


def measure(rounds: int) -> Figures:
    """Return seconds of what takes long, milliseconds of what doesn't, and memory in MiB."""
    taken = [_in_a_process("all") for _ in range(rounds)]
    figures = {name: median(one[name] for one in taken) for name in taken[0]}
    return {**figures, **_in_a_process("proxy")}


def judge(figures: Figures) -> list[Bound]:
    """Return, for each bound, whether it is met."""
    time, memory = (figures[what] / figures[f"nft {what}"] for what in ("load", "memory"))
    one, proxy = figures["one"], figures["proxy"]
    return [
        Bound(time <= LOAD_BOUND, f"all at once {time:.2f}x nft -f, bound {LOAD_BOUND:g}x"),
        Bound(memory <= LOAD_BOUND, f"memory {memory:.2f}x that of nft -f, bound {LOAD_BOUND:g}x"),
        Bound(one <= ONE_BOUND, f"one more {one:.2f} ms, bound {ONE_BOUND:g} ms"),
        Bound(proxy <= PROXY_BOUND, f"kube-proxy's first pass {proxy:.1f} s, bound {PROXY_BOUND:g} s"),
    ]


def table(figures: Figures, bounds: Sequence[Bound]) -> Table:
    """Return the table."""
    shown = Table(title=f"{BALANCERS} load balancers of {BACKENDS} backends, {PODS} endpoints")
    for column in ("", "ours", "nft -f"):
        shown.add_column(column, justify="right" if column else "left")
    shown.add_row("all at once, s", f"{figures['load']:.2f}", f"{figures['nft load']:.2f}")
    shown.add_row("memory, MiB", f"{figures['memory']:.0f}", f"{figures['nft memory']:.0f}")
    shown.add_row("one by one through HCN, s", f"{figures['calls']:.2f}")
    shown.add_row("one more among 10, ms", f"{figures['first']:.2f}")
    shown.add_row("one more at the end, ms", f"{figures['one']:.2f}")
    shown.add_row(f"{SERVICES} services, {REMOTE} remote endpoints over HTTP, s", f"{figures['proxy']:.2f}")
    add_bounds(shown, bounds)
    return shown


def main() -> None:
    """Measure one thing, in a process of its own, and print it."""
    print(json.dumps(_PARTS[sys.argv[1]]()))


def _in_a_process(part: str) -> Figures:
    command = [sys.executable, "-m", "ci.bench.policies.balancers", part]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise BenchError(f"load balancers, {part}: {ended.stderr.strip() or f'exit status {ended.returncode}'}")
    figures: Figures = json.loads(ended.stdout)
    return figures


def measure_all() -> dict[str, float]:
    """Load all at once, then the file; then one by one through the API, on another node."""
    with Lab(["bulk", "calls"]) as lab:
        bulk, calls = lab.nodes["bulk"], lab.nodes["calls"]
        (network, backends), (_, endpoints) = _prepared(bulk), _prepared(calls)
        assert bulk.linux is not None
        wants = list(_wants(network, backends))
        before, begun = ours.resident(), perf_counter()
        bulk.linux.apply([Change(None, want) for want in wants])
        figures = {"load": perf_counter() - begun, "memory": (ours.resident() - before) / 1024}
        figures |= _by_nft(bulk)
        taken = [_timed(partial(_create, calls, number, endpoints)) for number in range(BALANCERS)]
        figures |= {"calls": sum(taken), "first": median(taken[10:110]) * 1e3, "one": median(taken[-_LAST:]) * 1e3}
        return figures


def _by_nft(node: Node) -> dict[str, float]:
    """Write the node's table to a file and have nft load it in a namespace of its own."""
    assert node.linux is not None
    listed = node.linux.sandbox.run(node.linux.netns(), nftables.run_and_read, f"list table {FAMILY} {TABLE}")
    with tempfile.NamedTemporaryFile("w", suffix=".nft") as file:
        file.write(listed)
        file.flush()
        begun = perf_counter()
        command = ("unshare", "--net", "nft", "-f", file.name)
        _, status, usage = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)
        taken = perf_counter() - begun
    if status != 0:
        raise BenchError("nft did not load what the node has")
    return {"nft load": taken, "nft memory": usage.ru_maxrss / 1024}


def _prepared(node: Node) -> tuple[str, list[str]]:
    """Make a network with endpoints in compartments; return the ids."""
    network = node.hcn("HcnCreateNetwork", ours.NETWORK, object_id=ours.guid(0, 0))
    made = [ours.create(node, network.handle, number) for number in range(PODS)]
    return ours.guid(0, 0), [one.endpoint for one in made]


def _wants(network: str, endpoints: Sequence[str]) -> Iterator[LoadBalancerWant]:
    for number in range(BALANCERS):
        chosen = _chosen(number, range(PODS))
        yield LoadBalancerWant(
            id=f"lb{number}",
            network_id=network.upper(),
            backends=tuple(BackendWant(endpoints[n], IPv4Address(address(n)), False) for n in chosen),
            mappings=(PortMapping(6, 8080, 80),),
            vips=(_vip(number),),
        )


def _create(node: Node, number: int, endpoints: Sequence[str]) -> None:
    document = {
        "SchemaVersion": _VERSION,
        "HostComputeEndpoints": _chosen(number, endpoints),
        "SourceVIP": "",
        "FrontendVIPs": [str(_vip(number))],
        "PortMappings": [{"Protocol": 6, "InternalPort": 8080, "ExternalPort": 80, "Flags": 0}],
        "Flags": 0,
    }
    handle = node.hcn("HcnCreateLoadBalancer", document).handle
    node.hcn("HcnCloseLoadBalancer", handle=handle)


def _chosen(number: int, of: Sequence[T]) -> list[T]:
    return [of[(number + offset) % PODS] for offset in range(BACKENDS)]


def _vip(number: int) -> IPv4Address:
    return IPv4Address("10.96.0.10") + number


def measure_proxy() -> dict[str, float]:
    """Do over HTTP what kube-proxy does when it starts: a remote endpoint a pod elsewhere, then the services."""
    with served(PACKETS) as server, Connection(server.port) as connection:
        made = _asked(connection, "HcnCreateNetwork", ours.NETWORK)
        begun = perf_counter()
        remote = [_remote(connection, made["handle"], number) for number in range(REMOTE)]
        for number in range(SERVICES):
            _service(connection, remote, number)
        return {"proxy": perf_counter() - begun}


def _remote(connection: Connection, network: int, number: int) -> str:
    ip = IPv4Address("10.1.64.0") + number
    document = {
        "SchemaVersion": _VERSION,
        "IpConfigurations": [{"IpAddress": str(ip)}],
        "MacAddress": "-".join(["02-11", *(f"{part:02x}" for part in ip.packed)]),
        "Flags": 1,
    }
    endpoint = ours.guid(3, number)
    handle = _asked(connection, f"HcnCreateEndpoint?id={endpoint}&handle={network}", document)["handle"]
    _asked(connection, f"HcnCloseEndpoint?handle={handle}")
    return endpoint


def _service(connection: Connection, endpoints: Sequence[str], number: int) -> None:
    document = {
        "SchemaVersion": _VERSION,
        "HostComputeEndpoints": [endpoints[(number * 5 // 2 + offset) % REMOTE] for offset in range(BACKENDS)],
        "FrontendVIPs": [str(_vip(number))],
        "PortMappings": [{"Protocol": 6, "InternalPort": 8080, "ExternalPort": 80}],
    }
    handle = _asked(connection, "HcnCreateLoadBalancer", document)["handle"]
    _asked(connection, f"HcnCloseLoadBalancer?handle={handle}")


def _asked(connection: Connection, call: str, document: object = "") -> dict[str, Any]:
    answer: dict[str, Any] = connection.ask("POST", f"/hcn/{call}", document)
    if answer["hresult"] != 0:
        raise BenchError(f"{call}: {answer['record']}")
    return answer


def _timed(act: Callable[[], object]) -> float:
    begun = perf_counter()
    act()
    return perf_counter() - begun


_PARTS: Mapping[str, Callable[[], dict[str, float]]] = {"all": measure_all, "proxy": measure_proxy}


if __name__ == "__main__":
    main()
