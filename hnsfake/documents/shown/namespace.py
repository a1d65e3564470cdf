"""A namespace as HNS shows it.

v1's shape: outputs in microsoft/Windows-Containers#485 and projectcalico/calico#8465. v2's: microsoft/hcsshim
hcn/hcnnamespace.go, with NamespaceGuid as in microsoft/SDN Kubernetes/windows/debug/collectlogs.ps1.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents.namespace import Namespace, NamespaceType
from hnsfake.documents.shown.form import ordered, resources


def namespace_v1(namespace: Namespace) -> dict[str, Any]:
    """Return v1's namespace."""
    view: dict[str, Any] = {
        "ActivityId": namespace.activity_id,
        "AdditionalParams": {},
        "CompartmentGuid": namespace.compartment_guid,
        "CompartmentId": namespace.compartment,
        "Containers": list(namespace.containers),
        "Flags": 0,
        "Health": {"LastErrorCode": 0, "LastUpdateTime": namespace.created},
        "ID": namespace.id,
        "IsDefault": namespace.type is NamespaceType.HOST_DEFAULT,
        "Policies": [],
        "ResourceList": _resource_list(namespace),
        "Resources": resources(namespace.activity_id, "", namespace.created, namespace.version),
        "State": 1,
        "Version": namespace.version,
    }
    del view["Resources"]["parentId"]
    return ordered(view, namespace.version)


def namespace_v2(namespace: Namespace) -> dict[str, Any]:
    """Return HostComputeNamespace; resources have upper-case ids (microsoft/windows-container-networking)."""
    return {
        "ID": namespace.id,
        "NamespaceId": namespace.compartment,
        "NamespaceGuid": namespace.compartment_guid,
        "Type": namespace.type.value,
        "Resources": _resource_list(namespace),
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def _resource_list(namespace: Namespace) -> list[dict[str, Any]]:
    endpoints = [{"Data": {"Id": endpoint}, "Type": "Endpoint"} for endpoint in namespace.endpoints]
    return endpoints + [{"Data": {"Id": container}, "Type": "Container"} for container in namespace.containers]
