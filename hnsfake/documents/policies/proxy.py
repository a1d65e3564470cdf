"""Layer-4 proxies: traffic redirected at the switch port (L4Proxy) or in the compartment (L4WFPPROXY)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Address, Networks, PortRanges, Protocol, Protocols


class L4Proxy(Policy):
    """Redirect to ``address`` and ``port`` what goes to ``destinations``, but for the exceptions (v1: PROXY).

    microsoft/hcsshim hcn/hcnpolicy.go L4ProxyPolicySetting; internal/hns/hnspolicy.go ProxyPolicy. Two members
    are called in Microsoft's schema as in v1.
    """

    v2_type: ClassVar[str] = "L4Proxy"
    v1_type: ClassVar[str] = "PROXY"
    v1_names: ClassVar[Mapping[str, str]] = {"Exceptions": "ExceptionList", "OutboundNAT": "OutboundNat"}

    address: Address = Field(default=None, alias="IP")
    port: PortRanges = Field(default=(), alias="Port")
    protocol: Protocol = Field(default=0, alias="Protocol")
    exceptions: Networks = Field(default=(), validation_alias=AliasChoices("Exceptions", "ExceptionList"))
    destinations: Networks = Field(default=(), alias="Destination")
    outbound_nat: bool = Field(default=False, validation_alias=AliasChoices("OutboundNAT", "OutboundNat"))


class FiveTuple(BaseModel):
    """The traffic that a rule is for; empty tuples match everything."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    protocols: Protocols = Field(default=(), alias="Protocols")
    local_addresses: Networks = Field(default=(), alias="LocalAddresses")
    remote_addresses: Networks = Field(default=(), alias="RemoteAddresses")
    local_ports: PortRanges = Field(default=(), alias="LocalPorts")
    remote_ports: PortRanges = Field(default=(), alias="RemotePorts")
    priority: int = Field(default=0, ge=0, le=65535, alias="Priority")


class ProxyExceptions(BaseModel):
    """Addresses and ports that are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    addresses: Networks = Field(default=(), alias="IpAddressExceptions")
    ports: PortRanges = Field(default=(), alias="PortExceptions")


class L4WfpProxy(Policy):
    """Proxy ports in the compartment for both directions. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "L4WFPPROXY"
    v1_type: ClassVar[str] = "L4WFPPROXY"

    inbound_port: PortRanges = Field(default=(), alias="InboundProxyPort")
    outbound_port: PortRanges = Field(default=(), alias="OutboundProxyPort")
    traffic: FiveTuple = Field(default_factory=FiveTuple, alias="FilterTuple")
    user: str = Field(default="", alias="UserSID")
    inbound_exceptions: ProxyExceptions = Field(default_factory=ProxyExceptions, alias="InboundExceptions")
    outbound_exceptions: ProxyExceptions = Field(default_factory=ProxyExceptions, alias="OutboundExceptions")
