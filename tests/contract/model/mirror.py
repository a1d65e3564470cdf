"""A data plane that keeps what it was asked for, and insists that every request makes sense to a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from hnsfake.dataplane.interface import (
    HOST_COMPARTMENT,
    Change,
    CompartmentWant,
    EndpointWant,
    LoadBalancerWant,
    NetworkWant,
    Want,
)
from tests.contract.service import WatchedDataplane

Key = tuple[str, str | int]


class MirrorDataplane(WatchedDataplane):
    """The kernel as the changes describe it; a change that doesn't fit is an AssertionError, so a fault."""

    def __init__(self) -> None:
        super().__init__()
        self.there: dict[Key, Want] = {}

    def apply(self, changes: Sequence[Change]) -> None:
        super().apply(changes)
        after = dict(self.there)
        for change in changes:
            _carry_out(change, after)
        _check(after)
        self.there = after


def _carry_out(change: Change, there: dict[Key, Want]) -> None:
    want = change.after or change.before
    assert want is not None, "a change of nothing"
    key = _key(want)
    assert there.get(key) == change.before, f"the kernel has {there.get(key)}, not {change.before}"
    if change.after is None:
        del there[key]
        return
    if isinstance(change.after, EndpointWant):
        _check_place(change.after, there)
    there[key] = change.after


def _check(there: dict[Key, Want]) -> None:
    for want in there.values():
        if isinstance(want, EndpointWant):
            _check_place(want, there)


def _check_place(want: EndpointWant, there: dict[Key, Want]) -> None:
    assert ("network", want.network_id) in there, f"no network for endpoint {want.id}"
    inside = want.compartment
    assert inside in (None, HOST_COMPARTMENT) or ("compartment", inside) in there, f"no compartment {inside}"


def _key(want: Want) -> Key:
    match want:
        case NetworkWant():
            return "network", want.id
        case EndpointWant():
            return "endpoint", want.id
        case LoadBalancerWant():
            return "load balancer", want.id
        case CompartmentWant():
            return "compartment", want.number
