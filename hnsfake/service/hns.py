"""A node's HNS: one state, one lock, and the way in for every front end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from threading import RLock

from hnsfake.dataplane.interface import Change, NodeDataplane
from hnsfake.documents.errors import HnsError
from hnsfake.releases import Release
from hnsfake.service import pipeline
from hnsfake.service.call import Call, Reply
from hnsfake.service.exchange import Exchange
from hnsfake.service.handles import Handles
from hnsfake.service.journal import ORDER, Journal, NoJournal
from hnsfake.service.namespace import create_default
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.notifications import Notifications, Subscription, notes_of
from hnsfake.service.state import State, Transaction


class HnsService:
    """The Host Networking Service of one node. Thread safe; calls that change something run one by one."""

    def __init__(
        self,
        name: str,
        release: Release,
        dataplane: NodeDataplane,
        journal: Journal | NoJournal | None = None,
        chooser: random.Random | None = None,
    ) -> None:
        self._dataplane = dataplane
        self._journal = journal or NoJournal()
        self._facts = NodeFacts(name, release, dataplane.adapters, dataplane.counters, chooser or random.Random())
        self._handles = Handles()
        self._state = State()
        self._lock = RLock()
        self._steps = (pipeline.carry_out, self._apply, self._record, Exchange.settle_handles, self._notify)
        self.notifications = Notifications()
        self._restore()

    def invoke(self, call: Call) -> Reply:
        """Carry out one call; never raises."""
        with self._lock:
            exchange = Exchange(call, Transaction(self._state), self._facts, self._handles, self.notifications)
            return pipeline.run(self._steps, exchange)

    @property
    def state(self) -> State:
        """The state now; it never changes, a later call makes another one."""
        return self._state

    @property
    def unknown_fields(self) -> Mapping[str, int]:
        """How often each field that HNS does not have was met in callers' documents."""
        return self._facts.unknown.counts()

    def close(self) -> None:
        """End all subscriptions, and close the journal."""
        self.notifications.close()
        self._journal.close()

    def _apply(self, exchange: Exchange) -> None:
        """Let the data plane do the difference; if it can't, neither state nor kernel has changed."""
        if exchange.tx.changes:
            self._dataplane.apply(exchange.tx.changes)

    def _record(self, exchange: Exchange) -> None:
        """Write the journal, then make the transaction's state the state."""
        if not exchange.tx.records:
            return
        try:
            self._journal.write(exchange.tx.records)
        except Exception:
            self._undo(exchange.tx.changes)
            raise
        exchange.notes[:0] = notes_of(self._state, exchange.tx.records)
        self._state = exchange.tx.result()

    def _notify(self, exchange: Exchange) -> None:
        self.notifications.publish(exchange.notes)

    def subscription(self, handle: int | None, client: str) -> Subscription | None:
        """Return the subscription behind the handle that a registration gave its client; None where it is none."""
        try:
            return self.notifications.find(self._handles.target(Subscription, handle, client))
        except HnsError:
            return None

    def _undo(self, changes: list[Change]) -> None:
        if changes:
            self._dataplane.apply([Change(change.after, change.before) for change in reversed(changes)])

    def _restore(self) -> None:
        """Rebuild state and kernel from the journal: containers first, then what is in them."""
        nouns = self._journal.read()
        tx = Transaction(State())
        for kind in ORDER:
            for noun in nouns:
                if isinstance(noun, kind):
                    tx.put(noun)
        create_default(tx, self._facts)
        if tx.changes:
            self._dataplane.apply(tx.changes)
        self._journal.write(tx.records)
        self._state = tx.result()
