"""A namespace as HNS shows it (microsoft/hcsshim hcn/hcnnamespace.go, internal/hns/namespace.go)."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.namespace import Namespace, NamespaceType


def namespace_v1(namespace: Namespace) -> dict[str, Any]:
    """Return v1's namespace."""
    return {
        "ID": namespace.id,
        "CompartmentId": namespace.compartment,
        "IsDefault": namespace.type is NamespaceType.HOST_DEFAULT,
        "ResourceList": _resources(namespace, "Id"),
    }


def namespace_v2(namespace: Namespace) -> dict[str, Any]:
    """Return HostComputeNamespace; resources have upper-case ids (windows-container-networking)."""
    return {
        "ID": namespace.id,
        "NamespaceId": namespace.compartment,
        "Type": namespace.type.value,
        "Resources": _resources(namespace, "Id"),
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def _resources(namespace: Namespace, key: str) -> list[dict[str, Any]]:
    endpoints = [{"Type": "Endpoint", "Data": {key: endpoint}} for endpoint in namespace.endpoints]
    return endpoints + [{"Type": "Container", "Data": {key: container}} for container in namespace.containers]
