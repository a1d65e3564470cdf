"""A compartment: a namespace of its own, with the vNICs that are in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.dataplane.sandbox import NetNs


@dataclass
class CompartmentState:
    """A compartment in the kernel. ``buried`` counts removed vNICs that are not deleted yet."""

    number: int
    netns: NetNs
    vnics: set[str] = field(default_factory=set)
    buried: int = 0
    gone: bool = False

    def free_name(self, index: int) -> str:
        """Return a kernel name for a new vNIC: eth0 and on; in the host's compartment by number."""
        if self.number == HOST_COMPARTMENT:
            return f"h{index}"
        number = 0
        while f"eth{number}" in self.vnics:
            number += 1
        return f"eth{number}"

    def close(self) -> None:
        """Let go of the namespace."""
        self.gone = True
        self.netns.close()
