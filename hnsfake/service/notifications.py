"""Notifications: what HNS tells those who registered, after a call has changed something.

Numbers: ComputeNetwork.h's HCN_NOTIFICATIONS (learn.microsoft.com, microsoft/windows-rs), and for compute systems
microsoft/hcsshim internal/hcs/callback.go.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from threading import Lock
from types import TracebackType
from typing import Self

from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.guest_network_service import GuestNetworkService
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.service.state import Noun, State

_ROOM = 10_000


class HcnNotification(IntEnum):
    """Of HNS, by Windows' numbers."""

    NETWORK_PRE_CREATE = 1
    NETWORK_CREATE = 2
    NETWORK_PRE_DELETE = 3
    NETWORK_DELETE = 4
    NAMESPACE_CREATE = 5
    NAMESPACE_DELETE = 6
    GUEST_NETWORK_SERVICE_CREATE = 7
    GUEST_NETWORK_SERVICE_DELETE = 8
    NETWORK_ENDPOINT_ATTACHED = 9
    NETWORK_ENDPOINT_DETACHED = 16
    GUEST_NETWORK_SERVICE_STATE_CHANGED = 17


class EmulatorNotification(StrEnum):
    """The emulator's own, by name: for what Windows has no notification of.

    HCN_NOTIFICATIONS has no number for load balancers, SDN routes, or endpoints that are made and deleted, up to the
    newest published header (microsoft/win32metadata, microsoft/WSL). So a callback of Windows' never has them; who
    asks for them (``extended``) does, by HTTP or in Python.
    """

    ENDPOINT_CREATE = "EndpointCreate"
    ENDPOINT_DELETE = "EndpointDelete"
    LOAD_BALANCER_CREATE = "LoadBalancerCreate"
    LOAD_BALANCER_MODIFY = "LoadBalancerModify"
    LOAD_BALANCER_DELETE = "LoadBalancerDelete"
    SDN_ROUTE_CREATE = "SdnRouteCreate"
    SDN_ROUTE_DELETE = "SdnRouteDelete"


class SystemNotification(IntEnum):
    """Of a compute system."""

    SYSTEM_EXITED = 1
    START_COMPLETED = 3
    PAUSE_COMPLETED = 4
    RESUME_COMPLETED = 5


Kind = HcnNotification | SystemNotification | EmulatorNotification


@dataclass(frozen=True)
class Notification:
    """One notification; ``source`` is the id of the object it is about, ``data`` its JSON text.

    unverified: the data; here ``{"ID": …}``. No client read so far looks at it.
    """

    kind: Kind
    source: str
    data: str

    @property
    def number(self) -> HcnNotification | SystemNotification | None:
        """Windows' number; None for what is the emulator's own."""
        return None if isinstance(self.kind, EmulatorNotification) else self.kind


Note = tuple[Kind, str]
_CREATED: Mapping[type[Noun], Sequence[Kind]] = {
    Network: (HcnNotification.NETWORK_PRE_CREATE, HcnNotification.NETWORK_CREATE),
    Namespace: (HcnNotification.NAMESPACE_CREATE,),
    GuestNetworkService: (HcnNotification.GUEST_NETWORK_SERVICE_CREATE,),
    Endpoint: (EmulatorNotification.ENDPOINT_CREATE,),
    LoadBalancer: (EmulatorNotification.LOAD_BALANCER_CREATE,),
    SdnRoute: (EmulatorNotification.SDN_ROUTE_CREATE,),
}
_MODIFIED: Mapping[type[Noun], Sequence[Kind]] = {
    LoadBalancer: (EmulatorNotification.LOAD_BALANCER_MODIFY,),
}
_DELETED: Mapping[type[Noun], Sequence[Kind]] = {
    Network: (HcnNotification.NETWORK_PRE_DELETE, HcnNotification.NETWORK_DELETE),
    Namespace: (HcnNotification.NAMESPACE_DELETE,),
    GuestNetworkService: (HcnNotification.GUEST_NETWORK_SERVICE_DELETE,),
    Endpoint: (EmulatorNotification.ENDPOINT_DELETE,),
    LoadBalancer: (EmulatorNotification.LOAD_BALANCER_DELETE,),
    SdnRoute: (EmulatorNotification.SDN_ROUTE_DELETE,),
}
# Whoever registers with HNS itself hears these; of a guest network service's state only who registered with it.
_OF_THE_SERVICE = frozenset(HcnNotification) - {HcnNotification.GUEST_NETWORK_SERVICE_STATE_CHANGED}


