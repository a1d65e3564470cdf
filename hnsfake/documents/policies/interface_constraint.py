"""InterfaceConstraint: the host's interface to which an endpoint or a network is bound."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy


class InterfaceConstraint(Policy):
    """microsoft/hcsshim hcn/hcnpolicy.go InterfaceConstraintPolicySetting."""

    v2_type: ClassVar[str] = "InterfaceConstraint"
    v1_type: ClassVar[str] = "InterfaceConstraint"

    guid: str = Field(default="", alias="InterfaceGuid")
    luid: int = Field(default=0, ge=0, lt=1 << 64, alias="InterfaceLuid")
    index: int = Field(default=0, ge=0, lt=1 << 32, alias="InterfaceIndex")
    media_type: int = Field(default=0, ge=0, lt=1 << 32, alias="InterfaceMediaType")
    name: str = Field(default="", alias="InterfaceAlias")
    description: str = Field(default="", alias="InterfaceDescription")
