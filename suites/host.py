"""The one interface between the suites and what they run on.

Every operation could be a remote command with JSON in and out: servers and captures are started, asked for
what they saw, and stopped; nothing here shares a process, a kernel or a clock with the test.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from typing import Any, Protocol, Self

Peer = tuple[str, int]


@dataclass(frozen=True)
class Reply:
    """What a call to HNS gave back; see the exported functions of computenetwork.dll and vmcompute.dll."""

    hresult: int
    record: str | None = None
    output: str | None = None
    handle: int | None = None


@dataclass(frozen=True)
class Outcome:
    """How a client fared: "connected", "refused", "timed out", "unreachable" or "failed".

    ``seen`` is the client as the server saw it, ``replied_from`` who answered.
    """

    result: str
    seen: Peer | None = None
    local: Peer | None = None
    replied_from: Peer | None = None
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether there was an answer."""
        return self.result == "connected"


@dataclass(frozen=True)
class Frame:
    """A frame that a capture saw. MACs have dashes, upper case; what a layer doesn't have is None.

    ``length`` is that of the IP packet, headers and all, ``vlan`` the VLAN's id.
    """

    source_mac: str
    destination_mac: str
    source: str | None = None
    destination: str | None = None
    protocol: int | None = None
    source_port: int | None = None
    destination_port: int | None = None
    length: int | None = None
    icmp_type: int | None = None
    arp_operation: int | None = None
    vlan: int | None = None
    vni: int | None = None
    inner: Frame | None = None

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Read a frame that came as JSON; fields that only one lane has are passed over."""
        known = {field.name for field in fields(cls)}
        parts = {key: item for key, item in value.items() if key in known}
        if parts.get("inner") is not None:
            parts["inner"] = cls.from_json(parts["inner"])
        return cls(**parts)


@dataclass(frozen=True)
class Interface:
    """A network interface as Windows' tools list it; addresses with their prefix length, the MTU of IP (NlMtu)."""

    alias: str
    mac: str
    addresses: tuple[str, ...]
    metric: int | None = None
    mtu: int | None = None


@dataclass(frozen=True)
class Route:
    """An active route; without a next hop it is on link. Its metric and that of its interface together decide."""

    destination: str
    next_hop: str
    alias: str
    metric: int
    interface_metric: int

    @property
    def effective_metric(self) -> int:
        """What routes to one destination are compared by."""
        return self.metric + self.interface_metric


@dataclass(frozen=True)
class DnsClient:
    """What an interface has its names resolved by."""

    alias: str
    suffix: str
    servers: tuple[str, ...]


class Server(Protocol):
    """A server that was started."""

    port: int

    def seen(self) -> list[Peer]:
        """Return the peers so far."""
        ...

    def stop(self) -> None:
        """Stop it."""
        ...


class Streams(Protocol):
    """Connections that stay."""

    def alive(self, timeout: float = 3.0) -> int:
        """Return how many are answered within ``timeout`` seconds."""
        ...

    def close(self) -> None:
        """End them."""
        ...


class Capture(Protocol):
    """A capture that was started."""

    def frames(self, after: int = 0, timeout: float = 0.0) -> list[Frame]:
        """Return the frames from number ``after`` on; wait up to ``timeout`` seconds for there to be one."""
        ...

    def lost(self) -> int:
        """Return how many frames were dropped for want of room: with 0, what isn't here was not there."""
        ...

    def stop(self) -> None:
        """Stop it; the frames stay, and those that had arrived are among them."""
        ...


@contextmanager
def capturing(capture: Capture) -> Iterator[Capture]:
    """Stop a capture at the end, whatever happens; afterwards it is complete."""
    try:
        yield capture
    finally:
        capture.stop()
    assert not capture.lost(), "the capture is not complete"


def wait_for(capture: Capture, condition: Callable[[Frame], bool], timeout: float = 5.0) -> Frame:
    """Return the first frame that meets ``condition``; raise AssertionError where none comes in time."""
    deadline = time.monotonic() + timeout
    frames: list[Frame] = []
    while (left := deadline - time.monotonic()) > 0:
        fresh = capture.frames(len(frames), min(left, 1.0))
        frames += fresh
        found = next(filter(condition, fresh), None)
        if found is not None:
            return found
    seen = "\n".join(map(str, frames[-20:])) or "nothing"
    raise AssertionError(f"no such frame within {timeout} s; seen:\n{seen}")


