"""What the service asks of a data plane: nouns of HNS, verbs of a reconciler.

The service describes what should exist (``*Want`` values); a data plane carries out the difference between
two such descriptions. Two implementations: ``hnsfake.dataplane.linux`` and ``hnsfake.dataplane.none``.
Policies are the typed values of ``hnsfake.documents.policies``; raw documents never come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Protocol

from hnsfake.dataplane.metrics import ROUTE, VNIC
from hnsfake.documents.load_balancer import PortMapping, PortMappingFlags
from hnsfake.documents.policies import Policy

IPAddress = IPv4Address | IPv6Address
IPInterface = IPv4Interface | IPv6Interface
IPNetwork = IPv4Network | IPv6Network

HOST_COMPARTMENT = 1
"""The compartment of the node's own IP stack."""


def vnic_alias(name: str) -> str:
    """Return Windows' name of the vNIC of an endpoint, a network or an adapter."""
    return f"vEthernet ({name})"


class Driver(StrEnum):
    """Network types; the value is the canonical v2 ``Type``."""

    NAT = "NAT"
    ICS = "ICS"
    INTERNAL = "Internal"
    PRIVATE = "Private"
    TRANSPARENT = "Transparent"
    L2BRIDGE = "L2Bridge"
    L2TUNNEL = "L2Tunnel"
    OVERLAY = "Overlay"


@dataclass(frozen=True, slots=True)
class SubnetWant:
    """A subnet of a network; ``isolation_id`` is the VSID (Overlay) or the VLAN (L2Bridge)."""

    prefix: IPNetwork
    gateway: IPAddress | None
    isolation_id: int | None = None


@dataclass(frozen=True, slots=True)
class RemoteSubnet:
    """A RemoteSubnetRoute: a prefix whose endpoints live behind another node's provider address."""

    prefix: IPNetwork
    isolation_id: int
    provider_address: IPAddress
    dr_mac: str


@dataclass(frozen=True, slots=True)
class NetworkWant:
    """A network as the data plane needs it."""

    id: str
    name: str
    driver: Driver
    subnets: tuple[SubnetWant, ...]
    adapter: str | None = None  # the external adapter's name; None where the type has none
    gateway_mac: str | None = None  # ICS: MAC of the host's vNIC
    dr_mac: str | None = None  # Overlay: MAC of the distributed router, "00-15-5D-xx-xx-xx"
    remote_subnets: tuple[RemoteSubnet, ...] = ()
    host_route: bool = False  # Overlay: the HostRoute policy
    vxlan_port: int = 4789


@dataclass(frozen=True, slots=True)
class RouteWant:
    """A route in a compartment, through an endpoint's vNIC, to whose metric its own is added."""

    destination: IPNetwork
    next_hop: IPAddress | None  # None: on link
    metric: int = ROUTE


@dataclass(frozen=True, slots=True)
class EndpointWant:
    """An endpoint as the data plane needs it.

    ``compartment`` is the number of the compartment its vNIC is in: None while it is attached to nothing,
    ``HOST_COMPARTMENT`` when attached to the host. A remote endpoint has no vNIC at all.
    ``pool`` is the block of ports (first, count) that OutBoundNAT may use on the management IP.
    """

    id: str
    network_id: str
    name: str
    mac: str
    addresses: tuple[IPInterface, ...]
    routes: tuple[RouteWant, ...] = ()
    policies: tuple[Policy, ...] = ()
    compartment: int | None = None
    remote: bool = False
    provider_address: IPAddress | None = None
    pool: tuple[int, int] | None = None
    mtu: int = 1500
    interface_metric: int = VNIC
    vlan: int | None = None  # on an external switch; None, or 0, is untagged
    ip_mtu: int | None = None  # what IP sends at most, where that is less than ``mtu``, which the vNIC takes


