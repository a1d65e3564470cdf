"""OutBoundNAT: what leaves the endpoint gets the node's address, but for the exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Address, Networks


class OutboundNat(Policy):
    """Translate the source of TCP and UDP to ``virtual_ip``, or to the management IP where that is None.

    ``destinations``, where given, are the only destinations translated; ``exceptions`` are left alone.
    microsoft/hcsshim hcn/hcnpolicy.go OutboundNatPolicySetting; internal/hns/hnspolicy.go OutboundNatPolicy.
    """

    v2_type: ClassVar[str] = "OutBoundNAT"
    v1_type: ClassVar[str] = "OutBoundNAT"
    v1_names: ClassVar[Mapping[str, str]] = {"VirtualIP": "VIP", "Exceptions": "ExceptionList"}

    virtual_ip: Address = Field(default=None, alias="VirtualIP")
    exceptions: Networks = Field(default=(), alias="Exceptions")
    destinations: Networks = Field(default=(), alias="Destinations")
    flags: int = Field(default=0, ge=0, alias="Flags")
    max_port_pool_usage: int = Field(default=0, ge=0, le=65535, alias="MaxPortPoolUsage")
