"""NAT: an internal switch, the host's vNIC on it as gateway, and WinNAT in the host's stack behind it.

MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, ip_interface

from hnsfake.dataplane import messages
from hnsfake.dataplane.interface import EndpointWant, NetworkWant
from hnsfake.dataplane.kernel import HOST_SETTINGS, Kernel
from hnsfake.dataplane.switch import ExternalSwitch
from hnsfake.dataplane.vfp import winnat
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.documents.policies import Acl


class Nat:
    """A network of type NAT."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:
        self._kernel = kernel
        self._switch = switch
        self._network = network
        self._bridge, self._host_port, self._host_vnic = (next(kernel.indexes) for _ in range(3))
        self._vnic_name = f"nat{self._bridge}"
        self._winnat = winnat.WinNat(
            f"winnat{self._bridge}", self._vnic_name, kernel.address, [s.prefix for s in network.subnets]
        )

    def create(self) -> None:
        """Make the switch, the host's vNIC with the gateway addresses, and the translation."""
        self._switch.forward_for(self._network.id, True)
        self._make()

    def modify(self, after: NetworkWant) -> None:
        """Nothing of a NAT network's policies is in the kernel."""
        self._network = after

    def delete(self) -> None:
        """Remove the switch."""
        self._kernel.transaction.undo(self._make_again)
        self._kernel.node.rules(self._winnat.removal())
        self._kernel.switch.send(self._removal(), "remove a NAT switch")
        self._switch.forward_for(self._network.id, False)

    def bridge(self, endpoint: EndpointWant) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the internal switch."""
        return self._bridge

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return f"p{index}"

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return the port's context: only ACLs are enforced at it, all else is WinNAT's."""
        acls = tuple(policy for policy in endpoint.policies if isinstance(policy, Acl))
        return PortContext(interface, replace(endpoint, policies=acls))

    def connect(self, endpoint: EndpointWant) -> None:
        """Add the endpoint's port mappings."""
        self._map(None, endpoint)

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take the mappings back."""
        self._map(endpoint, None)

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Replace the mappings, in one transaction."""
        self._map(before, after)

    def _map(self, before: EndpointWant | None, after: EndpointWant | None) -> None:
        self._kernel.node.rules(self._winnat.mapping_script(before, after), self._winnat.mapping_script(after, before))

    def _removal(self) -> list[bytes]:
        return [messages.delete_link(self._host_port), messages.delete_link(self._bridge)]

    def _make_again(self) -> None:
        """Undo a removal, whatever point it got to."""
        self._kernel.node.rules(self._winnat.removal())
        self._kernel.switch.revert(self._removal())
        self._make()

    def _make(self) -> None:
        kernel = self._kernel
        mac = f"00-15-5D-00-{self._bridge >> 8 & 0xFF:02X}-{self._bridge & 0xFF:02X}"
        kernel.switch.send(
            [
                messages.bridge(f"int{self._bridge}", self._bridge),
                messages.vnic_up(self._bridge),
                messages.veth(
                    f"hp{self._bridge}",
                    self._host_port,
                    self._vnic_name,
                    self._host_vnic,
                    mac,
                    kernel.node.netns.fd,
                ),
                messages.into_bridge(self._host_port, self._bridge),
                messages.quiet_port(self._host_port),
                messages.forward_to_port(mac, self._host_port),
            ],
            "make a NAT switch",
            self._removal,
        )
        gateways = [
            ip_interface(f"{subnet.gateway}/{subnet.prefix.prefixlen}")
            for subnet in self._network.subnets
            if isinstance(subnet.gateway, IPv4Address)
        ]
        kernel.node.send(
            [
                messages.vnic_up(
                    self._host_vnic,
                    f"vEthernet ({self._network.name})",
                    settings={**HOST_SETTINGS, messages.FORWARDING: 1},
                ),
                *(messages.address(self._host_vnic, gateway) for gateway in gateways),
            ],
            "make a NAT gateway",
        )
        kernel.switch.send([messages.settled(self._host_port)], "settle a NAT gateway")
        kernel.node.rules(self._winnat.ruleset(), self._winnat.removal())
