"""The small policies of networks: MACs, host route, adapter, layer, switch extensions, DNS, VXLAN port."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Mac


class DrMacAddress(Policy):
    """The MAC of an overlay network's distributed router. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "DrMacAddress"
    v1_type: ClassVar[str] = "DrMacAddress"

    address: Mac = Field(alias="Address")


class HostRoute(Policy):
    """The host reaches the pods of this overlay network on its own node; settings are empty.

    microsoft/hcsshim hcn/hcnpolicy.go.
    """

    v2_type: ClassVar[str] = "HostRoute"
    v1_type: ClassVar[str] = "HostRoute"


class NetAdapterName(Policy):
    """The adapter under an external network, by name. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "NetAdapterName"
    v1_type: ClassVar[str] = "NetAdapterName"

    adapter: str = Field(alias="NetworkAdapterName")


class VxlanPort(Policy):
    """Another UDP port than 4789 for an overlay network (HNS 10.3 and later). microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "VxlanPort"
    v1_type: ClassVar[str] = "VxlanPort"

    port: int = Field(ge=1, le=65535, alias="Port")


class SourceMacAddress(Policy):
    """The MAC of the host's vNIC on the network. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "SourceMacAddress"
    v1_type: ClassVar[str] = "SourceMacAddress"

    address: Mac = Field(alias="SourceMacAddress")


class VSwitchExtension(Policy):
    """An extension of the network's switch, switched on or off. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "VSwitchExtension"
    v1_type: ClassVar[str] = "VSwitchExtension"

    extension: str = Field(default="", alias="ExtensionID")
    enabled: bool = Field(default=False, alias="Enable")


class AutomaticDns(Policy):
    """Whether endpoints get the host's name servers. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "AutomaticDNS"
    v1_type: ClassVar[str] = "AutomaticDNS"

    enabled: bool = Field(default=False, alias="Enable")


class LayerConstraint(Policy):
    """The layer (an adapter's) that the network is to lie on. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "LayerConstraint"
    v1_type: ClassVar[str] = "LayerConstraint"

    layer: str = Field(default="", alias="LayerId")
