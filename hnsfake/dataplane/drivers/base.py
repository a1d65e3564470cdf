"""What every network driver does."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from hnsfake.dataplane.interface import EndpointWant, IPAddress, NetworkWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import ExternalSwitch
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.documents.policies import Acl


class NetworkDriver(Protocol):
    """One network in the kernel. Methods run on a sandbox thread and raise DataplaneError.

    A method that raises has changed nothing that matters: the node undoes the change by its opposite, and
    removals pass over what is not there.
    """

    def create(self) -> None:
        """Make the network."""
        ...

    def modify(self, after: NetworkWant) -> None:
        """Change the network to what ``after`` says."""
        ...

    def delete(self) -> None:
        """Remove the network; its endpoints are gone already."""
        ...

    def bridge(self, endpoint: EndpointWant) -> int:
        """Return the number of the bridge that an endpoint's port belongs to."""
        ...

    def port_name(self, index: int) -> str:
        """Return the kernel name of a port at the switch."""
        ...

    def context(self, endpoint: EndpointWant, interface: str) -> PortContext:
        """Return what the VFP of an endpoint's port must know."""
        ...

    @property
    def segment(self) -> int | None:
        """The segment that backends are in: 0 for the adapter's switch; None where nothing is balanced."""
        ...

    def external_mac(self, endpoint: EndpointWant) -> str:
        """Return the MAC by which the external port reaches an endpoint that is connected."""
        ...

    def use_source(self, address: IPAddress | None, change: int) -> None:
        """Let the network know a source VIP of balanced traffic (change 1), or let it forget one (-1)."""
        ...

    def connect(self, endpoint: EndpointWant) -> None:
        """Let the network know an endpoint that has a port now, or a remote one."""
        ...

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take ``connect`` back."""
        ...

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Let the network know that an endpoint it knows has changed."""
        ...


class DriverFactory(Protocol):
    """Makes the driver of a network; does nothing in the kernel yet."""

    def __call__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> NetworkDriver:
        """Return the driver."""
        ...


def acls_only(endpoint: EndpointWant) -> EndpointWant:
    """Return an endpoint as a port without VFP has it: only ACLs are enforced there, as by the firewall."""
    return replace(endpoint, policies=tuple(policy for policy in endpoint.policies if isinstance(policy, Acl)))
