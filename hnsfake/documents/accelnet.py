"""The MACs that accelerated networking leaves alone: one list a node (v1's ``/accelnet/``).

Fields: microsoft/hcsshim internal/hns/hnsaccelnet.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies.values import read_mac
from hnsfake.documents.schema import Document, UnknownFields


@dataclass(frozen=True)
class ManagementMacs:
    """The list, in the form it was sent; there is one, so its id is always the same."""

    macs: tuple[str, ...]
    id: str = "accelnet"


class ManagementMacV1(Document):
    """HNSNnvManagementMacAddress."""

    MacAddress: str = ""


class ManagementMacsV1(Document):
    """HNSNnvManagementMacList."""

    MacAddressList: list[ManagementMacV1] = []


def read_management_macs(document: Mapping[str, Any], unknown: UnknownFields) -> ManagementMacs:
    """Read the list; raise HnsError (HCN_E_INVALID_JSON, E_INVALIDARG)."""
    macs = tuple(item.MacAddress for item in ManagementMacsV1.read(document, unknown).MacAddressList)
    for mac in macs:
        try:
            read_mac(mac)
        except ValueError as error:
            raise HnsError(HResult.E_INVALIDARG) from error  # unverified: the code
    return ManagementMacs(macs)


def management_macs_v1(macs: ManagementMacs | None) -> dict[str, Any]:
    """Return HNSNnvManagementMacList."""
    return {"MacAddressList": [{"MacAddress": mac} for mac in (macs.macs if macs is not None else ())]}
