"""The request of HcnModify…: a resource type, what to do, and the settings to do it with."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.schema import Document, PolicyDocument, UnknownFields
from hnsfake.documents.text import read_object


class ModifyRequest(Document):
    """ModifyNetworkSettingRequest and its like (microsoft/hcsshim hcn/hcnnetwork.go, hcnendpoint.go)."""

    ResourceType: str = ""
    RequestType: str = ""
    Settings: dict[str, Any] = {}


class PolicySettings(Document):
    """Settings of a request about policies."""

    Policies: list[PolicyDocument] = []


class NamespaceResource(Document):
    """Settings of a namespace's request: one of the two (microsoft/hcsshim hcn/hcnnamespace.go)."""

    EndpointId: str = ""
    ContainerId: str = ""


def read_modify(document: bytes | str, unknown: UnknownFields) -> ModifyRequest:
    """Read a request; raise InvalidDocumentError."""
    return ModifyRequest.read(read_object(document), unknown)
