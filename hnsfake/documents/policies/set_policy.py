"""SetPolicy: a named set of addresses, or of such sets, that ACLs of the network's endpoints can name."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from pydantic import Field, model_validator

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Names, read_networks


class SetType(StrEnum):
    """A nested set has the ids of other sets as its values (HNS 15.0 and later)."""

    IPSET = "IPSET"
    NESTED_IPSET = "NESTEDIPSET"


class SetPolicy(Policy):
    """microsoft/hcsshim hcn/hcnpolicy.go SetPolicySetting; its use: Azure/azure-container-networking npm/pkg."""

    v2_type: ClassVar[str] = "SetPolicy"
    v1_type: ClassVar[str] = "SetPolicy"

    id: str = Field(min_length=1, alias="Id")
    name: str = Field(default="", alias="Name")
    type: SetType = Field(default=SetType.IPSET, alias="PolicyType", strict=False)
    values: Names = Field(default=(), alias="Values")

    @model_validator(mode="after")
    def _addresses_are_addresses(self) -> SetPolicy:
        if self.type is SetType.IPSET:
            read_networks(self.values)
        return self

    @property
    def key(self) -> str:
        """A set is changed and removed by its id."""
        return self.id