class Place(Protocol):
    """Somewhere to run workloads: a compartment of a node, or the outside host."""

    def tcp_server(self, port: int = 0) -> Server:
        """Start a TCP server that answers with the peer it saw."""
        ...

    def udp_server(self, port: int = 0) -> Server:
        """Start a UDP server that answers with the peer it saw."""
        ...

    def echo_server(self, port: int = 0) -> Server:
        """Start a TCP server that answers every line with the same, as long as the client stays."""
        ...

    def streams(self, address: str, port: int, count: int = 1) -> Streams:
        """Connect to an echo server, and stay; raise OSError where a connection can't be made."""
        ...

    def dns_server(self, zone: dict[str, list[str]], port: int = 53) -> Server:
        """Start a DNS server."""
        ...

    def tcp(self, address: str, port: int, timeout: float = 3.0) -> Outcome:
        """Try to reach a TCP server."""
        ...

    def udp(self, address: str, port: int, timeout: float = 3.0, size: int = 5) -> Outcome:
        """Try to reach a UDP server with datagrams of ``size`` bytes."""
        ...

    def ping(self, address: str, timeout: float = 3.0) -> Outcome:
        """Send ICMP echo requests until one is answered."""
        ...

    def resolve(self, name: str) -> list[str]:
        """Resolve a name by the compartment's own settings; empty where it doesn't resolve."""
        ...

    def capture(self) -> Capture:
        """Start a capture of all that this place sees."""
        ...


class AnswerLostError(Exception):
    """The answer to a call was lost; whether anything was done the caller can't know."""


class Faults(Protocol):
    """Makes calls to a node's HNS go wrong."""

    def inject(self, **rule: Any) -> AbstractContextManager[object]:
        """Have a rule in force for a while.

        Which calls: ``operation`` (a function, or v1's method and path, as a pattern), ``object`` (id or name),
        ``nth``, ``times``. What happens: ``delay`` (seconds), ``fail`` (HRESULT, in place of the work), ``restart``
        (of the service, after the work), ``drop`` (the answer: AnswerLostError).
        """
        ...


class Host(Protocol):
    """A Windows node.

    ``address``, in ``subnet``, and ``mac`` are those of the adapter named ``adapter``, which external networks use.
    ``faults`` is None where HNS can't be made to go wrong, as on a real machine.
    """

    name: str
    release: str
    address: str
    subnet: str
    mac: str
    adapter: str
    faults: Faults | None

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
        """Call HNS: an exported Hcn function, or HNSCall with method and path; raise AnswerLostError."""
        ...

    def crash(self) -> None:
        """Have the process of HNS die, and wait until it is there again."""
        ...

    def place(self, compartment: int = 1) -> Place:
        """Return a compartment to run workloads in; 1 is the node's own."""
        ...

    def interfaces(self, compartment: int = 1) -> list[Interface]:
        """Return the interfaces of a compartment (Get-NetIPAddress, Get-NetAdapter, Get-NetIPInterface)."""
        ...

    def routes(self, compartment: int = 1) -> list[Route]:
        """Return the active routes of a compartment, loopback's left out (Get-NetRoute)."""
        ...

    def dns_clients(self, compartment: int = 1) -> list[DnsClient]:
        """Return the DNS settings of a compartment's interfaces (Get-DnsClient, Get-DnsClientServerAddress)."""
        ...

    def add_route(self, prefix: str, next_hop: str) -> None:
        """Add a route to the node's stack (New-NetRoute)."""
        ...

    def delete_route(self, prefix: str, next_hop: str) -> None:
        """Remove a route of the node's stack (Remove-NetRoute)."""
        ...

    def set_forwarding(self, alias: str, on: bool) -> None:
        """Turn IP forwarding of an interface on or off (Set-NetIPInterface -Forwarding)."""
        ...


class NotHereError(Exception):
    """A lane has no such machines; the text says which it has."""


class Lane(Protocol):
    """What a run has: two nodes, and the world around them."""

    @property
    def name(self) -> str:
        """The lane's name."""
        ...

    @property
    def hosts(self) -> Sequence[Host]:
        """The two nodes."""
        ...

    @property
    def spare(self) -> Host:
        """A node whose adapter no network lies on but those of the test that asks for it."""
        ...

    @property
    def alone(self) -> Lane:
        """Two nodes on a wire of their own, with no networks but those of the test that asks for it."""
        ...

    @property
    def outside(self) -> Place:
        """The host beyond the router."""
        ...

    @property
    def outside_address(self) -> str:
        """The outside host's address."""
        ...

    def of(self, release: str, quirks: Mapping[str, bool]) -> Lane:
        """Return two nodes of a release ("ws2022", or with certain updates "ws2022@20348.288") for the run to keep.

        Some quirks are switched on or off. Raises NotHereError where there are none.
        """
        ...

    def lacks(self, feature: str) -> str:
        """Return why there is no "VLAN" here; empty where there is."""
        ...

    def leading(self, prefix: str, host: Host) -> AbstractContextManager[None]:
        """Have the router lead a prefix to a node for a while, as a cloud's load balancer or its routes do."""
        ...

    def wire(self) -> Capture:
        """Start a capture on the wire between the nodes."""
        ...

    def close(self) -> None:
        """End the run."""
        ...
