"""NAT: an internal switch, the host's vNIC on it as gateway, and WinNAT in the host's stack behind it.

MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.
"""

from __future__ import annotations

from hnsfake.dataplane.drivers.base import acls_only
from hnsfake.dataplane.interface import EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.internal_switch import HostVnic, InternalSwitch
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import ExternalSwitch
from hnsfake.dataplane.vfp import winnat
from hnsfake.dataplane.vfp.layers import PortContext

_GATEWAY = HostVnic("nat", forwards=True)


class Nat:
    """A network of type NAT or ICS: on packets the two are alike."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:  # noqa: ARG002
        self._kernel = kernel
        self._network = network
        self._internal = InternalSwitch(kernel, network, _GATEWAY)
        self._winnat = winnat.WinNat(
            f"winnat{self._internal.bridge}",
            self._internal.vnic_name,
            kernel.address,
            [s.prefix for s in network.subnets],
        )

    def create(self) -> None:
        """Make the switch, the host's vNIC with the gateway addresses, and the translation."""
        self._make()

    def modify(self, after: NetworkWant) -> None:
        """Nothing of a NAT network's policies is in the kernel."""
        self._network = after

    def delete(self) -> None:
        """Remove the switch."""
        self._kernel.transaction.undo(self._make_again)
        self._kernel.node.rules(self._winnat.removal())
        self._internal.remove()

    def bridge(self, endpoint: EndpointWant) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the internal switch."""
        return self._internal.bridge

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return f"p{index}"

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return the port's context: only ACLs are enforced at it, all else is WinNAT's."""
        return PortContext(interface, acls_only(endpoint))

    @property
    def segment(self) -> None:
        """Nothing is balanced: there is no VFP that translates."""
        return None

    def external_mac(self, endpoint: EndpointWant) -> str:
        """Return the endpoint's own MAC."""
        return endpoint.mac

    def use_source(self, address: IPAddress | None, change: int) -> None:
        """Do nothing: the source of balanced traffic is the node."""

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

    def _make_again(self) -> None:
        """Undo a removal, whatever point it got to."""
        self._kernel.node.rules(self._winnat.removal())
        self._internal.clear()
        self._make()

    def _make(self) -> None:
        self._internal.make()
        self._kernel.node.rules(self._winnat.ruleset(), self._winnat.removal())
