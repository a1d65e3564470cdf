"""An SDN route: the noun itself, and its v2 (HostComputeRoute) and v1 (a policy list of ROUTEs) documents.

Fields: microsoft/hcsshim hcn/hcnroute.go and internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import InvalidPolicyError
from hnsfake.documents.policies import SdnRoute as SdnRoutePolicy
from hnsfake.documents.policies.record import PolicyRecord, read_v1, read_v2, table
from hnsfake.documents.policy_list import PolicyListV1, read_ids, read_references
from hnsfake.documents.schema import Document, DocumentVersion, UnknownFields

POLICIES = table((SdnRoutePolicy,))
ROUTE = SdnRoutePolicy.v1_type
"""The ``Type`` of a route in a v1 policy list."""


@dataclass(frozen=True)
class SdnRoute:
    """Routes that several endpoints have; each is what an SDNRoute policy is for one."""

    endpoints: tuple[str, ...]
    routes: tuple[PolicyRecord, ...]
    id: str = ""
    # filled in by the service
    network_id: str = ""
    version: int = 0
    activity_id: str = ""
    created: int = 0


class SdnRouteV2(Document):
    """HostComputeRoute. The routes are ``Setting`` in hcsshim's document, ``Routes`` in Microsoft's schema."""

    ID: str = ""
    HostComputeNetwork: str = ""
    HostComputeEndpoints: list[str] = []
    Setting: list[dict[str, Any]] = []
    Routes: list[dict[str, Any]] = []
    SchemaVersion: DocumentVersion = DocumentVersion()


def read_sdn_route(document: Mapping[str, Any], unknown: UnknownFields) -> SdnRoute:
    """Read a route's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_POLICY, HCN_E_GUID_CONVERSION_FAILURE.
    """
    try:
        if any(key.lower() == "schemaversion" for key in document):
            return _from_v2(SdnRouteV2.read(document, unknown))
        return _from_v1(PolicyListV1.read(document, unknown))
    except InvalidPolicyError as error:
        raise HnsError(HResult.HCN_E_INVALID_POLICY) from error


def _from_v2(document: SdnRouteV2) -> SdnRoute:
    return SdnRoute(
        id=guids.read(document.ID) or "",
        endpoints=read_ids(document.HostComputeEndpoints),
        routes=tuple(
            read_v2(SdnRoutePolicy.v2_type, setting, POLICIES) for setting in (*document.Setting, *document.Routes)
        ),
    )


def _from_v1(document: PolicyListV1) -> SdnRoute:
    return SdnRoute(
        id=guids.read(document.ID) or "",
        endpoints=read_references(document.References),
        routes=tuple(read_v1(policy, POLICIES) for policy in document.Policies),
    )
