"""What v1's attach and detach take (microsoft/hcsshim internal/hns/hnsendpoint.go)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from hnsfake.documents.schema import Document, UInt32, UnknownFields


class SystemType(StrEnum):
    """What an endpoint is attached to."""

    CONTAINER = "Container"
    VIRTUAL_MACHINE = "VirtualMachine"
    HOST = "Host"


class AttachRequest(Document):
    """EndpointAttachDetachRequest."""

    ContainerID: str = ""
    SystemType: str = "Container"
    CompartmentID: UInt32 = 0
    VirtualNICName: str = ""


def read_attach(document: Mapping[str, Any], unknown: UnknownFields) -> AttachRequest:
    """Read a request; raise InvalidDocumentError."""
    return AttachRequest.read(document, unknown)
