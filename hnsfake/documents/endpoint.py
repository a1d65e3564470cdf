"""An endpoint: the noun itself, and its v1 (HNSEndpoint) and v2 (HostComputeEndpoint) documents.

Fields: microsoft/hcsshim hcn/hcnendpoint.go and internal/hns/hnsendpoint.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from ipaddress import ip_address, ip_network
from typing import Annotated, Any

from hnsfake.documents import guids
from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import DEFAULT_ROUTES, IPAddress
from hnsfake.documents.policies import ENDPOINT_POLICIES, InvalidPolicyError
from hnsfake.documents.policies.record import PolicyRecord, read_v1, read_v2, table
from hnsfake.documents.policies.values import read_mac
from hnsfake.documents.schema import (
    DnsObject,
    Document,
    DocumentVersion,
    PolicyDocument,
    Route,
    UInt32,
    UnknownFields,
    known_flags,
)

POLICIES = table(ENDPOINT_POLICIES)
_MAX_METRIC = 0xFFFF
_GROUP = 1
"""The bit in a MAC's first byte that makes it one of many receivers."""


class EndpointFlags(IntFlag):
    """v2 ``Flags`` that have a word in v1 (microsoft/SDN Kubernetes/windows/hns.v2.psm1)."""

    REMOTE = 1
    DISABLE_ICC = 2
    ENABLE_LOW_METRIC = 8


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


class EndpointV2(Document):
    """HostComputeEndpoint."""

    ID: str = ""
    Name: str = ""
    HostComputeNetwork: str = ""
    HostComputeNamespace: str = ""
    Policies: list[PolicyDocument] = []
    IpConfigurations: list[IpConfigurationV2] = []
    Dns: DnsObject = DnsObject()
    Routes: list[Route] = []
    MacAddress: str = ""
    Flags: Annotated[UInt32, known_flags(EndpointFlags)] = 0
    Health: dict[str, Any] = {}
    SchemaVersion: DocumentVersion = DocumentVersion()


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

    Namespace: dict[str, Any] = {}
    EncapOverhead: int = 0
    SharedContainers: list[str] = []
    State: int = 0


def read_endpoint(document: Mapping[str, Any], unknown: UnknownFields) -> Endpoint:
    """Read an endpoint's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_POLICY, HCN_E_INVALID_ENDPOINT, HCN_E_INVALID_IP.
    """
    try:
        if any(key.lower() == "schemaversion" for key in document):
            return _from_v2(EndpointV2.read(document, unknown))
        return _from_v1(EndpointV1.read(document, unknown))
    except InvalidPolicyError as error:
        raise HnsError(HResult.HCN_E_INVALID_POLICY) from error


def _from_v2(document: EndpointV2) -> Endpoint:
    return Endpoint(
        id=guids.read(document.ID) or "",
        name=document.Name,
        network_id=guids.read(document.HostComputeNetwork) or "",
        namespace_id=guids.read(document.HostComputeNamespace) or "",
        mac=_mac(document.MacAddress),
        addresses=tuple(
            Address(_ip(item.IpAddress), _length(item.PrefixLength, item.IpAddress))
            for item in document.IpConfigurations
            if item.IpAddress
        ),
        ip_subnet_ids=tuple(
            subnet
            for item in document.IpConfigurations
            if not item.IpAddress and (subnet := guids.read(item.IpSubnetId))
        ),
        routes=tuple(_route(r) for r in document.Routes),
        policies=tuple(read_v2(policy.Type, policy.Settings, POLICIES) for policy in document.Policies),
        dns=DnsSettings.from_v2(document.Dns),
        flags=document.Flags,
    )


def _from_v1(document: EndpointV1) -> Endpoint:
    flags = (
        EndpointFlags.REMOTE * document.IsRemoteEndpoint
        | EndpointFlags.DISABLE_ICC * document.DisableICC
        | EndpointFlags.ENABLE_LOW_METRIC * document.EnableLowMetric
    )
    pairs = (
        (document.IPAddress, document.PrefixLength),
        (document.IPv6Address, document.IPv6PrefixLength),
    )
    gateways = (document.GatewayAddress, document.GatewayAddressV6)
    return Endpoint(
        id=guids.read(document.ID) or "",
        name=document.Name,
        network_id=guids.read(document.VirtualNetwork) or "",
        network_name=document.VirtualNetworkName,
        mac=_mac(document.MacAddress),
        addresses=tuple(Address(_ip(text), _length(length, text)) for text, length in pairs if text),
        routes=tuple(
            EndpointRoute(str(_ip(gateway)), destination)
            for gateway, destination in zip(gateways, DEFAULT_ROUTES, strict=True)
            if gateway
        ),
        policies=tuple(read_v1(policy, POLICIES) for policy in document.Policies),
        dns=DnsSettings.from_v1(document.DNSDomain, document.DNSSuffix, document.DNSServerList),
        flags=int(flags),
        enable_internal_dns=document.EnableInternalDNS,
    )


def _route(route: Route) -> EndpointRoute:
    """Check a route and keep it as it was sent."""
    try:
        destination = ip_network(route.DestinationPrefix, strict=False)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_PREFIX) from error
    hop = _ip(route.NextHop) if route.NextHop else None
    if hop is not None and not hop.is_unspecified and hop.version != destination.version:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)  # unverified: the code; no stack has such a route
    if not 0 <= route.Metric <= _MAX_METRIC:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
    return EndpointRoute(route.NextHop, route.DestinationPrefix, route.Metric)


def _mac(text: str) -> str:
    """Check a MAC; it is kept in the case and form it was sent (projectcalico/calico#4682)."""
    if text:
        try:
            first, *others = bytes.fromhex(read_mac(text).replace("-", ""))
        except ValueError as error:
            raise HnsError(HResult.HCN_E_INVALID_ENDPOINT) from error
        if first & _GROUP or not any([first, *others]):
            raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)  # unverified: the code; no vNIC has such a MAC
    return text


def _ip(text: str) -> IPAddress:
    try:
        return ip_address(text)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_IP) from error


def _length(length: int, address: str) -> int | None:
    if length == 0:
        return None
    if not 0 < length <= _ip(address).max_prefixlen:
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
    return length
