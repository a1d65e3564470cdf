"""A compute system as far as networking goes: the noun, and what of HCS's documents concerns it.

Fields: microsoft/hcsshim internal/hcs/schema1/schema1.go (version 1: ContainerConfig, ContainerProperties,
ResourceModificationRequestResponse) and internal/hcs/schema2 (version 2: Container.Networking).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import Field

from hnsfake.documents.schema import Document, UnknownFields


class SystemState(StrEnum):
    """Where a compute system is in its life (schema1.go)."""

    CREATED = "Created"
    RUNNING = "Running"
    PAUSED = "Paused"


@dataclass(frozen=True)
class ComputeSystem:
    """A container: an id of its runtime's choice, and the compartment that its processes are in.

    ``namespace_id`` is the HNS namespace that it was created in; without one, the compartment is its own, or that of
    the system ``shares_with``.
    """

    id: str
    owner: str
    compartment: int
    namespace_id: str = ""
    shares_with: str = ""
    state: SystemState = SystemState.CREATED

    @property
    def has_own_compartment(self) -> bool:
        """Whether the compartment is there for it alone."""
        return not self.namespace_id and not self.shares_with


class _Networking(Document):
    Namespace: str = ""
    NetworkSharedContainerName: str = ""


class _Container(Document):
    Networking: _Networking = Field(default_factory=_Networking)


class SystemSettings(Document):
    """Both versions' settings; what isn't networking is none of HNS's business and passes unread."""

    Owner: str = ""
    SystemType: str = "Container"
    EndpointList: list[str] = Field(default_factory=list)
    NetworkSharedContainerName: str = ""
    Container: _Container = Field(default_factory=_Container)

    @property
    def namespace(self) -> str:
        """The namespace to run in, or nothing."""
        return self.Container.Networking.Namespace

    @property
    def shares_with(self) -> str:
        """The system whose compartment to run in, or nothing."""
        return self.NetworkSharedContainerName or self.Container.Networking.NetworkSharedContainerName


class ResourceModification(Document):
    """HcsModifyComputeSystem's request; the settings of a network resource are the endpoint's id."""

    ResourceType: str = ""
    RequestType: str = "Add"
    Settings: Any = ""


def read_settings(document: Mapping[str, Any]) -> SystemSettings:
    """Read what HcsCreateComputeSystem is given; raise InvalidDocumentError."""
    return SystemSettings.read(document, UnknownFields())


def read_modification(document: Mapping[str, Any]) -> ResourceModification:
    """Read what HcsModifyComputeSystem is given; raise InvalidDocumentError."""
    return ResourceModification.read(document, UnknownFields())


def properties(system: ComputeSystem) -> dict[str, Any]:
    """Return what HcsGetComputeSystemProperties and HcsEnumerateComputeSystems say of a system."""
    return {
        "Id": system.id,
        "Name": system.id,
        "SystemType": "Container",
        "RuntimeOsType": "Windows",
        "Owner": system.owner,
        "State": system.state.value,
    }
