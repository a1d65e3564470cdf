"""A vSwitch without an external port: a bridge of a network's own, with or without a vNIC of the host's on it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, ip_interface

from hnsfake.dataplane import forwarding, ip_messages, messages
from hnsfake.dataplane.interface import NetworkWant, vnic_alias
from hnsfake.dataplane.kernel import HOST_SETTINGS, Kernel
from hnsfake.dataplane.metrics import INTERNAL_VNIC, ROUTE


@dataclass(frozen=True, slots=True)
class HostVnic:
    """The host's vNIC on the switch: what its kernel name begins with, and whether what comes in by it is forwarded."""

    prefix: str
    forwards: bool


class InternalSwitch:
    """The switch of one network. Methods raise DataplaneError."""

    def __init__(self, kernel: Kernel, network: NetworkWant, host: HostVnic | None) -> None:
        self._kernel = kernel
        self._network = network
        self._host = host
        self.bridge, self._host_port, self._host_vnic = (next(kernel.indexes) for _ in range(3))
        self.vnic_name = f"{host.prefix}{self.bridge}" if host is not None else ""

    def make(self) -> None:
        """Make the switch and, where the host is on it, its vNIC with the gateway addresses."""
        self._kernel.switch.send(
            [messages.bridge(f"int{self.bridge}", self.bridge), messages.vnic_up(self.bridge)],
            "make an internal switch",
            lambda: [messages.delete_link(self.bridge)],
        )
        if self._host is not None:
            self._connect_host(self._host)

    def remove(self) -> None:
        """Remove the switch."""
        if self._host is not None and self._host.forwards:
            forwarding.forward(self._kernel, [self._host_vnic], False)
        self._kernel.switch.send(self._removal(), "remove an internal switch")

    def clear(self) -> None:
        """Remove what of the switch is there, whatever point its making or removal got to."""
        self._kernel.switch.revert(self._removal())

    def _removal(self) -> list[bytes]:
        host = [messages.delete_link(self._host_port)] if self._host is not None else []
        return [*host, messages.delete_link(self.bridge)]

    def _connect_host(self, host: HostVnic) -> None:
        kernel = self._kernel
        mac = self._network.gateway_mac or f"00-15-5D-00-{self.bridge >> 8 & 0xFF:02X}-{self.bridge & 0xFF:02X}"
        kernel.switch.send(
            [
                messages.veth(
                    f"hp{self.bridge}", self._host_port, self.vnic_name, self._host_vnic, mac, kernel.node.netns.fd
                ),
                messages.into_bridge(self._host_port, self.bridge),
                messages.quiet_port(self._host_port),
                messages.forward_to_port(mac, self._host_port),
            ],
            "connect the host to an internal switch",
            lambda: [messages.delete_link(self._host_port)],
        )
        gateways = [
            ip_interface(f"{subnet.gateway}/{subnet.prefix.prefixlen}")
            for subnet in self._network.subnets
            if isinstance(subnet.gateway, IPv4Address)
        ]
        kernel.node.send(
            [
                messages.vnic_up(self._host_vnic, vnic_alias(self._network.name), settings=HOST_SETTINGS),
                *(ip_messages.address(self._host_vnic, gateway, INTERNAL_VNIC + ROUTE) for gateway in gateways),
            ],
            "configure the host's vNIC on an internal switch",
        )
        kernel.switch.send([messages.settled(self._host_port)], "settle the host's port of an internal switch")
        if host.forwards:
            forwarding.forward(kernel, [self._host_vnic], True)
