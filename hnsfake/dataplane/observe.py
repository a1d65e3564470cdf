"""Looking at a compartment: its interfaces as Windows' tools list them, and traffic counters."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_interface
from pathlib import Path

from pyroute2 import IPRoute

from hnsfake.dataplane.interface import IPInterface, PortCounters

_UP = 1
_LOOPBACK = 8


@dataclass(frozen=True, slots=True)
class InterfaceView:
    """An interface: Windows' name, number, MAC with dashes, addresses."""

    alias: str
    index: int
    mac: str
    addresses: tuple[IPInterface, ...]
    mtu: int
    up: bool


def interfaces() -> tuple[InterfaceView, ...]:
    """Return the interfaces of the calling thread's namespace, loopback left out."""
    with IPRoute() as route:
        addresses: dict[int, list[IPInterface]] = {}
        for message in route.get_addr():
            text = f"{message.get_attr('IFA_ADDRESS')}/{message['prefixlen']}"
            addresses.setdefault(message["index"], []).append(ip_interface(text))
        return tuple(
            InterfaceView(
                alias=link.get_attr("IFLA_IFALIAS") or link.get_attr("IFLA_IFNAME"),
                index=link["index"],
                mac=(link.get_attr("IFLA_ADDRESS") or "").upper().replace(":", "-"),
                addresses=tuple(addresses.get(link["index"], ())),
                mtu=link.get_attr("IFLA_MTU"),
                up=bool(link["flags"] & _UP),
            )
            for link in route.get_links()
            if not link["flags"] & _LOOPBACK
        )


def counters(name: str) -> PortCounters:
    """Return the counters of an interface of the calling thread's namespace; zeros where it is gone."""
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
        label, _, numbers = line.partition(":")
        if label.strip() == name:
            values = [int(number) for number in numbers.split()]
            return PortCounters(
                bytes_received=values[0],
                packets_received=values[1],
                dropped_incoming=values[3],
                bytes_sent=values[8],
                packets_sent=values[9],
                dropped_outgoing=values[11],
            )
    return PortCounters()
