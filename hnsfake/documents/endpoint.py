"""An endpoint: the noun itself, and its v1 (HNSEndpoint) and v2 (HostComputeEndpoint) documents.

Fields: microsoft/hcsshim hcn/hcnendpoint.go and internal/hns/hnsendpoint.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Annotated, Any

from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.network import IPAddress
from hnsfake.documents.policies import ENDPOINT_POLICIES
from hnsfake.documents.policies.record import PolicyRecord, table
from hnsfake.documents.schema import (
    DnsObject,
    Document,
    ObjectDocument,
    PolicyDocument,
    Route,
    UInt32,
    known_flags,
)

POLICIES = table(ENDPOINT_POLICIES)
_MAX_METRIC = 0xFFFF


class EndpointFlags(IntFlag):
    """v2 ``Flags`` (microsoft/SDN Kubernetes/windows/hns.v2.psm1; Microsoft's HCN schema, EndpointFlags)."""

    REMOTE = 1
    DISABLE_ICC = 2
    MIRRORING = 4
    ENABLE_LOW_METRIC = 8
    OVERRIDE_DNS_SERVER_ORDER = 16
    DHCP = 32


_REMOTE = EndpointFlags.REMOTE.value  # a plain number: every endpoint is asked whenever one is created


class EndpointState(IntEnum):
    """v1 ``State`` (microsoft/hcsshim internal/hns/hnsendpoint.go)."""

    UNINITIALIZED = 0
    CREATED = 1
    ATTACHED = 2
    ATTACHED_SHARING = 3
    DETACHED = 4
    DEGRADED = 5
    DESTROYED = 6


@dataclass(frozen=True)
class Address:
    """An address of an endpoint; a prefix length of None asks HNS for the subnet's."""

    ip: IPAddress
    prefix_length: int | None = None


@dataclass(frozen=True)
class EndpointRoute:
    """A route of an endpoint as it was sent; an empty next hop asks HNS for the network's gateway."""

    next_hop: str
    destination: str
    metric: int = 0


@dataclass(frozen=True)
class Endpoint:
    """An endpoint. What is None or empty after reading a document, the service fills in."""

    name: str
    id: str = ""
    network_id: str = ""
    network_name: str = ""
    mac: str = ""
    addresses: tuple[Address, ...] = ()
    routes: tuple[EndpointRoute, ...] = ()
    policies: tuple[PolicyRecord, ...] = ()
    dns: DnsSettings = field(default_factory=DnsSettings)
    flags: int = 0
    enable_internal_dns: bool = False
    namespace_id: str = ""
    ip_subnet_ids: tuple[str, ...] = ()  # of which HNS is to choose an address each
    additional_params: Mapping[str, Any] = field(default_factory=dict)
    asked_in_v2: bool = False
    # filled in by the service
    state: EndpointState = EndpointState.CREATED
    compartment: int | None = None
    containers: tuple[str, ...] = ()
    pool: tuple[int, int] | None = None
    version: int = 0
    activity_id: str = ""
    created: int = 0

    @property
    def remote(self) -> bool:
        """Whether it stands for an endpoint of another node."""
        return bool(self.flags & _REMOTE)


class IpConfigurationV2(Document):
    """An entry of ``IpConfigurations``; an empty address asks HNS to choose."""

    IpAddress: str = ""
    PrefixLength: int = 0
    IpSubnetId: str = ""


class EndpointV2(ObjectDocument):
    """HostComputeEndpoint."""

    HostComputeNetwork: str = ""
    HostComputeNamespace: str = ""
    Policies: list[PolicyDocument] = []
    IpConfigurations: list[IpConfigurationV2] = []
    Dns: DnsObject = DnsObject()
    Routes: list[Route] = []
    MacAddress: str = ""
    Flags: Annotated[UInt32, known_flags(EndpointFlags)] = 0


class EndpointV1(Document):
    """HNSEndpoint. The last group is what HNS itself adds: clients send whole documents back."""

    ID: str = ""
    Name: str = ""
    VirtualNetwork: str = ""
    VirtualNetworkName: str = ""
    Policies: list[dict[str, Any]] = []
    MacAddress: str = ""
    IPAddress: str = ""
    IPv6Address: str = ""
    PrefixLength: int = 0
    IPv6PrefixLength: int = 0
    GatewayAddress: str = ""
    GatewayAddressV6: str = ""
    DNSSuffix: str = ""
    DNSServerList: str = ""
    DNSDomain: str = ""
    EnableInternalDNS: bool = False
    DisableICC: bool = False
    IsRemoteEndpoint: bool = False
    EnableLowMetric: bool = False
    AdditionalParams: dict[str, Any] = {}

    Namespace: dict[str, Any] = {}
    EncapOverhead: int = 0
    SharedContainers: list[str] = []
    State: int = 0
