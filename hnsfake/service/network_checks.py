"""Checks of a network as a whole, when it is made and whenever it is changed."""

from __future__ import annotations

from collections.abc import Iterable

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import Network
from hnsfake.documents.policies import Policy
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.switch_extensions import available
from hnsfake.service import address_sets, policy_support, wants
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def check_release(facts: NodeFacts, network: Network) -> None:
    """Refuse policies, the subnets' among them, that the release doesn't have; raise HnsError."""
    policy_support.check(facts, "NetworkPolicy", _policies(network))


def note(facts: NodeFacts, network: Network) -> None:
    """Say once what of a network that is taken has no effect."""
    policy_support.note_all(facts, _policies(network))


def check(network: Network) -> None:
    """Refuse a network that can't be; raise HnsError."""
    if network.traits.name == "Overlay":
        _check_isolation(network)
    address_sets.check(network)
    if not {extension for extension, _ in network.extensions} <= available(network.version):
        raise HnsError(HResult.HCN_E_SWITCH_EXTENSION_NOT_FOUND)


def check_name(tx: Transaction, network_id: str, name: str) -> None:
    """Refuse a name that another network has; raise HnsError."""
    # unverified: whether names are compared with their case.
    others = (other for other in tx.all(Network) if other.id != network_id)
    if name and any(other.name.lower() == name.lower() for other in others):
        raise HnsError(HResult.HCN_E_NETWORK_ALREADY_EXISTS)


def _policies(network: Network) -> list[PolicyRecord]:
    return [*network.policies, *(record for subnet in network.subnets for record in subnet.policies)]


def _check_isolation(network: Network) -> None:
    ids = [wants.isolation_id(_typed(subnet.policies)) for subnet in network.subnets]
    if not ids or (None in ids and wants.isolation_id(_typed(network.policies)) is None):
        raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # unverified: the code for a missing subnet or VSID


def _typed(records: Iterable[PolicyRecord]) -> tuple[Policy, ...]:
    return tuple(record.typed for record in records if record.typed is not None)
