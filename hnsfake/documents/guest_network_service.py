"""A guest network service: the noun, its document, and the ports of the host that it keeps for its VM.

Fields: Microsoft's HCN JSON schema (MicrosoftDocs/Virtualization-Documentation, GuestNetworkService). Signatures,
numbers and the meaning of a range: ComputeNetwork.h, as in microsoft/windows-rs Win32/System/HostComputeNetwork.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from pydantic import Field

from hnsfake.documents import guids
from hnsfake.documents.schema import Document, ObjectDocument, UInt32, UnknownFields


class PortProtocol(IntEnum):
    """HCN_PORT_PROTOCOL."""

    TCP = 1
    UDP = 2
    BOTH = 3


class PortAccess(IntEnum):
    """HCN_PORT_ACCESS. WSL asks for shared access to multicast ports (microsoft/WSL)."""

    EXCLUSIVE = 1
    SHARED = 2


@dataclass(frozen=True)
class GuestNetworkService:
    """What keeps a VM's network in step with the host's."""

    id: str = ""
    virtual_machine: str = ""
    mirror_host: bool = False
    flags: int | str = 0
    state: str = "Created"


@dataclass(frozen=True)
class PortReservation:
    """Ports ``first`` to ``last`` (included) that a service keeps; it lives as long as its handle."""

    id: str
    service_id: str
    owner: str
    protocol: PortProtocol
    access: PortAccess
    first: int
    last: int

    def excludes(self, protocol: PortProtocol, access: PortAccess, first: int, last: int) -> bool:
        """Whether another reservation can't be had beside this one: two shared ones share."""
        if not self.protocol & protocol or self.last < first or last < self.first:
            return False
        return PortAccess.EXCLUSIVE in (self.access, access)


class GuestNetworkServiceV2(ObjectDocument):
    """GuestNetworkService. Enumerations may be sent as their names or as numbers."""

    VirtualMachineId: str = ""
    MirroredInterfaces: list[dict[str, Any]] = []
    MirrorHostNetworking: bool = False
    GnsRpcServerInformation: dict[str, Any] = {}
    Flags: UInt32 | str = 0


class StateRequest(Document):
    """GuestNetworkServiceStateRequest: the settings of a modify request about ``State``."""

    State: str | int = ""


class PortRequest(Document):
    """The arguments of HcnReserveGuestNetworkServicePort, as a front end carries them."""

    Protocol: int
    Access: int
    Port: int = Field(ge=0, le=65535)


class PortRangeRequest(Document):
    """The arguments of HcnReserveGuestNetworkServicePortRange."""

    PortCount: int = Field(ge=0, le=65535)


STATES = (
    *("None", "Created", "Bootstrapping", "Synchronized", "Paused"),
    *("Desynchronized", "Rehydrating", "Degraded", "Destroyed"),
)
"""GuestNetworkServiceState by name; the schema says that its variants are sent as text."""


def read_guest_network_service(document: Mapping[str, Any], unknown: UnknownFields) -> GuestNetworkService:
    """Read a service's document; raise HnsError (HCN_E_INVALID_JSON, HCN_E_GUID_CONVERSION_FAILURE)."""
    read = GuestNetworkServiceV2.read(document, unknown)
    return GuestNetworkService(
        id=guids.read(read.ID) or "",
        virtual_machine=guids.read(read.VirtualMachineId) or "",
        mirror_host=read.MirrorHostNetworking,
        flags=read.Flags,
    )


def guest_network_service_v2(service: GuestNetworkService) -> dict[str, Any]:
    """Return GuestNetworkService."""
    return {
        "ID": service.id,
        "VirtualMachineId": service.virtual_machine,
        "MirrorHostNetworking": service.mirror_host,
        "Flags": service.flags,
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def port_range_entry(reservation: PortReservation) -> dict[str, Any]:
    """Return HCN_PORT_RANGE_ENTRY.

    Left out, as what they hold is not documented: Priority, ReservationType, SharingFlags, DeliveryMode.
    """
    return {
        "OwningPartitionId": reservation.owner or guids.ZERO,  # unverified: which of the two ids is the VM's
        "TargetPartitionId": reservation.owner or guids.ZERO,
        "Protocol": reservation.protocol.value,
        "StartingPort": reservation.first,
        "EndingPort": reservation.last,
    }
