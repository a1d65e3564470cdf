"""Overlay: VXLAN between nodes, and a distributed router on every node.

A pod sends what is not in its subnet to the router's MAC. There an exact local endpoint wins, then the longest
remote subnet, then an exact remote endpoint; the inner destination MAC becomes the peer's, by which the peer's
node decapsulates (flannel-io/flannel pkg/backend/vxlan). That remote subnets come before remote endpoints is
inferred: kube-proxy gives the latter MACs that no node has (kubernetes/kubernetes pkg/proxy/winkernel), and such pods
are reached. What none of them covers goes to the node's stack and leaves unencapsulated (flannel-io/flannel#1394).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface

from hnsfake.dataplane import messages
from hnsfake.dataplane.drivers.segment import Segment
from hnsfake.dataplane.interface import EmulatorLacksError, EndpointWant, IPAddress, NetworkWant, RemoteSubnet
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import Element, ExternalSwitch, element_script, port_elements
from hnsfake.dataplane.vfp.layers import PortContext


class Overlay:
    """A network of type Overlay: one segment, that of its first subnet's VSID."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:
        self._kernel = kernel
        self._switch = switch
        self._network = network
        self._segment = Segment(kernel, network)
        self._providers: dict[str, list[IPAddress]] = {}
        self._ways: dict[str, str] = {}
        self._sources: Counter[IPv4Address] = Counter()

    def create(self) -> None:
        """Use the adapter's switch and make the segment."""
        _check_one_segment(self._network)
        self._switch.acquire(self._network.id)
        self._segment.create()
        self._route((), self._network)

    def modify(self, after: NetworkWant) -> None:
        """Change subnets, remote subnets and the host route."""
        _check_one_segment(after)
        before, self._network = self._network, after
        self._kernel.transaction.undo(setattr, self, "_network", before)
        self._segment.set_subnets(after.subnets)
        self._route(before.remote_subnets, after)

    def delete(self) -> None:
        """Remove the segment and end the use of the switch."""
        self._route(self._network.remote_subnets, replace(self._network, remote_subnets=(), host_route=False))
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
        return PortContext(interface, endpoint, self._kernel.address, self._segment.host_mac, self._kernel.quirks)

    @property
    def segment(self) -> int:
        """The VSID's bridge, by whose number the node routes into it."""
        return self._segment.bridge

    def external_mac(self, endpoint: EndpointWant) -> str:
        """Return the MAC by which the endpoint is reached on the adapter's switch."""
        return self._ways[endpoint.id]

    def use_source(self, address: IPAddress | None, change: int) -> None:
        """Lead a source VIP to the node while it is used: answers to what was balanced come to it."""
        if not isinstance(address, IPv4Address) or address == self._kernel.address:
            return
        before = self._sources[address]
        self._kernel.transaction.undo(self._sources.__setitem__, address, before)
        self._sources[address] = before + change
        if not before:
            self._segment.answer_for(None, address)
        elif not before + change:
            self._segment.answer_for(address, None)

    def connect(self, endpoint: EndpointWant) -> None:
        """Enter a local endpoint, or the tunnel to a remote one."""
        if endpoint.remote:
            self._connect_remote(endpoint)
            return
        self._kernel.transaction.undo(self._ways.pop, endpoint.id)
        way = self._ways[endpoint.id] = _way_mac(next(self._kernel.indexes))
        self._kernel.switch.send(self._way_in(way), "connect an endpoint", lambda: self._no_way_in(way))
        self._change(self._elements(endpoint, way), "add", "delete")
        self._switch.lead([], self._port_elements(endpoint))
        self._switch.lead_node(None, endpoint)

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take ``connect`` back."""
        if endpoint.remote:
            self._disconnect_remote(endpoint)
            return
        way = self._ways[endpoint.id]
        self._switch.lead_node(endpoint, None)
        self._switch.lead(self._port_elements(endpoint), [])
        self._change(self._elements(endpoint, way), "delete", "add")
        self._kernel.switch.send(self._no_way_in(way), "disconnect an endpoint", lambda: self._way_in(way))
        self._kernel.transaction.undo(self._ways.__setitem__, endpoint.id, way)
        del self._ways[endpoint.id]

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Change what differs."""
        if before.remote:
            self._disconnect_remote(before)
            self._connect_remote(after)
            return
        self._switch.lead(self._port_elements(before), self._port_elements(after))
        self._switch.lead_node(before, after)

    def _way_in(self, way: str) -> list[bytes]:
        return [messages.forward_to_port(way, self._segment.external_port)]

    def _no_way_in(self, way: str) -> list[bytes]:
        return [messages.forget_mac(way, self._segment.external_port)]

    def _port_elements(self, endpoint: EndpointWant) -> list[Element]:
        return port_elements(replace(endpoint, mac=self._ways[endpoint.id]), self._kernel.address)

    def _connect_remote(self, endpoint: EndpointWant) -> None:
        """Enter a remote endpoint; one without a provider address, or behind this node, has no tunnel."""
        provider = endpoint.provider_address
        if provider is None or provider == self._kernel.address:
            return
        self._change(self._remote_elements(endpoint), "add", "delete")
        self._kernel.switch.send(
            self._neighbours(endpoint), "enter a remote endpoint", lambda: self._no_neighbours(endpoint)
        )
        self._segment.routes.count_remote(_ipv4(endpoint), 1)
        self._lead(endpoint.mac, add=provider)

    def _disconnect_remote(self, endpoint: EndpointWant) -> None:
        provider = endpoint.provider_address
        if provider is None or provider == self._kernel.address:
            return
        self._lead(endpoint.mac, remove=provider)
        self._segment.routes.count_remote(_ipv4(endpoint), -1)
        self._kernel.switch.send(
            self._no_neighbours(endpoint), "forget a remote endpoint", lambda: self._neighbours(endpoint)
        )
        self._change(self._remote_elements(endpoint), "delete", "add")

    def _neighbours(self, endpoint: EndpointWant) -> list[bytes]:
        return [messages.neighbour(ip, endpoint.mac, self._segment.bridge) for ip in _ipv4(endpoint)]

    def _no_neighbours(self, endpoint: EndpointWant) -> list[bytes]:
        return [messages.forget_neighbour(ip, self._segment.bridge) for ip in _ipv4(endpoint)]

    def _route(self, before: Iterable[RemoteSubnet], after: NetworkWant) -> None:
        """Lead to the remote subnets of ``after``, and no more to those of ``before``."""
        old, new = set(before), set(after.remote_subnets)
        for route in new - old:
            self._lead(route.dr_mac, add=route.provider_address)
        self._segment.set_routes(after.remote_subnets, after.host_route)
        for route in old - new:
            self._lead(route.dr_mac, remove=route.provider_address)

    def _lead(self, mac: str, *, add: IPAddress | None = None, remove: IPAddress | None = None) -> None:
        """Add or remove a user of the way to a MAC; of several provider addresses the last one counts."""
        before = self._providers.get(mac, [])
        after = list(before)
        if remove is not None:
            after.remove(remove)
        if add is not None:
            after.append(add)
        self._kernel.transaction.undo(self._providers.__setitem__, mac, before)
        self._providers[mac] = after
        old, new = (providers[-1] if providers else None for providers in (before, after))
        if old != new:
            self._segment.lead(mac, old, new)

    def _change(self, elements: Sequence[Element], verb: str, opposite: str) -> None:
        """Add or delete elements of the segment's maps."""
        table = self._segment.table
        self._kernel.switch.rules(element_script(verb, table, elements), element_script(opposite, table, elements))

    def _elements(self, endpoint: EndpointWant, way: str) -> list[Element]:
        mac = messages.mac_text(endpoint.mac)
        local = [("local", str(ip), mac) for ip in _ipv4(endpoint)]
        return [("macs", mac, ""), ("ways", messages.mac_text(way), mac), *local]

    def _remote_elements(self, endpoint: EndpointWant) -> list[Element]:
        return [("remote", str(ip), messages.mac_text(endpoint.mac)) for ip in _ipv4(endpoint)]


def _way_mac(number: int) -> str:
    """Return the MAC by which frames for an endpoint cross the adapter's switch, which all segments share.

    Endpoints of two networks may have one MAC; so there it is another one for each. It is never on a wire.
    """
    return f"02-00-5F-{number >> 16 & 0xFF:02X}-{number >> 8 & 0xFF:02X}-{number & 0xFF:02X}"


def _check_one_segment(network: NetworkWant) -> None:
    if len({subnet.isolation_id for subnet in network.subnets}) > 1:
        # unverified: how Windows routes between VSIDs of one network.
        raise EmulatorLacksError("hnsfake lacks overlay networks whose subnets have several VSIDs")


def _ipv4(endpoint: EndpointWant) -> list[IPv4Address]:
    return [interface.ip for interface in endpoint.addresses if isinstance(interface, IPv4Interface)]
