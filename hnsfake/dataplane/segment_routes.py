"""How the node's port reaches a segment: what was balanced goes to its router, whatever the node's routes say.

Such packets carry the segment's number as their mark, by which they are looked up in a table of the segment's own;
what is in none of the segment's prefixes goes by the node's routes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network

from hnsfake.dataplane import ip_messages, messages
from hnsfake.dataplane.kernel import Kernel

_ROUTER = IPv4Address("169.254.1.1")  # the router's address on the host's port alone; never on a wire


class SegmentRoutes:
    """The node's routes into a segment. Methods raise DataplaneError."""

    def __init__(self, kernel: Kernel, segment: int, interface: int, dr_mac: str) -> None:
        self._kernel = kernel
        self._segment = segment
        self._interface = interface
        self._dr_mac = dr_mac
        self._prefixes: frozenset[IPv4Network] = frozenset()
        self._remote: Counter[IPv4Network] = Counter()
        self._there: frozenset[IPv4Network] = frozenset()

    def create(self) -> None:
        """Have marked packets looked up; the interface is there already, and takes the rest with it when it goes."""
        self._kernel.node.send(
            [
                messages.neighbour(_ROUTER, self._dr_mac, self._interface),
                ip_messages.mark_rule("add", self._segment),
                *self._messages(frozenset(), self._there),
            ],
            "route into a segment",
            self.removal,
        )

    def delete(self) -> None:
        """Take that back; ``create`` undoes it."""
        self._kernel.node.send(self.removal(), "route into a segment no more")

    def removal(self) -> list[bytes]:
        """Return the messages that take ``create`` back while the interface is there, or after it has gone."""
        return [ip_messages.mark_rule("del", self._segment)]

    def set_prefixes(self, prefixes: Iterable[IPv4Network]) -> None:
        """Set the prefixes that are in the segment."""
        self._kernel.transaction.undo(setattr, self, "_prefixes", self._prefixes)
        self._prefixes = frozenset(prefixes)
        self._route(self._prefixes | {remote for remote in self._remote if not self._covers(remote)})

    def count_remote(self, addresses: Iterable[IPv4Address], change: int) -> None:
        """Enter remote endpoints, which may be in none of the prefixes (1), or take that back (-1)."""
        for remote in map(IPv4Network, addresses):
            self._kernel.transaction.undo(self._count, remote, -change)
            self._count(remote, change)
            if not self._covers(remote):
                self._route(self._there | {remote} if remote in self._remote else self._there - {remote})

    def _count(self, remote: IPv4Network, change: int) -> None:
        self._remote[remote] += change
        if not self._remote[remote]:
            del self._remote[remote]

    def _covers(self, remote: IPv4Network) -> bool:
        return any(remote.subnet_of(prefix) for prefix in self._prefixes)

    def _route(self, wanted: frozenset[IPv4Network]) -> None:
        before, self._there = self._there, wanted
        self._kernel.transaction.undo(setattr, self, "_there", before)
        if before != wanted:
            self._kernel.node.send(
                self._messages(before, wanted), "route into a segment", lambda: self._messages(wanted, before)
            )

    def _messages(self, old: frozenset[IPv4Network], new: frozenset[IPv4Network]) -> list[bytes]:
        return [
            *(self._message("del", prefix) for prefix in old - new),
            *(self._message("add", prefix) for prefix in new - old),
        ]

    def _message(self, verb: str, prefix: IPv4Network) -> bytes:
        return ip_messages.route_in_table(verb, prefix, _ROUTER, self._interface, self._segment)
