"""A namespace: the noun itself, and its v1 and v2 (HostComputeNamespace) documents.

Fields: microsoft/hcsshim hcn/hcnnamespace.go and internal/hns/namespace.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hnsfake.documents.errors import InvalidDocumentError
from hnsfake.documents.schema import Document, ObjectDocument, UInt32


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


class NamespaceV2(ObjectDocument):
    """HostComputeNamespace. containerd sends a SchemaVersion of 0.0 and no type, which means Host.

    The compartment's GUID is HNS's own: here too it is read and has no effect.
    """

    NamespaceId: UInt32 = 0
    NamespaceGuid: str = ""
    Type: str = ""
    Resources: list[ResourceEntry] = []


class NamespaceV1(Document):
    """v1's namespace."""

    ID: str = ""
    IsDefault: bool = False
    ResourceList: list[ResourceEntry] = []
    CompartmentId: UInt32 = 0
