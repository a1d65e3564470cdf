"""The lane of the emulator: the only file of the suites that imports hnsfake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from ipaddress import ip_address, ip_network

from hnsfake import Lab
from hnsfake.dataplane.access_port import check_vlans
from hnsfake.dataplane.interface import DataplaneError
from hnsfake.node import Node
from hnsfake.service.call import Call
from hnsfake.service.pipeline import AnswerLostError as LabAnswerLostError
from hnsfake.workload import Capture as LabCapture
from hnsfake.workload import Compartment, DnsServer, ResolutionError, TcpServer, UdpServer
from hnsfake.workload import Outcome as LabOutcome
from suites.host import AnswerLostError, DnsClient, Faults, Frame, Host, Interface, Outcome, Peer, Reply, Route, Streams


class FakeServer:
    """A server of the emulator."""

    def __init__(self, server: TcpServer | UdpServer | DnsServer, port: int) -> None:
        self._server = server
        self.port = port

    def seen(self) -> list[Peer]:
        return [visitor.peer for visitor in self._server.seen()]

    def stop(self) -> None:
        self._server.close()


class FakeCapture:
    """A capture of the emulator."""

    def __init__(self, capture: LabCapture) -> None:
        self._capture = capture

    def frames(self, after: int = 0, timeout: float = 0.0) -> list[Frame]:
        return [Frame.from_json(asdict(frame)) for frame in self._capture.wait_for_more(after, timeout)]

    def lost(self) -> int:
        return self._capture.lost

    def stop(self) -> None:
        self._capture.close()


class FakePlace:
    """A compartment of the emulator, or its outside host."""

    def __init__(self, compartment: Compartment) -> None:
        self._compartment = compartment

    def tcp_server(self, port: int = 0) -> FakeServer:
        server = self._compartment.tcp_server(port)
        return FakeServer(server, server.port)

    def udp_server(self, port: int = 0) -> FakeServer:
        server = self._compartment.udp_server(port)
        return FakeServer(server, server.port)

    def echo_server(self, port: int = 0) -> FakeServer:
        server = self._compartment.echo_server(port)
        return FakeServer(server, server.port)

    def streams(self, address: str, port: int, count: int = 1) -> Streams:
        return self._compartment.streams(address, port, count)

    def dns_server(self, zone: Mapping[str, Sequence[str]], port: int = 53) -> FakeServer:
        return FakeServer(self._compartment.dns_server(zone, port=port), port)

    def tcp(self, address: str, port: int, timeout: float = 3.0) -> Outcome:
        return _outcome(self._compartment.tcp(address, port, timeout))

    def udp(self, address: str, port: int, timeout: float = 3.0, size: int = 5) -> Outcome:
        return _outcome(self._compartment.udp(address, port, timeout, size=size))

    def ping(self, address: str, timeout: float = 3.0) -> Outcome:
        return _outcome(self._compartment.ping(address, timeout))

    def resolve(self, name: str) -> list[str]:
        try:
            return list(self._compartment.resolve(name))
        except ResolutionError:
            return []

    def capture(self) -> FakeCapture:
        return FakeCapture(self._compartment.capture())


class FakeHost:
    """A node of the emulator."""

    faults: Faults | None

    def __init__(self, node: Node) -> None:
        self._node = node
        self.name = node.name
        self.release = node.release.name
        self.address = str(node.address)
        self.faults = node.faults
        assert node.linux is not None
        self._linux = node.linux
        adapter = self._linux.adapters()[0]
        self.adapter, self.mac = adapter.name, adapter.mac
        self.subnet = str(next(found.network for found in adapter.addresses if str(found.ip) == self.address))

    def invoke(
        self,
        operation: str,
        document: str | bytes = "",
        *,
        object_id: str | None = None,
        handle: int | None = None,
        method: str = "",
        path: str = "",
    ) -> Reply:
        try:
            reply = self._node.invoke(Call(operation, document, object_id, handle, method, path))
        except LabAnswerLostError as error:
            raise AnswerLostError(operation) from error
        return Reply(reply.hresult, reply.record, reply.output, reply.handle)

    def crash(self) -> None:
        self._node.crash_service()

    def place(self, compartment: int = 1) -> FakePlace:
        return FakePlace(self._node.compartment(compartment))

    def interfaces(self, compartment: int = 1) -> list[Interface]:
        return [
            Interface(view.alias, view.mac, tuple(map(str, view.addresses)), view.metric, view.mtu)
            for view in self._linux.interfaces(compartment)
        ]

    def routes(self, compartment: int = 1) -> list[Route]:
        return [
            Route(
                str(view.destination),
                str(view.next_hop or ""),
                view.interface.alias,
                view.own_metric,
                view.metric - view.own_metric,
            )
            for view in self._node.routes(compartment)
        ]

    def dns_clients(self, compartment: int = 1) -> list[DnsClient]:
        return [
            DnsClient(one.alias, one.suffix, one.dns.servers) for one in self._node.registry(compartment).interfaces
        ]

    def add_route(self, prefix: str, next_hop: str) -> None:
        self._linux.add_route(ip_network(prefix), ip_address(next_hop))

    def delete_route(self, prefix: str, next_hop: str) -> None:
        self._linux.delete_route(ip_network(prefix), ip_address(next_hop))

    def set_forwarding(self, alias: str, on: bool) -> None:
        self._linux.set_forwarding(alias, on)


class FakeLane:
    """Two emulated nodes of one release, or those of a lab that is there already."""

    name = "fake"

    def __init__(self, release: str, lab: Lab | None = None) -> None:
        self._release = release
        self._spare: Lab | None = None
        self._alone: FakeLane | None = None
        self._others: dict[tuple[str, frozenset[tuple[str, bool]]], FakeLane] = {}
        self._lab = lab or Lab(("n1", "n2"), release=release)
        self.hosts = tuple(FakeHost(node) for node in self._lab.nodes.values())
        self.outside = FakePlace(self._lab.outside)
        self.outside_address = str(self._lab.fabric.outside_address)

    @property
    def spare(self) -> FakeHost:
        if self._spare is None:
            self._spare = Lab(("spare",), release=self._release)
        return FakeHost(self._spare.nodes["spare"])

    @property
    def alone(self) -> FakeLane:
        if self._alone is None:
            self._alone = FakeLane(self._release)
        return self._alone

    def of(self, release: str, quirks: Mapping[str, bool]) -> FakeLane:
        key = release, frozenset(quirks.items())
        if key not in self._others:
            self._others[key] = FakeLane(release, Lab(("n1", "n2"), release=release, quirks=quirks))
        return self._others[key]

    def lacks(self, feature: str) -> str:
        check = {"VLAN": check_vlans}[feature]
        try:
            self._lab.fabric.probe(check)
        except DataplaneError as error:
            return str(error)
        return ""

    @contextmanager
    def leading(self, prefix: str, host: Host) -> Iterator[None]:
        way = ip_network(prefix), ip_address(host.address)
        self._lab.fabric.add_route(*way)
        try:
            yield
        finally:
            self._lab.fabric.delete_route(*way)

    def wire(self) -> FakeCapture:
        return FakeCapture(self._lab.wire.capture("wire"))

    def close(self) -> None:
        for lab in (self._lab, self._spare, self._alone, *self._others.values()):
            if lab is not None:
                lab.close()


def _outcome(outcome: LabOutcome) -> Outcome:
    return Outcome(outcome.result.value, outcome.seen, outcome.local, outcome.replied_from, outcome.detail)
