"""A segment: one VSID's bridge on a node, with its VXLAN device and its ways to the host and the adapter."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise

from hnsfake.dataplane import forwarding, ip_messages, messages
from hnsfake.dataplane.interface import EmulatorLacksError, IPAddress, NetworkWant, RemoteSubnet, SubnetWant
from hnsfake.dataplane.kernel import HOST_SETTINGS, Kernel
from hnsfake.dataplane.metrics import ROUTE, VNIC
from hnsfake.dataplane.netlink import NetlinkError
from hnsfake.dataplane.segment_routes import SegmentRoutes
from hnsfake.dataplane.switch import BRIDGE

_MTU = 1450
_PATCH_MAC = "02-00-00-00-00-03"  # never on a wire: the end of a cable between two bridges


class Segment:
    """The bridge of a VSID. ``host_mac`` is the node's stack, ``external_port`` the way from the adapter."""

    def __init__(self, kernel: Kernel, network: NetworkWant) -> None:
        self._kernel = kernel
        self._network = network
        self._subnets = network.subnets
        self.bridge, self._vxlan, self._host_port, self._host_vnic, self.external_port, self._inner_port = (
            next(kernel.indexes) for _ in range(6)
        )
        self._dr_mac = network.dr_mac or ""
        self.table = f"segment{self.bridge}"
        self.host_mac = f"02-00-5E-00-{self.bridge >> 8 & 0xFF:02X}-{self.bridge & 0xFF:02X}"
        self._host_routes: set[IPv4Network] = set()
        self.routes = SegmentRoutes(kernel, self.bridge, self._host_vnic, self._dr_mac)
        self._router = self._router_script((), True)

    def create(self) -> None:
        """Make the segment; raise DataplaneError."""
        kernel, switch = self._kernel, self._kernel.switch
        vsid = self._network.subnets[0].isolation_id or 0
        name = str(self.bridge)
        kernel.transaction.undo(switch.revert, self._removal())
        switch.send([messages.bridge(f"seg{name}", self.bridge), messages.vnic_up(self.bridge)], "make a segment")
        port = self._network.vxlan_port
        device = messages.vxlan(f"vx{name}", self._vxlan, vsid, kernel.address, port, switch.netns.fd)
        try:
            kernel.node.send([device], "make a VXLAN device")
        except NetlinkError as error:
            if error.number != errno.EEXIST:
                raise
            # unverified: what HNS says to a second network of a VSID.
            raise EmulatorLacksError("hnsfake lacks a second overlay network of one VSID on a node") from error
        switch.send(
            [
                messages.into_bridge(self._vxlan, self.bridge),
                messages.tunnel_port(self._vxlan),
                messages.veth(
                    f"hp{name}",
                    self._host_port,
                    f"ovl{name}",
                    self._host_vnic,
                    self.host_mac,
                    kernel.node.netns.fd,
                ),
                messages.into_bridge(self._host_port, self.bridge),
                messages.answered_port(self._host_port),
                messages.forward_to_port(self.host_mac, self._host_port),
                messages.veth(
                    f"xa{name}", self.external_port, f"xb{name}", self._inner_port, _PATCH_MAC, switch.netns.fd
                ),
                messages.into_bridge(self.external_port, BRIDGE),
                messages.patch_port(self.external_port),
                messages.into_bridge(self._inner_port, self.bridge),
                messages.patch_port(self._inner_port),
                messages.forward_to_port(self._dr_mac, self._vxlan),
                *(messages.neighbour(gateway, self._dr_mac, self.bridge) for gateway in _gateways(self._subnets)),
            ],
            "connect a segment",
        )
        kernel.node.send(
            [
                messages.vnic_up(
                    self._host_vnic,
                    f"HNS overlay {self._network.name}",
                    _MTU,
                    HOST_SETTINGS,
                )
            ],
            "connect a segment to the host",
        )
        forwarding.forward(kernel, [self._host_vnic], True)
        self.routes.create()
        switch.send([messages.settled(port) for port in (self._host_port, self.external_port)], "settle a segment")
        switch.rules(self._rules(), self._no_rules)

    def delete(self) -> None:
        """Remove the segment; ``set_routes`` before has left nothing of it in the node."""
        self._kernel.transaction.undo(self._create_again)
        self.routes.delete()
        forwarding.forward(self._kernel, [self._host_vnic], False)
        self._kernel.switch.rules(self._no_rules)
        self._kernel.switch.send(self._removal(), "remove a segment")

    def _create_again(self) -> None:
        """Undo a removal, whatever point it got to."""
        self._kernel.node.revert(self.routes.removal())
        self._kernel.switch.rules(self._no_rules)
        self._kernel.switch.revert(self._removal())
        self.create()

    def _removal(self) -> list[bytes]:
        indexes = (self._host_port, self.external_port, self._vxlan, self.bridge)
        return [messages.delete_link(index) for index in indexes]

    @property
    def _no_rules(self) -> str:
        return f"table bridge {self.table}\ndelete table bridge {self.table}\n"

    def port_name(self, index: int) -> str:
        """Return the kernel name of a pod's port, by which the router's rules know the segment.

        (Not every kernel lets nftables match the bridge itself.)
        """
        return f"s{self.bridge}p{index}"

    def answer_for(self, before: IPv4Address | None, after: IPv4Address | None) -> None:
        """Lead an address, the source VIP of balanced traffic, to the host's port, and another one no more."""
        mac = messages.mac_text(self.host_mac)
        old, new = ([f"{address} : {mac}"] if address is not None else [] for address in (before, after))
        self._kernel.switch.rules(self._local_script(old, new), self._local_script(new, old))
        self._kernel.switch.send(
            self._host_neighbour(before, after),
            "lead an address to the host",
            lambda: self._host_neighbour(after, before),
        )

    def _local_script(self, old: list[str], new: list[str]) -> str:
        lines = [f"delete element bridge {self.table} local {{ {item} }}\n" for item in old]
        return "".join([*lines, *(f"add element bridge {self.table} local {{ {item} }}\n" for item in new)])

    def _host_neighbour(self, old: IPv4Address | None, new: IPv4Address | None) -> list[bytes]:
        return [
            *([messages.forget_neighbour(old, self.bridge)] if old is not None else []),
            *([messages.neighbour(new, self.host_mac, self.bridge)] if new is not None else []),
        ]

    def lead(self, mac: str, old: IPAddress | None, new: IPAddress | None) -> None:
        """Lead a MAC to the provider address ``new`` instead of ``old``; None is none."""
        self._kernel.switch.send(
            self._way(mac, old, new), "lead a MAC to a provider address", lambda: self._way(mac, new, old)
        )

    def _way(self, mac: str, old: IPAddress | None, new: IPAddress | None) -> list[bytes]:
        if new is None:
            assert old is not None
            return [messages.forget_mac(mac, self._vxlan), messages.forget_tunnel(mac, self._vxlan, old)]
        here = [messages.forward_to_port(mac, self._vxlan)] if old is None else []
        return [*here, messages.tunnel_to(mac, self._vxlan, new)]

    def set_subnets(self, subnets: tuple[SubnetWant, ...]) -> None:
        """Answer ARP for the gateways of ``subnets``; ``set_routes`` after it sets the host's routes."""
        before, self._subnets = self._subnets, subnets
        self._kernel.transaction.undo(setattr, self, "_subnets", before)
        self._kernel.switch.send(
            self._gateway_changes(before, subnets),
            "change the gateways of a segment",
            lambda: self._gateway_changes(subnets, before),
        )

    def _gateway_changes(self, old: tuple[SubnetWant, ...], new: tuple[SubnetWant, ...]) -> list[bytes]:
        before, after = _gateways(old), _gateways(new)
        return [
            *(messages.forget_neighbour(gateway, self.bridge) for gateway in before - after),
            *(messages.neighbour(gateway, self._dr_mac, self.bridge) for gateway in after - before),
        ]

    def set_routes(self, remote: Sequence[RemoteSubnet], host_route: bool) -> None:
        """Set the remote subnets and whether node and pods reach each other."""
        before = self._router
        self._router = self._router_script(remote, host_route)
        self._kernel.transaction.undo(setattr, self, "_router", before)
        self._kernel.switch.rules(self._router, before)
        prefixes = {s.prefix for s in self._subnets if isinstance(s.prefix, IPv4Network)}
        self._set_host_routes(prefixes if host_route else set())
        self.routes.set_prefixes(prefixes | {s.prefix for s in remote if isinstance(s.prefix, IPv4Network)})

    def _set_host_routes(self, wanted: set[IPv4Network]) -> None:
        before, self._host_routes = self._host_routes, wanted
        self._kernel.transaction.undo(setattr, self, "_host_routes", before)
        self._kernel.node.send(
            self._host_way(before, wanted),
            "set the host's route to an overlay network",
            lambda: self._host_way(wanted, before),
        )

    def _host_way(self, old: set[IPv4Network], new: set[IPv4Network]) -> list[bytes]:
        return [
            *(ip_messages.delete_route(prefix, None, self._host_vnic) for prefix in old - new),
            *(ip_messages.route(prefix, None, self._host_vnic, VNIC + ROUTE) for prefix in new - old),
        ]

    def _rules(self) -> str:
        """Return the segment's rules: what comes off the wire, and the distributed router."""
        name, mac = self.bridge, messages.mac_text(self._dr_mac)
        return f"""
table bridge {self.table} {{
  map local {{ type ipv4_addr : ether_addr; }}
  map remote {{ type ipv4_addr : ether_addr; }}
  map routes {{ type ipv4_addr : ether_addr; flags interval; }}
  map ways {{ type ether_addr : ether_addr; }}
  set macs {{ type ether_addr; }}
  chain IN {{
    type filter hook prerouting priority -200; policy accept;
    iifname "vx{name}" jump FROM_WIRE
    iifname "xb{name}" ether daddr set ether daddr map @ways accept
    iifname "xb{name}" accept
    iifname "s{name}p*" ether daddr {mac} jump ROUTER
    iifname "hp{name}" ether daddr {mac} jump TO_ENDPOINTS
  }}
  chain FROM_WIRE {{
    ether daddr {mac} ether daddr set ip daddr map @local accept
    ether daddr @macs accept
    drop
  }}
  chain ROUTER {{
    jump TO_ENDPOINTS
    jump HOST
    ether daddr set {messages.mac_text(self.host_mac)} accept
  }}
  chain TO_ENDPOINTS {{
    ether daddr set ip daddr map @local accept
    ether daddr set ip daddr map @routes accept
    ether daddr set ip daddr map @remote accept
  }}
  chain HOST {{
  }}
}}
"""

    def _router_script(self, remote: Sequence[RemoteSubnet], host_route: bool) -> str:
        lines = [f"flush map bridge {self.table} routes", f"flush chain bridge {self.table} HOST"]
        routes = {
            route.prefix: messages.mac_text(route.dr_mac) for route in remote if isinstance(route.prefix, IPv4Network)
        }
        lines += [f"add element bridge {self.table} routes {{ {piece} }}" for piece in _disjoint(routes)]
        if not host_route:
            # Without the HostRoute policy pods and their own node do not reach each other.
            lines.append(f"add rule bridge {self.table} HOST ip daddr {self._kernel.address} drop")
        return "\n".join(lines) + "\n"


def _gateways(subnets: tuple[SubnetWant, ...]) -> set[IPv4Address]:
    """Return the gateways that the distributed router is; no IPv6 is on the wire yet."""
    return {subnet.gateway for subnet in subnets if isinstance(subnet.gateway, IPv4Address)}


def _disjoint(routes: dict[IPv4Network, str]) -> list[str]:
    """Cut overlapping prefixes into disjoint ranges, the longest prefix winning, as "first-last : MAC"."""
    edges = sorted({int(p.network_address) for p in routes} | {int(p.broadcast_address) + 1 for p in routes})
    pieces = []
    for first, end in pairwise(edges):
        covering = [p for p in routes if int(p.network_address) <= first < end <= int(p.broadcast_address) + 1]
        if covering:
            longest = max(covering, key=lambda prefix: prefix.prefixlen)
            pieces.append(f"{IPv4Address(first)}-{IPv4Address(end - 1)} : {routes[longest]}")
    return pieces
