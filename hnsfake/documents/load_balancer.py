"""A load balancer: the noun itself, and its v2 (HostComputeLoadBalancer) and v1 (a policy list of ELBs) documents.

Fields: microsoft/hcsshim hcn/hcnloadbalancer.go and internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Annotated

from pydantic import Field

from hnsfake.documents.network import IPAddress
from hnsfake.documents.schema import Document, ObjectDocument, UInt32, known_flags

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


class LoadBalancerV2(ObjectDocument):
    """HostComputeLoadBalancer."""

    HostComputeNetwork: str = ""
    HostComputeEndpoints: list[str] = []
    SourceVIP: str = ""
    FrontendVIPs: list[str] = []
    PortMappings: list[PortMappingV2] = []
    Flags: Annotated[UInt32, known_flags(LoadBalancerFlags)] = 0


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
