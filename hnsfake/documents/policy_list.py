"""v1's policy list: load balancers and SDN routes are policy lists of one kind of policy each.

Fields: microsoft/hcsshim internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.schema import Document, UnknownFields


class PolicyListV1(Document):
    """PolicyList."""

    ID: str = ""
    References: list[str] = []
    Policies: list[dict[str, Any]] = []


def policy_types(document: Mapping[str, Any], unknown: UnknownFields) -> set[str]:
    """Return the types of a list's policies in lower case; raise InvalidDocumentError."""
    return {str(policy.get("Type", "")).lower() for policy in PolicyListV1.read(document, unknown).Policies}


def read_references(references: Iterable[str]) -> tuple[str, ...]:
    """Read v1's references to endpoints; raise HnsError (HCN_E_INVALID_JSON_REFERENCE) for what leads elsewhere."""
    return read_ids(map(_endpoint_id, references))


def read_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Read endpoints' ids as v2 has them; raise HnsError (HCN_E_GUID_CONVERSION_FAILURE) for what is no GUID."""
    return tuple(dict.fromkeys(guids.read(one) or guids.ZERO for one in ids))


def _endpoint_id(reference: str) -> str:
    words = reference.strip("/").split("/")
    if len(words) != 2 or words[0].lower() != "endpoints":
        raise HnsError(HResult.HCN_E_INVALID_JSON_REFERENCE)  # unverified: the code, by its text
    return words[1]
