"""OutBoundNAT: what leaves the endpoint gets the node's address, but for the exceptions."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy, renamed
from hnsfake.documents.policies.values import Address, Networks

_V1_TO_V2 = {"VIP": "VirtualIP", "ExceptionList": "Exceptions"}
_V2_TO_V1 = {new: old for old, new in _V1_TO_V2.items()}


class OutboundNat(Policy):
    """Translate the source of TCP and UDP to ``virtual_ip``, or to the management IP where that is None.

    ``destinations``, where given, are the only destinations translated; ``exceptions`` are left alone.
    microsoft/hcsshim hcn/hcnpolicy.go OutboundNatPolicySetting; internal/hns/hnspolicy.go OutboundNatPolicy.
    """

    v2_type: ClassVar[str] = "OutBoundNAT"
    v1_type: ClassVar[str] = "OutBoundNAT"

    virtual_ip: Address = Field(default=None, alias="VirtualIP")
    exceptions: Networks = Field(default=(), alias="Exceptions")
    destinations: Networks = Field(default=(), alias="Destinations")
    flags: int = Field(default=0, ge=0, alias="Flags")
    max_port_pool_usage: int = Field(default=0, ge=0, le=65535, alias="MaxPortPoolUsage")

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: VIP is VirtualIP, ExceptionList is Exceptions."""
        return renamed(super().v2_settings(v1), _V1_TO_V2)

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate back."""
        return renamed(v2, _V2_TO_V1)
