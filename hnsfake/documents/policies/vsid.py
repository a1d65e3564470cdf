"""VSID and VLAN: the isolation id of a subnet or of a network."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy, renamed


class Vsid(Policy):
    """The VXLAN network identifier of a subnet. microsoft/hcsshim hcn/hcnpolicy.go VsidPolicySetting."""

    v2_type: ClassVar[str] = "VSID"
    v1_type: ClassVar[str] = "VSID"

    isolation_id: int = Field(ge=0, le=0xFFFFFF, alias="IsolationId")

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: v1 names the number like the type."""
        return renamed(super().v2_settings(v1), {"VSID": "IsolationId"})

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate back."""
        return renamed(v2, {"IsolationId": "VSID"})


class Vlan(Policy):
    """The VLAN of a subnet or network. microsoft/hcsshim hcn/hcnpolicy.go VlanPolicySetting."""

    v2_type: ClassVar[str] = "VLAN"
    v1_type: ClassVar[str] = "VLAN"

    isolation_id: int = Field(ge=0, le=4095, alias="IsolationId")

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: v1 names the number like the type."""
        return renamed(super().v2_settings(v1), {"VLAN": "IsolationId"})

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate back."""
        return renamed(v2, {"IsolationId": "VLAN"})
