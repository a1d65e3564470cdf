"""A compartment: a namespace of its own, with the vNICs that are in it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.dataplane.sandbox import NetNs


class CompartmentState:
    """A compartment in the kernel.

    Its namespace is made when it is first needed: a namespace costs much, and HNS too makes a compartment
    only when something comes into it (projectcalico/calico#8465). ``buried`` counts removed vNICs that are
    not deleted yet.
    """

    def __init__(self, number: int, make: Callable[[], NetNs]) -> None:
        self.number = number
        self.vnics: set[str] = set()
        self.buried = 0
        self.gone = False
        self._make = make
        self._netns: NetNs | None = None
        self._lock = Lock()

    @property
    def netns(self) -> NetNs:
        """The namespace; raises SandboxError and DataplaneError where it can't be made."""
        with self._lock:
            if self._netns is None:
                self._netns = self._make()
            return self._netns

    def free_name(self, index: int) -> str:
        """Return a kernel name for a new vNIC: eth0 and on; in the host's compartment by number."""
        if self.number == HOST_COMPARTMENT:
            return f"h{index}"
        number = 0
        while f"eth{number}" in self.vnics:
            number += 1
        return f"eth{number}"

    def has_others(self, vnic: str) -> bool:
        """Whether something goes on in here without this vNIC."""
        return self.number == HOST_COMPARTMENT or bool(self.vnics - {vnic})

    def close(self) -> None:
        """Let go of the namespace."""
        with self._lock:
            self.gone = True
            if self._netns is not None:
                self._netns.close()
