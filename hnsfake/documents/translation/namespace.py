"""A namespace in both shapes.

v2's: microsoft/hcsshim hcn/hcnnamespace.go, with NamespaceGuid as in microsoft/SDN
Kubernetes/windows/debug/collectlogs.ps1. v1's: internal/hns/namespace.go; what HNS adds: outputs in
microsoft/Windows-Containers#485 and projectcalico/calico#8465.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.namespace import Namespace, NamespaceType, NamespaceV1, NamespaceV2, ResourceEntry
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.translation.codecs import (
    AS_IS,
    GUID,
    HEALTH,
    LIST,
    SHOWN,
    constant,
    of_all,
    resources_of,
)
from hnsfake.documents.translation.table import Codec, Row, Table, about, at


def _read_type(text: str) -> NamespaceType:
    if not text:
        return NamespaceType.HOST
    for kind in NamespaceType:
        if kind.lower() == text.lower():
            return kind
    raise HnsError(HResult.E_INVALIDARG)


def _entries(kind: str) -> Codec:
    """Return the codec of one kind of resource; the service reads them, as putting each in may fail."""
    return Codec(f"each of Type {kind}", None, lambda ids, _: [{"Data": {"Id": one}, "Type": kind} for one in ids])


_TYPE = Codec("word in any case; none is Host", _read_type, lambda kind, _: kind.value)
_IS_DEFAULT = Codec(
    "whether it is HostDefault",
    lambda default: NamespaceType.HOST_DEFAULT if default else NamespaceType.HOST,
    lambda kind, _: kind is NamespaceType.HOST_DEFAULT,
)
_ENDPOINTS, _CONTAINERS = _entries("Endpoint"), _entries("Container")
_SEEN = "microsoft/Windows-Containers#485, projectcalico/calico#8465"

NAMESPACE = Table(
    "namespace",
    Namespace,
    (
        Row("id", at("ID", GUID), at("ID", GUID)),
        Row("compartment", at("CompartmentId", AS_IS), at("NamespaceId", AS_IS)),
        Row(
            "compartment_guid",
            at("CompartmentGuid", SHOWN),
            at("NamespaceGuid", SHOWN),
            source=f"{_SEEN}, microsoft/SDN Kubernetes/windows/debug/collectlogs.ps1",
        ),
        Row("type", at("IsDefault", _IS_DEFAULT), at("Type", _TYPE), lost="v1 knows none of a guest"),
        # Resources have upper-case ids (microsoft/windows-container-networking).
        Row("endpoints", at("ResourceList", _ENDPOINTS), at("Resources", _ENDPOINTS)),
        Row("containers", at("ResourceList", _CONTAINERS), at("Resources", _CONTAINERS)),
        *of_all(),
        Row("containers", at("Containers", LIST.only_shown()), source=_SEEN),
        Row("activity_id", at("ActivityId", SHOWN), source=_SEEN),
        Row("activity_id", at("Resources", resources_of(lambda _: None)), source=_SEEN),
        Row("created", at("Health", HEALTH), source=_SEEN),
        Row("version", at("Version", SHOWN), source=_SEEN),
        Row("", at("AdditionalParams", constant({})), source=_SEEN),
        Row("", at("Flags", constant(0)), source=_SEEN),
        Row("", at("Policies", constant([])), source=_SEEN),
        Row("", at("State", constant(1)), source=_SEEN),
    ),
    v1=NamespaceV1,
    v2=NamespaceV2,
    source="microsoft/hcsshim hcn/hcnnamespace.go, internal/hns/namespace.go",
)


def read_namespace(document: Mapping[str, Any], unknown: UnknownFields) -> tuple[Namespace, Sequence[ResourceEntry]]:
    """Read a namespace's document in either shape, and what is to be in it.

    Raises HnsError: HCN_E_INVALID_JSON, E_INVALIDARG.
    """
    parsed = NAMESPACE.parse(document, unknown)
    resources = parsed.ResourceList if isinstance(parsed, NamespaceV1) else getattr(parsed, "Resources", [])
    return NAMESPACE.read(parsed), resources


def namespace_v1(namespace: Namespace) -> dict[str, Any]:
    """Return v1's namespace."""
    return NAMESPACE.v1(namespace, about(namespace))


def namespace_v2(namespace: Namespace) -> dict[str, Any]:
    """Return HostComputeNamespace."""
    return NAMESPACE.v2(namespace, about(namespace))
