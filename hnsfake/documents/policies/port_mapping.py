"""PortMapping: a port of the node that leads to a port of the endpoint (v1 name: NAT)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag
from typing import Any, ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import PROTOCOL_NUMBERS, Address, Protocol

_PROTOCOL_NAMES = {number: name for name, number in PROTOCOL_NUMBERS.items()}


class PortMappingFlags(IntFlag):
    """microsoft/hcsshim hcn/hcnpolicy.go NatFlags; EXTERNAL_PORT_RESERVED: moby/moby#43634."""

    LOCAL_ROUTED_VIP = 1
    IPV6 = 2
    EXTERNAL_PORT_RESERVED = 4


class PortMapping(Policy):
    """``external_port`` 0 asks HNS to choose one; ``vip`` None is the management IP.

    microsoft/hcsshim hcn/hcnpolicy.go PortMappingPolicySetting; internal/hns/hnspolicy.go NatPolicy.
    """

    v2_type: ClassVar[str] = "PortMapping"
    v1_type: ClassVar[str] = "NAT"
    v1_notes: ClassVar[Mapping[str, str]] = {
        "Protocol": "a name in v1, a number in v2",
        "Flags": "v1 has ExternalPortReserved for EXTERNAL_PORT_RESERVED (4), and shows no other",
    }

    protocol: Protocol = Field(default=6, alias="Protocol")
    internal_port: int = Field(default=0, ge=0, le=65535, alias="InternalPort")
    external_port: int = Field(default=0, ge=0, le=65535, alias="ExternalPort")
    vip: Address = Field(default=None, alias="VIP")
    flags: int = Field(default=0, ge=0, alias="Flags")

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: the protocol's name becomes its number, ExternalPortReserved a flag."""
        settings = super().v2_settings(v1)
        name = settings.get("Protocol")
        if isinstance(name, str) and name.upper() in PROTOCOL_NUMBERS:
            settings["Protocol"] = PROTOCOL_NUMBERS[name.upper()]
        flags = settings.get("Flags", 0)
        # Flags that are no number are left for the model to refuse.
        if settings.pop("ExternalPortReserved", False) is True and isinstance(flags, int):
            settings["Flags"] = flags | PortMappingFlags.EXTERNAL_PORT_RESERVED.value
        return settings

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate back: v1 has the protocol's name and no flags."""
        settings = dict(v2)
        number = settings.get("Protocol")
        if isinstance(number, int) and number in _PROTOCOL_NAMES:
            settings["Protocol"] = _PROTOCOL_NAMES[number]
        flags = settings.pop("Flags", 0)
        if isinstance(flags, int) and flags & PortMappingFlags.EXTERNAL_PORT_RESERVED:
            settings["ExternalPortReserved"] = True
        return settings
