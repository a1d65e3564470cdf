"""v1's policy list: load balancers and SDN routes are policy lists of one kind of policy each.

Fields: microsoft/hcsshim internal/hns/hnspolicylist.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hnsfake.documents import guids
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
    """Read endpoints' ids, bare (v2) or as v1's "/endpoints/<id>"; raise HnsError for what is no GUID."""
    ids = (guids.read(reference.strip("/").rsplit("/", 1)[-1]) or guids.ZERO for reference in references)
    return tuple(dict.fromkeys(ids))