class Subscription:
    """What one listener has not heard yet. A context manager and an iterator, which ends with ``close``.

    ``source`` is the compute system or guest network service it is about; without one it is about HNS. A listener
    that never listens loses what comes after ten thousand notifications: nothing waits for it. ``extended``, at any
    time, lets it hear the emulator's own notifications too.
    """

    def __init__(self, source: str = "", *, extended: bool = False) -> None:
        self.id = guids.new()
        self.source = source
        self.extended = extended
        self.closed = False
        self._waiting: queue.Queue[Notification | None] = queue.Queue(_ROOM)

    def offer(self, notification: Notification) -> None:
        """Take a notification, if it is for this listener and there is room."""
        if self._concerns(notification):
            self._put(notification)

    def next(self, timeout: float | None = None) -> Notification | None:
        """Wait for the next one; None where it was closed; raise TimeoutError."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                notification = self._waiting.get(timeout=left)
            except queue.Empty:
                raise TimeoutError from None
            if notification is None or self.extended or notification.number is not None:
                return notification

    def close(self) -> None:
        """End it: whoever waits stops waiting."""
        self.closed = True
        self._put(None)

    def _concerns(self, notification: Notification) -> bool:
        if self.source:
            return notification.source == self.source
        return notification.number is None or notification.number in _OF_THE_SERVICE

    def _put(self, notification: Notification | None) -> None:
        try:
            self._waiting.put_nowait(notification)
        except queue.Full:
            if notification is None:  # the end must come through
                self._waiting.get_nowait()
                self._waiting.put_nowait(None)

    def __iter__(self) -> Iterator[Notification]:
        while (notification := self.next()) is not None:
            yield notification

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Notifications:
    """Those who listen to one node's HNS."""

    def __init__(self) -> None:
        self._listening: dict[str, Subscription] = {}
        self._lock = Lock()

    def subscribe(self, source: str = "", *, extended: bool = False) -> Subscription:
        """Return a new subscription; it is there until ``end`` or ``close``."""
        subscription = Subscription(source, extended=extended)
        with self._lock:
            self._listening = {key: one for key, one in self._listening.items() if not one.closed}
            self._listening[subscription.id] = subscription
        return subscription

    def find(self, subscription_id: str) -> Subscription | None:
        """Return a subscription that has not ended."""
        with self._lock:
            return self._listening.get(subscription_id)

    def end(self, subscription_id: str) -> None:
        """End a subscription."""
        with self._lock:
            subscription = self._listening.pop(subscription_id, None)
        if subscription is not None:
            subscription.close()

    def publish(self, notes: Sequence[Note]) -> None:
        """Tell everyone; never blocks."""
        with self._lock:
            listening = list(self._listening.values())
        for kind, source in notes if listening else ():
            notification = Notification(kind, source, json.dumps({"ID": source}))
            for subscription in listening:
                subscription.offer(notification)

    def close(self) -> None:
        """End all subscriptions."""
        with self._lock:
            listening, self._listening = list(self._listening.values()), {}
        for subscription in listening:
            subscription.close()


def notes_of(before: State, records: Mapping[tuple[type[Noun], str], Noun | None]) -> list[Note]:
    """Return what a call's changes have HNS tell.

    The Pre- notifications come with the others, after the fact: a listener here can't object.
    """
    return [note for (kind, object_id), after in records.items() for note in _notes(kind, object_id, before, after)]


def _notes(kind: type[Noun], object_id: str, before: State, after: Noun | None) -> Iterator[Note]:
    known = before.find(kind, object_id)
    if isinstance(known, GuestNetworkService) and isinstance(after, GuestNetworkService):
        if known.state != after.state:  # unverified: that it is told of a state that its own client has set, too
            yield HcnNotification.GUEST_NETWORK_SERVICE_STATE_CHANGED, object_id
        return
    table = _CREATED if known is None else _DELETED if after is None else _MODIFIED
    told = [(one, object_id) for one in table.get(kind, ()) if known != after]
    attachment = list(_attachment(known, after)) if kind is Endpoint else []
    yield from (*attachment, *told) if after is None else (*told, *attachment)  # what goes is detached before


def _attachment(before: Noun | None, after: Noun | None) -> Iterator[Note]:
    was, is_now = (noun.compartment if isinstance(noun, Endpoint) else None for noun in (before, after))
    if was is not None and was != is_now:
        assert isinstance(before, Endpoint)
        yield HcnNotification.NETWORK_ENDPOINT_DETACHED, before.id
    if is_now is not None and was != is_now:
        assert isinstance(after, Endpoint)
        yield HcnNotification.NETWORK_ENDPOINT_ATTACHED, after.id
