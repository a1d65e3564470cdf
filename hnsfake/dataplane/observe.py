"""Looking at a compartment: its interfaces and routes as Windows' tools list them, and traffic counters."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path
from socket import AF_INET
from typing import Any

from pyroute2 import IPRoute

from hnsfake.dataplane.interface import IPAddress, IPInterface, IPNetwork, PortCounters
from hnsfake.dataplane.metrics import ROUTE

_MAIN_TABLE, _BY_KERNEL, _UNICAST = 254, 2, 1
_UP = 1
_LOOPBACK = 8


@dataclass(frozen=True, slots=True)
class InterfaceView:
    """An interface: Windows' name, number, MAC with dashes, addresses; its metric, where it has an address.

    ``mtu`` is what IP sends at most by it.
    """

    alias: str
    index: int
    mac: str
    addresses: tuple[IPInterface, ...]
    mtu: int
    up: bool
    metric: int | None


@dataclass(frozen=True, slots=True)
class RouteView:
    """An active route: by which interface, and its effective metric; no next hop means on link."""

    destination: IPNetwork
    next_hop: IPAddress | None
    interface: InterfaceView
    metric: int

    @property
    def own_metric(self) -> int:
        """The metric of the route itself, without the interface's."""
        return self.metric - (self.interface.metric or 0)


def interfaces() -> tuple[InterfaceView, ...]:
    """Return the interfaces of the calling thread's namespace, loopback left out."""
    with IPRoute() as route:
        addresses: dict[int, list[IPInterface]] = {}
        for message in route.get_addr():
            text = f"{message.get_attr('IFA_ADDRESS')}/{message['prefixlen']}"
            addresses.setdefault(message["index"], []).append(ip_interface(text))
        on_link = [message for message in route.get_routes(table=_MAIN_TABLE) if message["proto"] == _BY_KERNEL]
        metrics = {m.get_attr("RTA_OIF"): (m.get_attr("RTA_PRIORITY") or 0) - ROUTE for m in on_link}
        limits = {m.get_attr("RTA_OIF"): m.get_nested("RTA_METRICS", "RTAX_MTU") for m in on_link}
        return tuple(
            InterfaceView(
                alias=link.get_attr("IFLA_IFALIAS") or link.get_attr("IFLA_IFNAME"),
                index=link["index"],
                mac=(link.get_attr("IFLA_ADDRESS") or "").upper().replace(":", "-"),
                addresses=tuple(addresses.get(link["index"], ())),
                mtu=limits.get(link["index"]) or link.get_attr("IFLA_MTU"),
                up=bool(link["flags"] & _UP),
                metric=metrics.get(link["index"]),
            )
            for link in route.get_links()
            if not link["flags"] & _LOOPBACK
        )


def routes() -> tuple[RouteView, ...]:
    """Return the routes of the calling thread's namespace, loopback's left out, in the order of their metrics."""
    known = {view.index: view for view in interfaces()}
    with IPRoute() as route:
        views = [
            RouteView(_destination(message), _next_hop(message), known[index], message.get_attr("RTA_PRIORITY") or 0)
            for message in route.get_routes(table=_MAIN_TABLE)
            if (index := message.get_attr("RTA_OIF")) in known and message["type"] == _UNICAST
        ]
    return tuple(sorted(views, key=lambda view: view.metric))


def on_link_metric(address: IPAddress) -> int:
    """Return the metric of the on-link route to an address: also that of a route by it that was given none.

    Both are the interface's metric and that of a route without one. Zero where no interface reaches the address.
    """
    with IPRoute() as route:
        found = [
            (destination.prefixlen, message.get_attr("RTA_PRIORITY") or 0)
            for message in route.get_routes(table=_MAIN_TABLE)
            if message["proto"] == _BY_KERNEL and address in (destination := _destination(message))
        ]
    return max(found, default=(0, 0))[1]


def _destination(message: Any) -> IPNetwork:
    everywhere = "0.0.0.0" if message["family"] == AF_INET else "::"
    return ip_network(f"{message.get_attr('RTA_DST') or everywhere}/{message['dst_len']}")


def _next_hop(message: Any) -> IPAddress | None:
    gateway = message.get_attr("RTA_GATEWAY")
    return ip_address(gateway) if gateway else None


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
