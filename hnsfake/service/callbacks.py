"""Registering for notifications: the handle that a registration gives is the key to its stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hnsfake.documents.compute_system import ComputeSystem
from hnsfake.documents.guest_network_service import GuestNetworkService
from hnsfake.service.exchange import Exchange
from hnsfake.service.notifications import Subscription
from hnsfake.service.state import Noun


def _register(kind: type[Noun] | None, exchange: Exchange) -> None:
    """Register with the object behind the caller's handle, or with HNS itself."""
    source = exchange.target(kind) if kind is not None else ""
    exchange.open(Subscription, exchange.notifications.subscribe(source).id)


def _unregister(exchange: Exchange) -> None:
    exchange.notifications.end(exchange.target(Subscription))
    exchange.close(Subscription)


FUNCTIONS: Mapping[str, Callable[[Exchange], None]] = {
    "HcnRegisterServiceCallback": partial(_register, None),
    "HcnUnregisterServiceCallback": _unregister,
    "HcnRegisterGuestNetworkServiceCallback": partial(_register, GuestNetworkService),
    "HcnUnregisterGuestNetworkServiceCallback": _unregister,
    "HcsRegisterComputeSystemCallback": partial(_register, ComputeSystem),
    "HcsUnregisterComputeSystemCallback": _unregister,
}
