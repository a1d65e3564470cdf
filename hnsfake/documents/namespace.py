"""A namespace: the noun itself, and its v1 and v2 (HostComputeNamespace) documents.

Fields: microsoft/hcsshim hcn/hcnnamespace.go and internal/hns/namespace.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError, InvalidDocumentError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.schema import Document, DocumentVersion, UInt32, UnknownFields


class NamespaceType(StrEnum):
    """v2 ``Type``. HostDefault is the host's own compartment; Guest ones belong to a utility VM."""

    HOST = "Host"
    HOST_DEFAULT = "HostDefault"
    GUEST = "Guest"
    GUEST_DEFAULT = "GuestDefault"


@dataclass(frozen=True)
class Namespace:
    """A namespace; ``compartment`` is its number, v2's NamespaceId and v1's CompartmentId.

    On Windows a namespace without a container shows the number 0 and gets its compartment when the first
    container is attached (projectcalico/calico#8465). Here the compartment is made with the namespace, so that
    something can run in it before there are compute systems.
    """

    type: NamespaceType
    id: str = ""
    compartment: int = 0
    endpoints: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    # filled in by the service
    compartment_guid: str = ""
    activity_id: str = ""
    version: int = 0
    created: int = 0


class ResourceEntry(Document):
    """An endpoint or a container of a namespace; ``Data`` has its ID, in v1 called Id.

    It is what v1's addresource and removeresource take.
    """

    Type: str = ""
    Data: dict[str, Any] = {}

    @property
    def object_id(self) -> str:
        """The id; raise InvalidDocumentError where it is no text."""
        found = self.Data.get("Id", self.Data.get("ID", ""))
        if not isinstance(found, str):
            raise InvalidDocumentError("Data.Id")
        return found


class NamespaceV2(Document):
    """HostComputeNamespace. containerd sends a SchemaVersion of 0.0 and no type, which means Host."""

    ID: str = ""
    NamespaceId: UInt32 = 0
    Type: str = ""
    Resources: list[ResourceEntry] = []
    SchemaVersion: DocumentVersion = DocumentVersion()


class NamespaceV1(Document):
    """v1's namespace."""

    ID: str = ""
    IsDefault: bool = False
    ResourceList: list[ResourceEntry] = []
    CompartmentId: UInt32 = 0


def read_namespace(document: Mapping[str, Any], unknown: UnknownFields) -> tuple[Namespace, Sequence[ResourceEntry]]:
    """Read a namespace's document in either shape, and what is to be in it.

    Raises HnsError: HCN_E_INVALID_JSON, E_INVALIDARG.
    """
    if any(key.lower() == "schemaversion" for key in document):
        v2 = NamespaceV2.read(document, unknown)
        object_id = guids.read(v2.ID) or ""
        return Namespace(_type(v2.Type), object_id, v2.NamespaceId), v2.Resources
    v1 = NamespaceV1.read(document, unknown)
    kind = NamespaceType.HOST_DEFAULT if v1.IsDefault else NamespaceType.HOST
    return Namespace(kind, guids.read(v1.ID) or "", v1.CompartmentId), v1.ResourceList


def _type(text: str) -> NamespaceType:
    if not text:
        return NamespaceType.HOST
    for kind in NamespaceType:
        if kind.lower() == text.lower():
            return kind
    raise HnsError(HResult.E_INVALIDARG)
