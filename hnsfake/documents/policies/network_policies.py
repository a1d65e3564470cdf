"""The small policies of networks: DR MAC, host route, adapter choice, VXLAN port."""

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
    """The host reaches the pods of this overlay network on its own node; settings are empty."""

    v2_type: ClassVar[str] = "HostRoute"
    v1_type: ClassVar[str] = "HostRoute"


class NetAdapterName(Policy):
    """The adapter under an external network, by name."""

    v2_type: ClassVar[str] = "NetAdapterName"
    v1_type: ClassVar[str] = "NetAdapterName"

    adapter: str = Field(alias="NetworkAdapterName")


class VxlanPort(Policy):
    """Another UDP port than 4789 for an overlay network (HNS 10.3 and later)."""

    v2_type: ClassVar[str] = "VxlanPort"
    v1_type: ClassVar[str] = "VxlanPort"

    port: int = Field(ge=1, le=65535, alias="Port")
