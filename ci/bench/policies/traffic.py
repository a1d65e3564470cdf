"""TCP between pods of two nodes with policies on their ports, beside the same topology without any."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from operator import truediv
from statistics import median
from threading import Thread
from time import perf_counter
from typing import NamedTuple

from rich.table import Table

from ci.bench.verdict import Bound, add_bounds
from hnsfake import Lab
from hnsfake.node import Node
from suites import documents, topology
from suites.backends.fake import FakeLane
from suites.services import Proxy

WORSE_BOUND = 0.9
"""Throughput and connection rate are at least this share of those without policies."""
_SECONDS = 0.5
_PIECE = bytes(1 << 18)
_PORT = 9000


Place = tuple[Node, int]
"""A node and a compartment."""


class Pair(NamedTuple):
    """Two pods, and the address of the second one."""

    client: Place
    server: Place
    address: str


def run(rounds: int) -> tuple[Table, list[Bound]]:
    """Measure and judge; raise BenchError."""
    measured = measure(rounds * 3)
    bounds = judge(measured)
    return table(measured, bounds), bounds


def measure(turns: int) -> dict[str, dict[str, list[float]]]:
    """Return, by load, throughput in bytes a second and connections a second, turn by turn."""
    with _pairs() as pairs:
        measured: dict[str, dict[str, list[float]]] = {name: {} for name in pairs}
        for _ in range(turns):
            for name, pair in pairs.items():
                for what, how in (("throughput", throughput), ("connections", connections)):
                    measured[name].setdefault(what, []).append(how(pair))
        return measured


def judge(measured: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Bound]:
    """Return, for each load and figure, whether its share of the plain one, turn by turn, is met."""
    plain = measured[PLAIN]
    shares = {
        f"{name}, {what}": median(map(truediv, figures[what], plain[what]))
        for name, figures in measured.items()
        if name != PLAIN
        for what in plain
    }
    return [
        Bound(share >= WORSE_BOUND, f"{what}: {share:.2f} of the plain one, bound {WORSE_BOUND:g}")
        for what, share in shares.items()
    ]


def table(measured: Mapping[str, Mapping[str, Sequence[float]]], bounds: Sequence[Bound]) -> Table:
    """Return the table."""
    shown = Table(title="TCP, pod to pod across two nodes")
    for column in ("on both ports", "Gbit/s", "connections/s"):
        shown.add_column(column, justify="left" if "ports" in column else "right")
    for name, figures in measured.items():
        gigabits = median(figures["throughput"]) * 8 / 1e9
        shown.add_row(name, f"{gigabits:.2f}", f"{median(figures['connections']):.0f}")
    add_bounds(shown, bounds)
    return shown


def throughput(pair: Pair) -> float:
    """Send from the one pod to the other for a while; return bytes a second."""
    with _listening(pair) as listener:
        received = 0

        def receive() -> None:
            nonlocal received
            connection, _ = listener.accept()
            with connection:
                while data := connection.recv(1 << 20):
                    received += len(data)

        reader = Thread(target=receive)
        reader.start()
        begun = perf_counter()
        with _socket(pair.client) as sender:
            sender.connect((pair.address, _PORT))
            while perf_counter() < begun + _SECONDS:
                sender.sendall(_PIECE)
        reader.join()
        return received / (perf_counter() - begun)


def connections(pair: Pair) -> float:
    """Connect and end again and again for a while; return connections a second."""
    with _listening(pair) as listener:

        def accept() -> None:
            with suppress(OSError):  # the listener is shut down
                while True:
                    connection, _ = listener.accept()
                    connection.close()

        acceptor = Thread(target=accept)
        acceptor.start()
        begun, count = perf_counter(), 0
        while perf_counter() < begun + _SECONDS:
            _connect(pair)
            count += 1
        taken = perf_counter() - begun
        listener.shutdown(socket.SHUT_RDWR)
        acceptor.join()
        return count / taken


def _connect(pair: Pair) -> None:
    with _socket(pair.client) as client:
        client.connect((pair.address, _PORT))
        client.recv(1)  # the server ends it


@contextmanager
def _listening(pair: Pair) -> Iterator[socket.socket]:
    with _socket(pair.server) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("0.0.0.0", _PORT))
        listener.listen(256)
        yield listener


def _socket(where: Place) -> socket.socket:
    node, compartment = where
    assert node.linux is not None
    return node.linux.sandbox.run(node.linux.netns(compartment), socket.socket)


@contextmanager
def _pairs() -> Iterator[dict[str, Pair]]:
    """Yield two pods on two nodes for each load, each on a network of its own."""
    with ExitStack() as stack:
        lab = stack.enter_context(Lab(["n1", "n2"], name="bench-traffic"))
        nodes, lane = list(lab.nodes.values()), FakeLane("", lab)
        pairs = {}
        for name, load in LOADS.items():
            net = stack.enter_context(topology.build("L2Bridge", lane))
            client, server = (end.pod(*load.policies) for end in net.nodes)
            for number in range(load.balancers):
                Proxy(net, net.nodes[0]).balance(client, vip=f"10.97.{number // 250}.{number % 250 + 1}", dsr=True)
            pairs[name] = Pair((nodes[0], client.compartment), (nodes[1], server.compartment), server.address)
        yield pairs


def _acls(count: int) -> list[documents.Document]:
    """Return rules that no packet of ours matches but the last ones, which let all through."""
    if not count:
        return []
    others = [
        documents.acl(
            "Block", direction, 100 + number, Protocols="6", RemoteAddresses=f"198.18.{number // 200}.{number % 200}"
        )
        for number in range(count // 2)
        for direction in ("In", "Out")
    ]
    return [*others, documents.acl("Allow", "In", 60000), documents.acl("Allow", "Out", 60000)]


class Load(NamedTuple):
    """What is on the ports."""

    policies: Sequence[documents.Document] = ()
    balancers: int = 0


PLAIN = "nothing"
LOADS: Mapping[str, Load] = {
    PLAIN: Load(),
    "100 ACLs": Load(_acls(100)),
    "1,000 ACLs": Load(_acls(1000)),
    "1,000 load balancers": Load(balancers=1000),
}
"""Load balancers are with DSR: so they are at the pods' ports, too."""
