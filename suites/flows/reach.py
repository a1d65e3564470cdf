"""A client, a server, and what each saw of the other."""

from __future__ import annotations

from dataclasses import dataclass

from suites.host import Outcome, Place


@dataclass(frozen=True)
class Reached:
    """How the client fared, and the addresses of the peers that the server saw."""

    outcome: Outcome
    peers: list[str]

    @property
    def result(self) -> str:
        """The client's result in a word."""
        return self.outcome.result

    @property
    def ok(self) -> bool:
        """Whether the client got the server's answer."""
        return self.outcome.ok


def reach(
    client: Place,
    server: Place,
    address: str,
    *,
    protocol: str = "tcp",
    port: int = 0,
    through: int = 0,
    timeout: float = 3.0,
) -> Reached:
    """Serve at ``port`` (0: any), and let the client try ``address`` there, or at the port ``through``."""
    listening = server.tcp_server(port) if protocol == "tcp" else server.udp_server(port)
    try:
        attempt = client.tcp if protocol == "tcp" else client.udp
        outcome = attempt(address, through or listening.port, timeout)
        return Reached(outcome, sorted({peer[0] for peer in listening.seen()}))
    finally:
        listening.stop()


SHORT = 0.6
"""How long to wait, in seconds, for an answer that must not come."""