@dataclass(frozen=True, slots=True)
class BackendWant:
    """A load balancer's backend: an endpoint, here or remote."""

    endpoint_id: str
    address: IPAddress
    remote: bool


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """What clients of a load balancer send to. External port 0: every port of the VIP, kept as it is."""

    vip: IPAddress
    protocol: int
    external_port: int
    internal_port: int
    distribution: int = 0
    flags: int = 0

    @property
    def internal(self) -> bool:
        """Whether it is reached from inside alone."""
        return bool(self.flags & PortMappingFlags.ILB)

    @property
    def preserves_destination(self) -> bool:
        """Whether packets keep the VIP as their destination."""
        return bool(self.flags & PortMappingFlags.PRESERVE_DIP)


@dataclass(frozen=True, slots=True)
class LoadBalancerWant:
    """A load balancer as the data plane needs it; without VIPs its front end is the node's address."""

    id: str
    network_id: str
    backends: tuple[BackendWant, ...]
    mappings: tuple[PortMapping, ...]
    vips: tuple[IPAddress, ...] = ()
    source_vip: IPAddress | None = None
    dsr: bool = False
    ipv6: bool = False
    driver: Driver = Driver.L2BRIDGE  # its network's

    def front_ends(self, management_ip: IPAddress) -> list[FrontEnd]:
        """Return its front ends; a port of protocol 0 is one of TCP and one of UDP (moby/moby libnetwork)."""
        return [
            FrontEnd(vip, protocol, m.external_port, m.internal_port, m.distribution, m.flags)
            for vip in self.vips or (management_ip,)
            for m in self.mappings
            for protocol in ((m.protocol,) if m.protocol or not m.external_port else (6, 17))
            if vip.version == management_ip.version and self.ipv6 == (vip.version == 6)
        ]


@dataclass(frozen=True, slots=True)
class CompartmentWant:
    """A compartment other than the host's: what an HNS namespace of type Host or Guest is."""

    number: int
    namespace_id: str


Want = NetworkWant | EndpointWant | LoadBalancerWant | CompartmentWant


@dataclass(frozen=True, slots=True)
class Change:
    """The difference asked for: ``before`` None creates, ``after`` None removes, both given modifies.

    Both ends, where given, are of one type and speak of the same object.
    """

    before: Want | None
    after: Want | None


@dataclass(frozen=True, slots=True)
class HostAdapter:
    """A network adapter of the node, as the service must know it to choose one for a network."""

    name: str  # "Ethernet"
    mac: str  # dashes, upper case
    addresses: tuple[IPInterface, ...] = ()


@dataclass(frozen=True, slots=True)
class PortCounters:
    """An endpoint's traffic, seen from the compartment. Packets and bytes since the vNIC was made."""

    bytes_received: int = 0
    bytes_sent: int = 0
    packets_received: int = 0
    packets_sent: int = 0
    dropped_incoming: int = 0
    dropped_outgoing: int = 0


class DataplaneError(Exception):
    """The kernel refused a change. State and kernel are as before the change was asked for."""


class LacksError(DataplaneError):
    """The change is one of Windows' that can't be made here; the text says what is lacking."""


class KernelLacksError(LacksError):
    """The kernel has no support for what the change needs; the text says "kernel lacks X"."""


class EmulatorLacksError(LacksError):
    """The emulator has no support for what the change needs; the text says "hnsfake lacks X"."""


class NodeDataplane(Protocol):
    """The data plane of one node. Methods may be called from any thread, one at a time."""

    @property
    def in_memory(self) -> bool:
        """Whether its methods wait for nothing outside this process."""
        ...

    @property
    def thread(self) -> Executor | None:
        """The thread where ``apply`` does its work: called from there it costs no change of threads. None: any."""
        ...

    def adapters(self) -> Sequence[HostAdapter]:
        """Return the node's adapters, the one with the default route first."""
        ...

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out ``changes`` in order, all or nothing; raise DataplaneError and undo what was done."""
        ...

    def counters(self, endpoint_id: str) -> PortCounters:
        """Return an endpoint's traffic counters; zeros for one that has no vNIC."""
        ...

    def close(self) -> None:
        """Release everything; may be called twice."""
        ...
