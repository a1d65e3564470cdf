"""L2Bridge: endpoints on the adapter's switch; on the wire every frame has the host's MAC.

Inside the switch frames carry the endpoints' own MACs; at the external port the source becomes the host's on
the way out, the destination the endpoint's on the way in (MicrosoftDocs/Virtualization-Documentation
container-networking/network-drivers-topologies).
"""

from __future__ import annotations

from ipaddress import IPv4Interface

from hnsfake.dataplane import messages
from hnsfake.dataplane.interface import EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.metrics import NARROW_MTU
from hnsfake.dataplane.switch import BRIDGE, Element, ExternalSwitch, port_elements
from hnsfake.dataplane.vfp.layers import PortContext


class L2Bridge:
    """A network of type L2Bridge."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:
        self._kernel = kernel
        self._switch = switch
        self._network = network

    def create(self) -> None:
        """Use the adapter's switch."""
        self._switch.acquire(self._network.id, NARROW_MTU)

    def modify(self, after: NetworkWant) -> None:
        """Nothing of an L2Bridge network's policies is in the kernel."""
        self._network = after

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
        """Return the port's context: the node's address and MAC."""
        return PortContext(interface, endpoint, self._kernel.address, self._kernel.mac, self._kernel.quirks)

    @property
    def segment(self) -> int:
        """The adapter's switch."""
        return 0

    def external_mac(self, endpoint: EndpointWant) -> str:
        """Return the endpoint's own MAC."""
        return endpoint.mac

    def use_source(self, address: IPAddress | None, change: int) -> None:
        """Do nothing: the source of balanced traffic is the node."""

    def connect(self, endpoint: EndpointWant) -> None:
        """Lead the endpoint's address, mapped ports and block of ports to its MAC.

        A remote endpoint is nothing on an L2Bridge's wire (kubernetes/kubernetes pkg/proxy/winkernel).
        """
        if not endpoint.remote:
            self._switch.lead([], self._elements(endpoint))
            self._switch.lead_node(None, endpoint)

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take the elements back."""
        if not endpoint.remote:
            self._switch.lead_node(endpoint, None)
            self._switch.lead(self._elements(endpoint), [])

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Change the elements that differ."""
        if not after.remote:
            self._switch.lead(self._elements(before), self._elements(after))
            self._switch.lead_node(before, after)

    def _elements(self, endpoint: EndpointWant) -> list[Element]:
        mac = messages.mac_text(endpoint.mac)
        addresses = [
            ("endpoints", str(interface.ip), mac)
            for interface in endpoint.addresses
            if isinstance(interface, IPv4Interface)
        ]
        return addresses + port_elements(endpoint, self._kernel.address)
