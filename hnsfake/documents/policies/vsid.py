"""VSID and VLAN: the isolation id of a subnet or of a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy


class Vsid(Policy):
    """The VXLAN network identifier of a subnet. microsoft/hcsshim hcn/hcnpolicy.go VsidPolicySetting."""

    v2_type: ClassVar[str] = "VSID"
    v1_type: ClassVar[str] = "VSID"
    v1_names: ClassVar[Mapping[str, str]] = {"IsolationId": "VSID"}

    isolation_id: int = Field(ge=0, le=0xFFFFFF, alias="IsolationId")


class Vlan(Policy):
    """The VLAN of a subnet or network. microsoft/hcsshim hcn/hcnpolicy.go VlanPolicySetting."""

    v2_type: ClassVar[str] = "VLAN"
    v1_type: ClassVar[str] = "VLAN"
    v1_names: ClassVar[Mapping[str, str]] = {"IsolationId": "VLAN"}

    isolation_id: int = Field(ge=0, le=4095, alias="IsolationId")
