"""Transparent: endpoints on the adapter's switch, and on the wire with MACs of their own.

MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies.
"""

from __future__ import annotations

from hnsfake.dataplane import messages
from hnsfake.dataplane.drivers.base import acls_only
from hnsfake.dataplane.interface import EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import BRIDGE, OWN_MACS, Element, ExternalSwitch
from hnsfake.dataplane.vfp.layers import PortContext


class Transparent:
    """A network of type Transparent."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:  # noqa: ARG002
        self._switch = switch
        self._network = network

    def create(self) -> None:
        """Use the adapter's switch."""
        self._switch.acquire(self._network.id)

    def modify(self, after: NetworkWant) -> None:
        """Nothing of a Transparent network's policies is in the kernel."""

    def delete(self) -> None:
        """End the use of the adapter's switch."""
        self._switch.release(self._network.id)

    def bridge(self, endpoint: EndpointWant) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the adapter's switch."""
        return BRIDGE

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return f"p{index}"

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return the port's context: only ACLs are enforced, there is no VFP that translates."""
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
        """Let the endpoint's MAC through the external port as it is."""
        if not endpoint.remote:
            self._switch.lead([], _elements(endpoint))

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take that back."""
        if not endpoint.remote:
            self._switch.lead(_elements(endpoint), [])

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Do nothing: an endpoint keeps its MAC."""


def _elements(endpoint: EndpointWant) -> list[Element]:
    return [(OWN_MACS, messages.mac_text(endpoint.mac), "")]
