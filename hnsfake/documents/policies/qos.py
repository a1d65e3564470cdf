"""QOS: a cap on what leaves the endpoint."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from hnsfake.documents.policies.base import Policy


class Qos(Policy):
    """Bytes a second. microsoft/hcsshim hcn/hcnpolicy.go QosPolicySetting; v1's QosPolicy is the same."""

    v2_type: ClassVar[str] = "QOS"
    v1_type: ClassVar[str] = "QOS"

    max_outgoing_bytes: int = Field(default=0, ge=0, lt=1 << 64, alias="MaximumOutgoingBandwidthInBytes")
