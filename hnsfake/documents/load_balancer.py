"""A load balancer: the noun itself, and its v2 (HostComputeLoadBalancer) and v1 (a policy list of ELBs) documents.

Fields: microsoft/hcsshim hcn/hcnloadbalancer.go and internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from ipaddress import ip_address
from typing import Annotated, Any

from pydantic import Field

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import IPAddress
from hnsfake.documents.policy_list import PolicyListV1, read_ids, read_references
from hnsfake.documents.schema import Document, DocumentVersion, UInt32, UnknownFields, known_flags

ELB = "ELB"
"""The ``Type`` of a load balancer's policy in a v1 policy list."""


class LoadBalancerFlags(IntFlag):
    """v2 ``Flags`` (microsoft/hcsshim hcn/hcnloadbalancer.go)."""

    DSR = 1
    IPV6 = 2


class PortMappingFlags(IntFlag):
    """v2 ``PortMappings[].Flags`` (microsoft/hcsshim hcn/hcnloadbalancer.go).

    VIP_EXTERNAL_IP: kubernetes/kubernetes pkg/proxy/winkernel/hns.go.
    """

    ILB = 1
    LOCAL_ROUTED_VIP = 2
    USE_MUX = 4
    PRESERVE_DIP = 8
    VIP_EXTERNAL_IP = 16


@dataclass(frozen=True)
class PortMapping:
    """A port of the front end and where it leads; protocol 0 and ports 0 mean all (moby/moby libnetwork)."""

    protocol: int = 0
    internal_port: int = 0
    external_port: int = 0
    distribution: int = 0
    flags: int = 0


@dataclass(frozen=True)
class LoadBalancer:
    """A load balancer. Without VIPs its front end is the node's own address (a node port)."""

    endpoints: tuple[str, ...]
    port_mappings: tuple[PortMapping, ...]
    id: str = ""
    source_vip: IPAddress | None = None
    vips: tuple[IPAddress, ...] = ()
    flags: int = 0
    # filled in by the service
    network_id: str = ""
    version: int = 0
    activity_id: str = ""
    created: int = 0

    @property
    def dsr(self) -> bool:
        """Whether replies go past the load balancer."""
        return bool(self.flags & LoadBalancerFlags.DSR)

    @property
    def ipv6(self) -> bool:
        """Whether it is one of IPv6."""
        return bool(self.flags & LoadBalancerFlags.IPV6)


class PortMappingV2(Document):
    """LoadBalancerPortMapping."""

    Protocol: int = Field(0, ge=0, le=255)
    InternalPort: int = Field(0, ge=0, le=65535)
    ExternalPort: int = Field(0, ge=0, le=65535)
    DistributionType: int = Field(0, ge=0, le=2)
    Flags: Annotated[UInt32, known_flags(PortMappingFlags)] = 0


class LoadBalancerV2(Document):
    """HostComputeLoadBalancer."""

    ID: str = ""
    HostComputeNetwork: str = ""
    HostComputeEndpoints: list[str] = []
    SourceVIP: str = ""
    FrontendVIPs: list[str] = []
    PortMappings: list[PortMappingV2] = []
    Flags: Annotated[UInt32, known_flags(LoadBalancerFlags)] = 0
    SchemaVersion: DocumentVersion = DocumentVersion()


class ElbPolicyV1(Document):
    """ELBPolicy of a v1 policy list."""

    Type: str = ELB
    Protocol: int = Field(0, ge=0, le=255)
    InternalPort: int = Field(0, ge=0, le=65535)
    ExternalPort: int = Field(0, ge=0, le=65535)
    SourceVIP: str = ""
    VIPs: list[str] = []
    ILB: bool = False
    IsDSR: bool = False


def read_load_balancer(document: Mapping[str, Any], unknown: UnknownFields) -> LoadBalancer:
    """Read a load balancer's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_IP, HCN_E_GUID_CONVERSION_FAILURE, HCN_E_INVALID_POLICY.
    """
    if any(key.lower() == "schemaversion" for key in document):
        return _from_v2(LoadBalancerV2.read(document, unknown))
    return _from_v1(PolicyListV1.read(document, unknown), unknown)


def _from_v2(document: LoadBalancerV2) -> LoadBalancer:
    return LoadBalancer(
        id=guids.read(document.ID) or "",
        endpoints=read_ids(document.HostComputeEndpoints),
        port_mappings=tuple(
            PortMapping(m.Protocol, m.InternalPort, m.ExternalPort, m.DistributionType, m.Flags)
            for m in document.PortMappings
        ),
        source_vip=_address(document.SourceVIP),
        vips=_addresses(document.FrontendVIPs),
        flags=document.Flags,
    )


def _from_v1(document: PolicyListV1, unknown: UnknownFields) -> LoadBalancer:
    """Read a policy list; what its ELBs say of source, VIPs and DSR must be one.  # unverified: lists of several."""
    policies = [ElbPolicyV1.read(policy, unknown) for policy in document.Policies]
    object_id = guids.read(document.ID) or ""
    if len({(policy.SourceVIP, tuple(policy.VIPs), policy.IsDSR) for policy in policies}) > 1:
        raise HnsError(HResult.HCN_E_INVALID_POLICY)
    first = policies[0] if policies else ElbPolicyV1()
    vips = _addresses(first.VIPs)
    ipv6 = any(vip.version == 6 for vip in vips)
    return LoadBalancer(
        id=object_id,
        endpoints=read_references(document.References),
        port_mappings=tuple(
            PortMapping(p.Protocol, p.InternalPort, p.ExternalPort, flags=PortMappingFlags.ILB.value * p.ILB)
            for p in policies
        ),
        source_vip=_address(first.SourceVIP),
        vips=vips,
        flags=LoadBalancerFlags.DSR.value * first.IsDSR | LoadBalancerFlags.IPV6.value * ipv6,
    )


def _addresses(texts: list[str]) -> tuple[IPAddress, ...]:
    """Read VIPs; scripts send one empty VIP for none (microsoft/SDN Kubernetes/windows/hns.psm1)."""
    return tuple(address for address in map(_address, texts) if address is not None)


def _address(text: str) -> IPAddress | None:
    if not text:
        return None
    try:
        return ip_address(text)
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_IP) from error
