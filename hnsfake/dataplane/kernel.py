"""A node's two namespaces and the ways to change them; all of it runs on a sandbox thread.

``node`` is the node's own IP stack, compartment 1. ``switch`` is where vSwitches and their ports are; no
compartment sees it.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from hnsfake.dataplane import messages, netlink, nftables
from hnsfake.dataplane.interface import DataplaneError
from hnsfake.dataplane.sandbox import NetNs, enter

log = logging.getLogger("hnsfake.dataplane")

NIC = 2
"""The NIC's interface number, in whichever of the two namespaces it is."""

_FIRST_INDEX = 100


@dataclass
class Kernel:
    """The node's namespaces, its address and MAC on the wire, and numbers for new interfaces."""

    node: NetNs
    switch: NetNs
    interface: IPv4Interface
    gateway: IPv4Address
    mac: str
    indexes: itertools.count[int] = field(default_factory=lambda: itertools.count(_FIRST_INDEX))

    @property
    def address(self) -> IPv4Address:
        """The node's address on the wire: its management IP."""
        return IPv4Address(self.interface.ip)

    def in_node(self, requests: Sequence[bytes], purpose: str) -> None:
        """Send rtnetlink messages in the node's namespace."""
        enter(self.node)
        netlink.send(requests, purpose)

    def in_switch(self, requests: Sequence[bytes], purpose: str) -> None:
        """Send rtnetlink messages in the switch's namespace."""
        enter(self.switch)
        netlink.send(requests, purpose)

    def node_rules(self, script: str) -> None:
        """Carry out an nftables script in the node's namespace."""
        enter(self.node)
        nftables.run(script)

    def switch_rules(self, script: str) -> None:
        """Carry out an nftables script in the switch's namespace."""
        if script:
            enter(self.switch)
            nftables.run(script)


HOST_SETTINGS = {
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
