"""A node's two namespaces and the ways to change them; all of it runs on a sandbox thread.

``node`` is the node's own IP stack, compartment 1. ``switch`` is where vSwitches and their ports are; no
compartment sees it.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from hnsfake.dataplane import messages, netlink, nftables
from hnsfake.dataplane.interface import DataplaneError
from hnsfake.dataplane.sandbox import NetNs, enter
from hnsfake.dataplane.transaction import Transaction

log = logging.getLogger("hnsfake.dataplane")

NIC = 2
"""The NIC's interface number, in whichever of the two namespaces it is."""

_FIRST_INDEX = 100


class Place:
    """A namespace of the node, its netlink socket and nftables context kept: neither is cheap to close.

    Every step is undone should the change fail: ``back`` returns the messages, or is the script, that takes
    it back. Methods raise DataplaneError.
    """

    def __init__(self, netns: NetNs, transaction: Transaction) -> None:
        self.netns = netns
        self._transaction = transaction
        enter(netns)
        self._link = netlink.Link()
        self._rules = nftables.Context()

    def send(self, requests: Sequence[bytes], purpose: str, back: Callable[[], Sequence[bytes]] | None = None) -> None:
        """Send rtnetlink messages. Of a batch that fails the kernel may have carried out any part."""
        if back is not None:
            self._transaction.undo(lambda: self._link.revert(back()))
        self._link.send(requests, purpose)

    def revert(self, requests: Sequence[bytes]) -> None:
        """Send rtnetlink messages that remove what may be gone already."""
        self._link.revert(requests)

    def rules(self, script: str, back: str = "") -> None:
        """Carry out an nftables script."""
        if script:
            self._rules.run(script)
        if back:
            self._transaction.undo(self._rules.run, back)

    def close(self) -> None:
        """Let go of the namespace; may be called twice."""
        self._link.close()
        self._rules.close()
        self.netns.close()


@dataclass
class Kernel:
    """The node's namespaces, its address and MAC on the wire, its quirks, and numbers for new interfaces."""

    node: Place
    switch: Place
    transaction: Transaction
    interface: IPv4Interface
    gateway: IPv4Address
    mac: str
    quirks: frozenset[str] = frozenset()
    indexes: itertools.count[int] = field(default_factory=lambda: itertools.count(_FIRST_INDEX))

    @property
    def address(self) -> IPv4Address:
        """The node's address on the wire: its management IP."""
        return IPv4Address(self.interface.ip)

    def close(self) -> None:
        """Let go of both namespaces; may be called twice."""
        self.node.close()
        self.switch.close()


HOST_SETTINGS = {
    messages.FORWARDING: 1,  # what of it is seen, forwarding's own rules decide
    messages.SEND_REDIRECTS: 0,  # what comes in by a vSwitch may go out by it
    messages.ACCEPT_LOCAL: 1,  # what a port translated comes by with the node's own address
    messages.RP_FILTER: 0,
    messages.ARP_IGNORE: 1,  # Windows answers ARP for an address only where the address is
    messages.ARP_ANNOUNCE: 2,
}
"""IPv4 settings of every interface in the node's own compartment."""


def quiet_ipv6() -> None:
    """Keep the calling thread's namespace from speaking IPv6 by itself: for switches and wires.

    Where sysctls can't be set, the only harm is noise: neighbour discovery of the ports themselves.
    """
    for scope in ("all", "default"):
        try:
            sysctl(f"net.ipv6.conf.{scope}.disable_ipv6", "1")
        except DataplaneError as error:
            log.info("%s", error)


def sysctl(name: str, value: str) -> None:
    """Set a sysctl of the calling thread's namespace; raise DataplaneError where it can't be had."""
    path = Path("/proc/sys", *name.split("."))
    try:
        if path.read_text().split() != value.split():
            path.write_text(value)
    except OSError as error:
        raise DataplaneError(f"can't set {name} to {value} in the lab's namespace: {error.strerror}") from error
