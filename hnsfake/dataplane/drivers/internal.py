"""Internal and Private: switches without an external port; nothing of theirs is ever on a wire.

On an Internal network the host has a vNIC, on a Private one it has none (Hyper-V's switch types of these names,
MicrosoftDocs/Virtualization-Documentation hyper-v-on-windows).
"""

from __future__ import annotations

from hnsfake.dataplane.drivers.base import acls_only
from hnsfake.dataplane.interface import EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.internal_switch import HostVnic, InternalSwitch
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import ExternalSwitch
from hnsfake.dataplane.vfp.layers import PortContext

_HOST = HostVnic("internal", forwards=False)


class _Isolated:
    """A network with a switch of its own; at its ports only ACLs are enforced."""

    _host: HostVnic | None

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:  # noqa: ARG002
        self._kernel = kernel
        self._internal = InternalSwitch(kernel, network, self._host)

    def create(self) -> None:
        """Make the switch."""
        self._internal.make()

    def modify(self, after: NetworkWant) -> None:
        """Nothing of the network's policies is in the kernel."""

    def delete(self) -> None:
        """Remove the switch."""
        self._kernel.transaction.undo(self._make_again)
        self._internal.remove()

    def bridge(self, endpoint: EndpointWant) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the switch."""
        return self._internal.bridge

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return f"p{index}"

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return the port's context, which has ACLs alone."""
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
        """Do nothing: a port is all that an endpoint needs."""

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Do nothing."""

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Do nothing."""

    def _make_again(self) -> None:
        """Undo a removal, whatever point it got to."""
        self._internal.clear()
        self._internal.make()


class Internal(_Isolated):
    """A network of type Internal."""

    _host = _HOST


class Private(_Isolated):
    """A network of type Private."""

    _host = None
