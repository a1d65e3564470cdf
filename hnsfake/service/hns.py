"""A node's HNS: one state, one lock, and the way in for every front end."""

from __future__ import annotations

import logging
import random
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from threading import RLock

from hnsfake.dataplane.interface import Change, NodeDataplane
from hnsfake.documents.errors import HnsError
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.translation.form import is_new
from hnsfake.releases import Release
from hnsfake.service import about, life_cycle, pipeline
from hnsfake.service.call import Call, Reply
from hnsfake.service.exchange import Exchange
from hnsfake.service.faults import FaultRules, Passage
from hnsfake.service.field_support import NOT_ENFORCED_FIELDS
from hnsfake.service.handles import Handles
from hnsfake.service.journal import ORDER, Journal, NoJournal
from hnsfake.service.namespace import create_default
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.notifications import Notifications, Subscription, notes_of
from hnsfake.service.registry import RegistryView, registry_of
from hnsfake.service.short_calls import is_change, is_short
from hnsfake.service.state import State, Transaction

log = logging.getLogger("hnsfake.service")

Observer = Callable[[Call, Reply], None]


class HnsService:
    """The Host Networking Service of one node. Thread safe; calls that change something run one by one.

    ``observers`` are told of each call and its answer, in the order in which calls were carried out and before the
    caller has the answer; HNS goes on meanwhile, and they must not call it.
    """

    def __init__(
        self,
        name: str,
        release: Release,
        dataplane: NodeDataplane,
        journal: Journal | NoJournal | None = None,
        chooser: random.Random | None = None,
        strict: bool = False,
    ) -> None:
        self._dataplane = dataplane
        self._journal = journal or NoJournal()
        self._facts = NodeFacts(
            name,
            release,
            dataplane.adapters,
            dataplane.counters,
            chooser or random.Random(),
            unknown=UnknownFields(strict, NOT_ENFORCED_FIELDS),
        )
        self._in_memory = dataplane.in_memory and self._journal.in_memory
        self._handles = Handles()
        self._state = State()
        self._lock = RLock()
        self._steps = (pipeline.carry_out, self._carry_through)
        self.notifications = Notifications()
        self.faults = FaultRules(self.restart, _twin(self._facts.chooser), not is_new(release.object_version))
        # Outside the lock: while one call is delayed, others go on.
        self._way = (self.faults.delay, self.faults.fail, self._work, self.faults.restart, self.faults.drop)
        self.observers: list[Observer] = []
        self._untold: deque[tuple[Call, Reply]] = deque()
        self._telling = RLock()
        self._restore()

    def invoke(self, call: Call) -> Reply:
        """Carry out one call; raises AnswerLostError where a fault rule drops the answer, and nothing else."""
        passage = self.faults.passage(call, lambda: about.objects(call, self._handles, self._state))
        return pipeline.run(self._way, passage)

    def invoke_at_once(self, call: Call) -> Reply | None:
        """Carry out a call that need not wait; None, and nothing is done, where it might.

        It might wait for another call, a fault rule, an observer, kernel or disk, or it has much to tell.
        """
        return self.invoke_if_free(call) if is_short(call, self._in_memory) else None

    def thread_for(self, call: Call) -> Executor | None:
        """Return the thread where ``invoke_if_free`` carries out a change soonest; None where any is as good.

        A change of threads costs more than many a call.
        """
        return self._dataplane.thread if is_change(call) else None

    def invoke_if_free(self, call: Call) -> Reply | None:
        """Carry out a call unless another is; None, and nothing is done, where it would have to wait for that.

        The data plane's own thread must not wait: who holds the lock may be waiting for it.
        """
        if self.faults.list() or self.observers or not self._lock.acquire(blocking=False):
            return None
        try:
            return self.carry_out(call)
        finally:
            self._lock.release()

    def carry_out(self, call: Call) -> Reply:
        """Carry out one call as HNS does, whatever the fault rules say; never raises."""
        with self._lock:
            exchange = Exchange(call, Transaction(self._state), self._facts, self._handles, self.notifications)
            reply = pipeline.run(self._steps, exchange)
            if not self.observers:
                return reply
            self._untold.append((call, reply))
        self._tell()
        return reply

    @property
    def state(self) -> State:
        """The state now; it never changes, a later call makes another one."""
        return self._state

    @property
    def unknown_fields(self) -> Mapping[str, int]:
        """How often each field that HNS does not have was met in callers' documents."""
        return self._facts.unknown.counts()

    def restart(self) -> None:
        """Begin again, as the service does when it is restarted: packets go on, handles and listeners don't.

        Raises DataplaneError; nothing has changed then.
        """
        self._begin_again(life_cycle.restart)

    def crash(self) -> None:
        """Begin again, as the service does when its process died; raises DataplaneError."""
        purges = self._facts.release.has("hns-crash-purges-lb")
        self._begin_again(life_cycle.crash if purges else life_cycle.restart)

    def reboot(self) -> None:
        """Begin again, as the service does when its node comes up; raises DataplaneError."""
        self._begin_again(life_cycle.reboot)

    def close(self) -> None:
        """End all delays and subscriptions, and close the journal."""
        self.faults.close()
        self.notifications.close()
        self._journal.close()

    def _work(self, passage: Passage) -> None:
        """Carry out a call that has no answer yet."""
        if passage.answer is None:
            passage.answer = self.carry_out(passage.call)

    def _tell(self) -> None:
        """Tell observers what they don't know yet; whoever comes second waits until all is told."""
        with self._telling:
            while self._untold:
                told = self._untold.popleft()
                for observer in tuple(self.observers):
                    try:
                        observer(*told)
                    except Exception:
                        log.exception("an observer failed")

    def _begin_again(self, forget: Callable[[Transaction], None]) -> None:
        with self._lock:
            tx = Transaction(self._state)
            forget(tx)
            self._apply(tx)
            self._record(tx)
            self._handles.forget()
            self.notifications.close()

    def _carry_through(self, exchange: Exchange) -> None:
        """Bring what a call has changed into kernel, journal and state, and tell of it."""
        self._apply(exchange.tx)
        before = self._state
        self._record(exchange.tx)
        exchange.settle_handles()
        self.notifications.publish([*notes_of(before, exchange.tx.records), *exchange.notes])

    def _apply(self, tx: Transaction) -> None:
        """Let the data plane do the difference; if it can't, neither state nor kernel has changed."""
        if tx.changes:
            self._dataplane.apply(tx.changes)

    def _record(self, tx: Transaction) -> None:
        """Write the journal, then make the transaction's state the state."""
        if not tx.records:
            return
        try:
            self._journal.write(tx.records)
        except Exception:
            self._undo(tx.changes)
            raise
        self._state = tx.result()

    def registry(self, compartment: int) -> RegistryView:
        """Return the registry view of a compartment; raise NoCompartmentError."""
        return registry_of(self._state, compartment, self._dataplane.adapters())

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


def _twin(chooser: random.Random) -> random.Random:
    """Return a source of chance with the same seed, so that neither takes numbers from the other."""
    twin = random.Random()
    twin.setstate(chooser.getstate())
    return twin
