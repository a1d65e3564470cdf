"""Adding, removing and updating policies of an object, alike for networks and endpoints."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import PolicySettings
from hnsfake.documents.policies import InvalidPolicyError
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.schema import PolicyDocument, UnknownFields

Records = tuple[PolicyRecord, ...]
Change = Callable[[Records, Records], Records]
"""From the policies before and those of a request to the policies after; raises HnsError."""


def read_settings(
    settings: dict[str, Any], unknown: UnknownFields, read: Callable[[PolicyDocument], PolicyRecord]
) -> Records:
    """Read the policies of a modify request; raise HnsError."""
    try:
        return tuple(read(policy) for policy in PolicySettings.read(settings, unknown).Policies)
    except InvalidPolicyError as error:
        raise HnsError(HResult.HCN_E_INVALID_POLICY) from error


def added(before: Records, given: Records) -> Records:
    """Append; a policy with a name of its own is there once."""
    named = [_key(record) for record in before + given if _key(record) is not None]
    if len(set(named)) < len(named):
        raise HnsError(HResult.HCN_E_POLICY_ALREADY_EXISTS)  # unverified: the code
    return before + given


def removed(before: Records, given: Records) -> Records:
    """Take out each policy once."""
    left = list(before)
    for record in given:
        match = next((other for other in left if _same(other, record)), None)
        if match is None:
            raise HnsError(HResult.HCN_E_POLICY_NOT_FOUND)
        left.remove(match)
    return tuple(left)


def updated(before: Records, given: Records) -> Records:
    """Replace all policies of the types that are given, keep the others; a set is replaced alone, by its id.

    Azure's NPM sends every policy back, Calico's plug-in sends one ACL and relies on NAT and routes staying
    (Azure/azure-container-networking npm/pkg/dataplane; projectcalico/calico cni-plugin). NPM updates one set of
    many, and counts on a set that isn't there being refused (its npm/pkg/dataplane/ipsets and its fake of HNS).
    """
    named = {_key(record): record for record in given if _key(record) is not None}
    if not set(named) <= {_key(record) for record in before}:
        raise HnsError(HResult.HCN_E_POLICY_NOT_FOUND)
    others = tuple(record for record in given if _key(record) is None)
    types = {record.type.lower() for record in others}
    kept = (record for record in before if record.type.lower() not in types)
    return tuple(named.get(_key(record), record) for record in kept) + others


def refreshed(before: Records, _given: Records) -> Records:
    """Keep them as they are: there is nothing of a policy that could have been lost."""
    return before


def _same(one: PolicyRecord, other: PolicyRecord) -> bool:
    """Whether two policies are one: by their own names, as typed values, or word for word where unknown."""
    if _key(one) is not None or _key(other) is not None:
        return _key(one) == _key(other)
    if one.typed is not None and other.typed is not None:
        return one.typed == other.typed
    return one.type.lower() == other.type.lower() and dict(one.settings) == dict(other.settings)


def _key(record: PolicyRecord) -> tuple[type, Hashable] | None:
    if record.typed is None or record.typed.key is None:
        return None
    return type(record.typed), record.typed.key
