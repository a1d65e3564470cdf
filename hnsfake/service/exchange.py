"""One call on its way through the steps, with what the steps found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from hnsfake.documents.translation.form import is_new
from hnsfake.service.call import S_OK, Call, Reply
from hnsfake.service.handles import Handles
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.notifications import Note, Notifications, Subscription
from hnsfake.service.state import Noun, Transaction


@dataclass
class Exchange:
    """A call, the transaction it runs in, and the parts of its answer.

    ``output`` is the JSON text for Enumerate, Query and HNSCall; ``handle`` what Create and Open give. ``notes`` is
    what listeners shall hear beside what the transaction's changes say. Handles are opened and closed once the call
    has succeeded: one that fails leaves them as they were.
    """

    call: Call
    tx: Transaction
    facts: NodeFacts
    handles: Handles
    notifications: Notifications
    output: str | None = None
    handle: int | None = None
    notes: list[Note] = field(default_factory=list)
    _at_end: list[Callable[[], None]] = field(default_factory=list)

    @property
    def reply(self) -> Reply:
        """The answer of a call that succeeded."""
        return Reply(S_OK, None, self.output, self.handle)

    @property
    def alphabetical(self) -> bool:
        """Whether v1's envelopes have their members in alphabetical order, as HNS 9 has them."""
        return not is_new(self.facts.release.object_version)

    def open(self, kind: type[Noun | Subscription], object_id: str) -> None:
        """Give the caller a handle to an object."""
        self._at_end.append(partial(self._open, kind, object_id))

    def target(self, kind: type[Noun | Subscription]) -> str:
        """Return the id behind the caller's handle; raise HnsError (E_HANDLE)."""
        return self.handles.target(kind, self.call.handle, self.call.client)

    def close(self, kind: type[Noun | Subscription]) -> None:
        """Close the caller's handle; raise HnsError (E_HANDLE)."""
        self.target(kind)
        self._at_end.append(partial(self.handles.close, kind, self.call.handle, self.call.client))

    def settle_handles(self) -> None:
        """Open and close what the call asked for."""
        for settle in self._at_end:
            settle()

    def _open(self, kind: type[Noun | Subscription], object_id: str) -> None:
        self.handle = self.handles.open(kind, object_id, self.call.client)
