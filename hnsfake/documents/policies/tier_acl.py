"""TierAcl: a tier of rules that is looked at before the endpoint's ACLs (HNS 14.0 and later)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.acl import Action, Direction
from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.proxy import FiveTuple


class TierAclRule(FiveTuple):
    """A rule; ``PASS`` hands the decision to the next tier."""

    id: str = Field(default="", alias="Id")
    action: Action = Field(alias="TierAclRuleAction", strict=False)


class TierAcl(Policy):
    """Tiers of one direction are gone through by ``order``. microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "TierAcl"
    v1_type: ClassVar[str] = "TierAcl"

    name: str = Field(default="", alias="Name")
    direction: Direction = Field(alias="Direction", strict=False)
    order: int = Field(default=0, ge=0, le=65535, alias="Order")
    rules: tuple[TierAclRule, ...] = Field(default=(), alias="TierAclRules", strict=False)
