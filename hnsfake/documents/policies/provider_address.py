"""ProviderAddress: the address of the node behind which an overlay endpoint, or the network, is (v1: PA)."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy, renamed
from hnsfake.documents.policies.values import Address


class ProviderAddress(Policy):
    """microsoft/hcsshim hcn/hcnpolicy.go ProviderAddressEndpointPolicySetting; v1 PaPolicy."""

    v2_type: ClassVar[str] = "ProviderAddress"
    v1_type: ClassVar[str] = "PA"

    provider_address: Address = Field(default=None, alias="ProviderAddress")

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: PA is ProviderAddress."""
        return renamed(super().v2_settings(v1), {"PA": "ProviderAddress"})

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate back."""
        return renamed(v2, {"ProviderAddress": "PA"})
