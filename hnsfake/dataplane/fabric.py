"""What lies around the nodes: the wire, the router behind it, and a host in the outside world."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, collapse_addresses, ip_interface, ip_network

from hnsfake.dataplane import ip_messages, messages, netlink, nftables
from hnsfake.dataplane.interface import IPAddress, IPNetwork
from hnsfake.dataplane.kernel import quiet_ipv6, sysctl
from hnsfake.dataplane.sandbox import NetNs, Sandbox, enter

WIRE_GATEWAY = IPv4Interface("10.127.0.1/24")
OUTSIDE_GATEWAY = IPv4Interface("203.0.113.1/24")
OUTSIDE_HOST = IPv4Interface("203.0.113.10/24")
DEFAULT_ROUTE = IPv4Network("0.0.0.0/0")

_BRIDGE = 10
_WIRE_LEG, _OUTSIDE_LEG, _HOST = 2, 3, 2
_ROUTER_MAC, _ROUTER_OUTSIDE_MAC = "02-00-00-7F-00-01", "02-00-00-7F-01-01"
_OUTSIDE_MAC = "02-00-00-7F-01-0A"
_FORWARD = {messages.FORWARDING: 1, messages.RP_FILTER: 0, messages.SEND_REDIRECTS: 0}
_ANSWERS = {**_FORWARD, messages.PROXY_ARP: 1}

# The router would answer ARP for whatever it has a way to: here it does for prefixes that were led to a node, and to
# whoever has an address of one, as a cloud's fabric does. The nodes answer for themselves.
_ARP = f"""
table netdev fabric {{
  set led {{ type ipv4_addr; flags interval; }}
  chain ARP {{
    type filter hook ingress device "wire" priority 0; policy accept;
    arp operation request arp daddr ip != {WIRE_GATEWAY.ip} arp daddr ip != @led arp saddr ip != @led drop
  }}
}}
"""


class Fabric:
    """The wire is a bridge; the router knows the wire and the outside, and no pod network unless told.

    Raises SandboxError and DataplaneError.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.wire = sandbox.new_netns("wire")
        self.router = sandbox.new_netns("router")
        self.outside = sandbox.new_netns("outside")
        self._ports = itertools.count(_BRIDGE + 1)
        self._led: list[IPNetwork] = []
        self.outside_address = OUTSIDE_HOST.ip
        router_port = sandbox.run(self.wire, self._make_wire)
        sandbox.run(self.router, self._make_router)
        sandbox.run(self.outside, self._make_outside)
        sandbox.run(self.wire, self.settle, router_port)
        sandbox.run(self.router, netlink.send, [messages.settled(_OUTSIDE_LEG)], "settle the router")

    def plug(self, netns: NetNs, name: str, index: int, mac: str) -> int:
        """Give a namespace an interface on the wire; return the wire's port. The interface is not up yet."""
        return self._sandbox.run(self.wire, self._plug, netns, name, index, mac)

    def settle(self, port: int) -> None:
        """Let a port of the wire carry frames at once, after its interface was switched on. On a sandbox thread."""
        enter(self.wire)
        netlink.send([messages.settled(port)], "settle a port of the wire")

    def add_route(self, prefix: IPNetwork, via: IPAddress) -> None:
        """Tell the router that a prefix is behind a node, as a fabric with user-defined routes does.

        It answers ARP for the prefix, and sends back onto the wire what came from there.
        """
        route = ip_messages.route(prefix, via, _WIRE_LEG)
        self._sandbox.run(self.router, self._lead, route, [*self._led, prefix], f"route {prefix} at the router")

    def delete_route(self, prefix: IPNetwork, via: IPAddress) -> None:
        """Take a route of ``add_route`` back."""
        rest = list(self._led)
        rest.remove(prefix)
        route = ip_messages.delete_route(prefix, via, _WIRE_LEG)
        self._sandbox.run(self.router, self._lead, route, rest, f"remove the route {prefix} at the router")

    def probe(self, check: Callable[[], None]) -> None:
        """Let ``check`` find out what the kernel can, in a namespace to throw away; it raises DataplaneError."""
        netns = self._sandbox.new_netns("probe")
        try:
            self._sandbox.run(netns, check)
        finally:
            netns.close()

    def close(self) -> None:
        """Let go of the namespaces."""
        for netns in (self.outside, self.router, self.wire):
            netns.close()

    def _make_wire(self) -> int:
        quiet_ipv6()
        netlink.send([messages.bridge("wire", _BRIDGE), messages.vnic_up(_BRIDGE)], "make the wire")
        return self._plug(self.router, "wire", _WIRE_LEG, _ROUTER_MAC)

    def _plug(self, netns: NetNs, name: str, index: int, mac: str) -> int:
        port = next(self._ports)
        netlink.send(
            [
                messages.veth(f"port{port}", port, name, index, mac, netns.fd),
                messages.into_bridge(port, _BRIDGE),
            ],
            "plug into the wire",
        )
        return port

    def _make_router(self) -> None:
        netlink.send(
            [
                messages.veth("outside", _OUTSIDE_LEG, "eth0", _HOST, _OUTSIDE_MAC, self.outside.fd),
                messages.set_mac(_OUTSIDE_LEG, _ROUTER_OUTSIDE_MAC),
                messages.vnic_up(_WIRE_LEG, settings=_ANSWERS),
                messages.vnic_up(_OUTSIDE_LEG, settings=_FORWARD),
                ip_messages.address(_WIRE_LEG, WIRE_GATEWAY),
                ip_messages.address(_OUTSIDE_LEG, OUTSIDE_GATEWAY),
            ],
            "make the router",
        )

        nftables.run(_ARP)
        sysctl("net.ipv4.conf.all.send_redirects", "0")
        sysctl("net.ipv4.neigh.wire.proxy_delay", "0")

    def _lead(self, route: bytes, led: list[IPNetwork], purpose: str) -> None:
        netlink.send([route], purpose)
        elements = ", ".join(map(str, collapse_addresses(p for p in led if isinstance(p, IPv4Network))))
        added = f"add element netdev fabric led {{ {elements} }}\n" if elements else ""
        nftables.run(f"flush set netdev fabric led\n{added}")
        self._led = led

    def _make_outside(self) -> None:
        netlink.send(
            [
                messages.vnic_up(_HOST),
                ip_messages.address(_HOST, ip_interface(OUTSIDE_HOST)),
                ip_messages.route(ip_network(DEFAULT_ROUTE), IPv4Address(OUTSIDE_GATEWAY.ip), _HOST),
            ],
            "make the outside host",
        )
