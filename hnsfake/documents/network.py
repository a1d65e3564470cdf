"""A network: the noun itself, and its v1 (HNSNetwork) and v2 (HostComputeNetwork) documents.

Fields: microsoft/hcsshim hcn/hcnnetwork.go and internal/hns/hnsnetwork.go; what the service adds to v1's
document: outputs published in rancher/rke2#3925 and microsoft/WSL#6457.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Annotated, Any

from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.network_types import TYPES, NetworkType
from hnsfake.documents.policies import NETWORK_POLICIES, SUBNET_POLICIES
from hnsfake.documents.policies.record import PolicyRecord, table
from hnsfake.documents.schema import (
    DnsObject,
    Document,
    MacRange,
    ObjectDocument,
    PolicyDocument,
    Route,
    UInt32,
    known_flags,
)

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

POLICIES = table(NETWORK_POLICIES)
_SUBNET_POLICIES = table(SUBNET_POLICIES)
DEFAULT_ROUTES = ("0.0.0.0/0", "::/0")


@dataclass(frozen=True)
class SubnetRoute:
    """A route of a subnet, as it was sent."""

    next_hop: str
    destination: str
    metric: int = 0


class SubnetFlags(IntFlag):
    """``Flags`` of a subnet (microsoft/hcsshim hcn/hcnnetwork.go)."""

    DO_NOT_RESERVE_GATEWAY_ADDRESS = 1


class IpSubnetFlags(IntFlag):
    """``Flags`` of an IP subnet (microsoft/SDN Kubernetes/windows/hns.v2.psm1)."""

    ENABLE_BROADCAST = 1
    RESERVE_NETWORK_ADDRESS = 2


_BOTH = IpSubnetFlags.ENABLE_BROADCAST.value | IpSubnetFlags.RESERVE_NETWORK_ADDRESS.value


@dataclass(frozen=True)
class IpSubnet:
    """A part of a subnet that endpoints' addresses are of; without its flags first and last address are ordinary."""

    prefix: IPNetwork
    flags: int = _BOTH
    id: str = ""


@dataclass(frozen=True)
class Subnet:
    """A subnet of a network. ``prefix`` None (or 0.0.0.0/0, as moby sends) asks HNS to choose.

    ``ip_subnets`` empty asks for one IP subnet of the same prefix.
    """

    prefix: IPNetwork | None
    gateway: IPAddress | None = None
    routes: tuple[SubnetRoute, ...] = ()
    policies: tuple[PolicyRecord, ...] = ()
    flags: int = 0
    id: str = ""
    ip_subnets: tuple[IpSubnet, ...] = ()

    def ip_subnet_of(self, address: IPAddress) -> IpSubnet | None:
        """Return the IP subnet that an address is of, or None."""
        return next((one for one in self.ip_subnets if address in one.prefix), None)


class NetworkFlags(IntFlag):
    """``Flags`` (microsoft/hcsshim hcn/hcnnetwork.go; all of them: microsoft/WSL hcs_schema.h)."""

    DNS_PROXY = 1
    DHCP_SERVER = 2
    MIRRORING = 4
    NON_PERSISTENT = 8
    PERSISTENT = 16
    ISOLATE_SWITCH = 32
    FLOW_STEERING = 64
    DISABLE_SHARING = 128
    FIREWALL = 256
    SUPPRESS_MEDIA_DISCONNECT = 512
    DISABLE_HOST_PORT = 1024
    WEAK_HOST_RECEIVE = 2048
    WEAK_HOST_SEND = 4096
    IOV = 8192


@dataclass(frozen=True)
class Network:
    """A network. What is None or empty after reading a document, the service fills in."""

    name: str
    type: str
    id: str = ""
    policies: tuple[PolicyRecord, ...] = ()
    mac_ranges: tuple[tuple[int, int], ...] = ()
    dns: DnsSettings = field(default_factory=DnsSettings)
    ipam_type: str = "Static"
    subnets: tuple[Subnet, ...] = ()
    flags: int = 0
    adapter: str = ""
    source_mac: str = ""
    management_ip: str = ""
    automatic_dns: bool | None = None
    dns_compartment: int = 0
    additional_params: Mapping[str, Any] = field(default_factory=dict)
    extensions: tuple[tuple[str, bool], ...] = ()  # those switched on or off, by id
    # filled in by the service
    layer_adapter: str = ""
    dr_mac: str = ""
    gateway_mac: str = ""
    nat_name: str = ""
    provider_address: str = ""
    layer_id: str = ""
    switch_id: str = ""
    version: int = 0
    activity_id: str = ""
    created: int = 0

    @property
    def persistent(self) -> bool:
        """Whether the network outlives a reboot of its node.  # unverified: that it is this flag alone."""
        return not self.flags & NetworkFlags.NON_PERSISTENT

    @property
    def traits(self) -> NetworkType:
        """The type of a network that was accepted."""
        return TYPES[self.type.lower()]


class IpSubnetV2(ObjectDocument):
    """An entry of a subnet's ``IpSubnets`` (microsoft/SDN Kubernetes/windows/hns.v2.psm1)."""

    IpAddressPrefix: str = ""
    Flags: Annotated[UInt32, known_flags(IpSubnetFlags)] = _BOTH


class SubnetV2(ObjectDocument):
    """A subnet inside ``Ipams``."""

    IpAddressPrefix: str = ""
    Policies: list[PolicyDocument] = []
    Routes: list[Route] = []
    Flags: Annotated[UInt32, known_flags(SubnetFlags)] = 0
    IpSubnets: list[IpSubnetV2] = []


class IpamV2(Document):
    """An entry of ``Ipams``; Amazon's plug-in sends none of ``Type``."""

    Type: str = "Static"
    Subnets: list[SubnetV2] = []


class MacPoolV2(Document):
    """``MacPool``."""

    Ranges: list[MacRange] = []


class NetworkV2(ObjectDocument):
    """HostComputeNetwork."""

    Type: str = ""
    Policies: list[PolicyDocument] = []
    MacPool: MacPoolV2 = MacPoolV2()
    Dns: DnsObject = DnsObject()
    Ipams: list[IpamV2] = []
    Flags: Annotated[UInt32, known_flags(NetworkFlags)] = 0


class ExtensionState(Document):
    """An extension of the switch, on or off (microsoft/SDN Kubernetes/windows/hns.psm1, hns.v2.psm1)."""

    Id: str = ""
    IsEnabled: bool = False
    Name: str = ""


class SubnetV1(Document):
    """A subnet of HNSNetwork."""

    AddressPrefix: str = ""
    GatewayAddress: str = ""
    Policies: list[dict[str, Any]] = []


class NetworkV1(Document):
    """HNSNetwork."""

    ID: str = ""
    Name: str = ""
    Type: str = ""
    NetworkAdapterName: str = ""
    SourceMac: str = ""
    Policies: list[dict[str, Any]] = []
    MacPools: list[MacRange] = []
    Subnets: list[SubnetV1] = []
    DNSSuffix: str = ""
    DNSServerList: str = ""
    DNSServerCompartment: int = 0
    ManagementIP: str = ""
    AutomaticDNS: bool | None = None
    Flags: Annotated[UInt32, known_flags(NetworkFlags)] = 0
    AdditionalParams: dict[str, Any] = {}
    Extensions: list[ExtensionState] = []
