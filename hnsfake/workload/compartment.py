"""A place to run things in: a compartment of a node, the outside host, the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.documents.dns import DnsSettings
from hnsfake.workload import probe
from hnsfake.workload.capture import Capture
from hnsfake.workload.dns_server import DnsServer
from hnsfake.workload.engine import Engine
from hnsfake.workload.probe import Outcome
from hnsfake.workload.resolver import resolve
from hnsfake.workload.servers import TcpServer, UdpServer
from hnsfake.workload.streams import EchoServer, Streams

ANY = "0.0.0.0"


class Compartment:
    """Runs workloads in one network namespace. Servers and captures are closed by whoever started them."""

    def __init__(self, engine: Engine, netns: NetNs, dns: Callable[[], DnsSettings] = DnsSettings) -> None:
        self._engine = engine
        self._dns = dns
        self.netns = netns

    def tcp_server(self, port: int = 0, address: str = ANY) -> TcpServer:
        """Start a TCP server that answers with the peer it saw; port 0 lets the system choose."""
        return TcpServer(self._engine, self.netns, address, port)

    def udp_server(self, port: int = 0, address: str = ANY) -> UdpServer:
        """Start a UDP server that answers with the peer it saw."""
        return UdpServer(self._engine, self.netns, address, port)

    def echo_server(self, port: int = 0, address: str = ANY) -> EchoServer:
        """Start a TCP server that answers every line with the same, as long as the client stays."""
        return EchoServer(self._engine, self.netns, address, port)

    def streams(self, address: str, port: int, count: int = 1) -> Streams:
        """Connect to an echo server, and stay; raise OSError."""
        return Streams(self._engine, self.netns, address, port, count)

    def dns_server(self, zone: Mapping[str, Sequence[str]], address: str = ANY, port: int = 53) -> DnsServer:
        """Start a DNS server that knows ``zone``: full names to addresses."""
        return DnsServer(self._engine, self.netns, address, zone, port)

    def tcp(self, address: str, port: int, timeout: float = 3.0, source: str = "") -> Outcome:
        """Try to reach a TCP server."""
        return probe.tcp(self._engine, self.netns, address, port, timeout, source)

    def udp(self, address: str, port: int, timeout: float = 3.0, source: str = "", size: int = 5) -> Outcome:
        """Try to reach a UDP server with datagrams of ``size`` bytes."""
        return probe.udp(self._engine, self.netns, address, port, timeout, source, size)

    def ping(self, address: str, timeout: float = 3.0) -> Outcome:
        """Send ICMP echo requests until one is answered."""
        return probe.ping(self._engine, self.netns, address, timeout)

    def resolve(self, name: str, kind: str = "A", timeout: float = 2.0) -> tuple[str, ...]:
        """Resolve a name by the endpoint's DNS settings; raise ResolutionError."""
        return resolve(self._engine, self.netns, self._dns(), name, kind, timeout)

    def capture(self, interface: str | None = None, vxlan_port: int = 4789) -> Capture:
        """Start a capture."""
        return Capture(self._engine, self.netns, interface, vxlan_port)
