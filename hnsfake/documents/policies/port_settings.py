"""The small policies of an endpoint's switch port: its name, driver, offloads, encapsulation overhead."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy


class PortName(Policy):
    """The name of the switch port. microsoft/hcsshim hcn/hcnpolicy.go PortnameEndpointPolicySetting."""

    v2_type: ClassVar[str] = "PortName"
    v1_type: ClassVar[str] = "PortName"

    name: str = Field(default="", alias="Name")


class L2Driver(Policy):
    """Settings are empty; remote endpoints show it (Azure/AKS#1367)."""

    v2_type: ClassVar[str] = "L2Driver"
    v1_type: ClassVar[str] = "L2Driver"


class Iov(Policy):
    """SR-IOV of the port. microsoft/hcsshim hcn/hcnpolicy.go IovPolicySetting.

    ``interrupt_moderation`` is a number in hcsshim, a name in Microsoft's schema (IovInterruptModerationType).
    """

    v2_type: ClassVar[str] = "Iov"
    v1_type: ClassVar[str] = "Iov"

    offload_weight: int = Field(default=0, ge=0, lt=1 << 32, alias="IovOffloadWeight")
    queue_pairs: int = Field(default=0, ge=0, lt=1 << 32, alias="QueuePairsRequested")
    interrupt_moderation: int | str = Field(default=0, alias="InterruptModeration")


class InterfaceParameters(Policy):
    """The MTU of the vNIC. MicrosoftDocs/Virtualization-Documentation hns_schema, InterfaceParametersPolicySetting."""

    v2_type: ClassVar[str] = "InterfaceParameters"
    v1_type: ClassVar[str] = "InterfaceParameters"

    mtu: int = Field(default=0, ge=0, le=65535, alias="Mtu")


class EncapOverhead(Policy):
    """What is taken off the MTU. microsoft/hcsshim hcn/hcnpolicy.go EncapOverheadEndpointPolicySetting."""

    v2_type: ClassVar[str] = "EncapOverhead"
    v1_type: ClassVar[str] = "EncapOverhead"

    overhead: int = Field(default=0, ge=0, le=65535, alias="Overhead")
