"""ProviderAddress: the address of the node behind which an overlay endpoint, or the network, is (v1: PA)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Address


class ProviderAddress(Policy):
    """microsoft/hcsshim hcn/hcnpolicy.go ProviderAddressEndpointPolicySetting; v1 PaPolicy."""

    v2_type: ClassVar[str] = "ProviderAddress"
    v1_type: ClassVar[str] = "PA"
    v1_names: ClassVar[Mapping[str, str]] = {"ProviderAddress": "PA"}

    provider_address: Address = Field(default=None, alias="ProviderAddress")
