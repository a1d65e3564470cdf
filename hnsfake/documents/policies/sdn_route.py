"""SDNRoute: where an endpoint's traffic for a prefix goes."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Address, Network


class SdnRoute(Policy):
    """``need_encap`` without a next hop hands the traffic to the host's port; a next hop is another gateway.

    microsoft/hcsshim hcn/hcnpolicy.go SDNRoutePolicySetting; v1 name ROUTE, internal/hns/hnspolicy.go
    RoutePolicy. What NeedEncap means: aws/amazon-vpc-cni-plugins plugins/vpc-bridge. What AutomaticEndpointMonitor of
    Microsoft's schema does is published nowhere: it is kept, and does nothing.
    """

    v2_type: ClassVar[str] = "SDNRoute"
    v1_type: ClassVar[str] = "ROUTE"

    destination_prefix: Network = Field(alias="DestinationPrefix")
    next_hop: Address = Field(default=None, alias="NextHop")
    need_encap: bool = Field(default=False, alias="NeedEncap")
    automatic_endpoint_monitor: bool = Field(default=False, alias="AutomaticEndpointMonitor")

    @model_validator(mode="after")
    def _one_family(self) -> Self:
        hop = self.next_hop
        if hop is not None and not hop.is_unspecified and hop.version != self.destination_prefix.version:
            raise ValueError("a next hop of another family")
        return self
