"""Pods' sandboxes as runtimes make them: a namespace for plugins that use v2, a container for those that use v1."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hnsfake.dataplane.observe import interfaces
from hnsfake.node import Node
from hnsfake.workload import Compartment

API_VERSIONS = (1, 2)
_QUERY = {"SchemaVersion": {"Major": 2, "Minor": 0}}
_INFRASTRUCTURE = "none"  # CNI_NETNS of a pod's first container (containernetworking/plugins pkg/hns)
_CONTAINERD = {"SchemaVersion": {"Major": 0, "Minor": 0}}


@dataclass(frozen=True)
class Pod:
    """A sandbox, and what a plugin said of it: ``netns`` is CNI_NETNS."""

    container: str
    netns: str
    compartment: int
    place: Compartment
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The address that the plugin gave the pod."""
        address: str = self.result["ips"][0]["address"]
        return address.split("/")[0]


@dataclass(frozen=True)
class Sandboxes:
    """Makes and removes the sandboxes of a node; ``data`` is where its IPAM plugin keeps its leases."""

    node: Node
    api_version: int
    data: Path

    def make(self, container: str) -> Pod:
        """Make the sandbox of a pod."""
        if self.api_version == 1:
            number = self.node.create_compute_system(container)
            return Pod(container, _INFRASTRUCTURE, number, self.node.compartment(number))
        opened = self.node.hcn("HcnCreateNamespace", _CONTAINERD)
        shown = json.loads(self.node.hcn("HcnQueryNamespaceProperties", _QUERY, handle=opened.handle).output or "")
        number = shown["NamespaceId"]
        return Pod(container, shown["ID"], number, self.node.compartment(number))

    def remove(self, pod: Pod) -> None:
        """Remove it."""
        if self.api_version == 1:
            self.node.delete_compute_system(pod.container)
            return
        self.node.hcn("HcnDeleteNamespace", object_id=pod.netns)

    def leases(self) -> list[str]:
        """Return the addresses that are still given out."""
        return sorted(path.name for path in self._leases())

    def has_lease(self, container: str) -> bool:
        """Whether a container's address is written down; a file is there a moment before what it says."""
        return any(container in path.read_text() for path in self._leases())

    def _leases(self) -> list[Path]:
        return [path for path in self.data.rglob("*") if path.name[:1].isdigit()]

    def interfaces(self) -> int:
        """Return how many interfaces there are where the node's vSwitches are."""
        linux = self.node.linux
        assert linux is not None
        switch = linux._kernel.switch.netns  # nobody else looks in there
        return len(linux.sandbox.run(switch, interfaces))
