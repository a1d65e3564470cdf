"""RemoteSubnetRoute: a prefix that lives on another node of an overlay network."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, field_validator

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import IPAddress, Mac, Network, read_address


class RemoteSubnetRoute(Policy):
    """microsoft/hcsshim hcn/hcnpolicy.go RemoteSubnetRoutePolicySetting. v2 only (HNS 9.2 and later)."""

    v2_type: ClassVar[str] = "RemoteSubnetRoute"
    v1_type: ClassVar[str] = "RemoteSubnetRoute"

    destination_prefix: Network = Field(alias="DestinationPrefix")
    isolation_id: int = Field(ge=0, le=0xFFFFFF, alias="IsolationId")
    provider_address: IPAddress = Field(alias="ProviderAddress")
    dr_mac: Mac = Field(alias="DistributedRouterMacAddress")

    @field_validator("provider_address", mode="before")
    @classmethod
    def _address(cls, value: object) -> object:
        address = read_address(value)
        if address is None:
            raise ValueError("not an address")
        return address
