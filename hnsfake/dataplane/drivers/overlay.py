"""Overlay: VXLAN between nodes, and a distributed router on every node.

A pod sends what is not in its subnet to the router's MAC. There an exact local endpoint wins, then an exact
remote one, then the longest remote subnet; the inner destination MAC becomes the peer's, by which the peer's
node decapsulates (flannel-io/flannel pkg/backend/vxlan). What none of them covers goes to the node's stack
and leaves unencapsulated (flannel-io/flannel#1394).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface

from hnsfake.dataplane import messages
from hnsfake.dataplane.drivers.segment import Segment
from hnsfake.dataplane.interface import DataplaneError, EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import TABLE, ExternalSwitch, element_script, port_elements
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.dataplane.vfp.local_routed_vip import LocalRoutedVips

Tunnel = tuple[str, IPAddress]  # MAC behind a provider address


class Overlay:
    """A network of type Overlay: one segment, that of its first subnet's VSID."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:
        self._kernel = kernel
        self._switch = switch
        self._network = network
        self._segment = Segment(kernel, network)
        self._tunnels: Counter[Tunnel] = Counter()
        self._local_vips = LocalRoutedVips(kernel)

    def create(self) -> None:
        """Use the adapter's switch and make the segment."""
        vsids = {subnet.isolation_id for subnet in self._network.subnets}
        if len(vsids) > 1:
            # unverified: how Windows routes between VSIDs of one network.
            raise DataplaneError("the subnets of an overlay network must have one VSID here")
        self._switch.acquire(self._network.id)
        try:
            self._segment.create()
            self._route_all(self._network)
        except BaseException:
            self.delete()
            raise

    def modify(self, after: NetworkWant) -> None:
        """Change remote subnets and the host route; on failure go back to what was."""
        before = self._network
        try:
            self._change_to(after)
        except BaseException:
            self._change_to(before)
            raise

    def delete(self) -> None:
        """Remove the segment and end the use of the switch."""
        self._segment.delete()
        self._switch.release(self._network.id)

    def bridge(self, endpoint: EndpointWant) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the segment's bridge."""
        return self._segment.bridge

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return self._segment.port_name(index)

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return the port's context: the node's address, and the MAC of its port on the segment."""
        return PortContext(interface, endpoint, self._kernel.address, self._segment.host_mac)

    def connect(self, endpoint: EndpointWant) -> None:
        """Enter a local endpoint, or the tunnel to a remote one."""
        if endpoint.remote:
            self._connect_remote(endpoint)
            return
        self._kernel.in_switch(
            [messages.forward_to_port(endpoint.mac, self._segment.external_port)], "connect an endpoint"
        )
        self._kernel.switch_rules(
            element_script("add", self._segment.table, self._elements(endpoint))
            + element_script("add", TABLE, port_elements(endpoint, self._kernel.address))
        )
        self._local_vips.add(endpoint)

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take ``connect`` back."""
        if endpoint.remote:
            self._disconnect_remote(endpoint)
            return
        self._local_vips.remove(endpoint)
        self._kernel.switch_rules(
            element_script("delete", self._segment.table, self._elements(endpoint))
            + element_script("delete", TABLE, port_elements(endpoint, self._kernel.address))
        )
        self._kernel.in_switch(
            [messages.forget_mac(endpoint.mac, self._segment.external_port)], "disconnect an endpoint"
        )

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Change what differs."""
        if before.remote:
            self._disconnect_remote(before)
            self._connect_remote(after)
            return
        old, new = (port_elements(want, self._kernel.address) for want in (before, after))
        script = element_script("delete", TABLE, [e for e in old if e not in new])
        self._kernel.switch_rules(script + element_script("add", TABLE, [e for e in new if e not in old]))
        self._local_vips.update(before, after)

    def _connect_remote(self, endpoint: EndpointWant) -> None:
        """Enter a remote endpoint; one without a provider address, or behind this node, has no tunnel."""
        provider = endpoint.provider_address
        if provider is None or provider == self._kernel.address:
            return
        self._dig([(endpoint.mac, provider)])
        neighbours = [messages.neighbour(i.ip, endpoint.mac, self._segment.bridge) for i in endpoint.addresses]
        self._kernel.in_switch(neighbours, "enter a remote endpoint")
        self._kernel.switch_rules(element_script("add", self._segment.table, self._remote_elements(endpoint)))

    def _disconnect_remote(self, endpoint: EndpointWant) -> None:
        provider = endpoint.provider_address
        if provider is None or provider == self._kernel.address:
            return
        self._kernel.switch_rules(element_script("delete", self._segment.table, self._remote_elements(endpoint)))
        forget = [messages.forget_neighbour(i.ip, self._segment.bridge) for i in endpoint.addresses]
        self._kernel.in_switch(forget, "forget a remote endpoint")
        self._fill_in([(endpoint.mac, provider)])

    def _change_to(self, after: NetworkWant) -> None:
        before, self._network = self._network, after
        old, new = set(before.remote_subnets), set(after.remote_subnets)
        self._dig((route.dr_mac, route.provider_address) for route in new - old)
        self._segment.set_routes(after.remote_subnets, after.host_route)
        self._fill_in((route.dr_mac, route.provider_address) for route in old - new)

    def _route_all(self, network: NetworkWant) -> None:
        self._dig((route.dr_mac, route.provider_address) for route in network.remote_subnets)
        self._segment.set_routes(network.remote_subnets, network.host_route)

    def _dig(self, tunnels: Iterable[Tunnel]) -> None:
        """Lead MACs to provider addresses; several users of one tunnel share it."""
        for tunnel in tunnels:
            if not self._tunnels[tunnel]:
                self._segment.dig(*tunnel)
            self._tunnels[tunnel] += 1

    def _fill_in(self, tunnels: Iterable[Tunnel]) -> None:
        for tunnel in tunnels:
            self._tunnels[tunnel] -= 1
            if self._tunnels[tunnel] <= 0:
                del self._tunnels[tunnel]
                self._segment.fill_in(*tunnel)

    def _elements(self, endpoint: EndpointWant) -> list[tuple[str, str, str]]:
        mac = messages.mac_text(endpoint.mac)
        return [("macs", mac, ""), *(("local", str(ip), mac) for ip in _ipv4(endpoint))]

    def _remote_elements(self, endpoint: EndpointWant) -> list[tuple[str, str, str]]:
        return [("remote", str(ip), messages.mac_text(endpoint.mac)) for ip in _ipv4(endpoint)]


def _ipv4(endpoint: EndpointWant) -> list[IPv4Address]:
    return [interface.ip for interface in endpoint.addresses if isinstance(interface, IPv4Interface)]
