"""Checks of a network as a whole, when it is made and whenever it is changed."""

from __future__ import annotations

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import Network
from hnsfake.documents.switch_extensions import EXTENSIONS
from hnsfake.service import address_sets, policy_support, wants
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def check(facts: NodeFacts, network: Network) -> None:
    """Refuse a network that can't be; raise HnsError."""
    if network.traits.name == "Overlay":
        _check_isolation(network)
    of_subnets = [record for subnet in network.subnets for record in subnet.policies]
    policy_support.check(facts, "NetworkPolicy", [*network.policies, *of_subnets])
    address_sets.check(network)
    if not {extension for extension, _ in network.extensions} <= EXTENSIONS:
        raise HnsError(HResult.HCN_E_SWITCH_EXTENSION_NOT_FOUND)


def check_name(tx: Transaction, network_id: str, name: str) -> None:
    """Refuse a name that another network has; raise HnsError."""
    # unverified: whether names are compared with their case.
    others = (other for other in tx.all(Network) if other.id != network_id)
    if name and any(other.name.lower() == name.lower() for other in others):
        raise HnsError(HResult.HCN_E_NETWORK_ALREADY_EXISTS)


def _check_isolation(network: Network) -> None:
    want = wants.network(network)
    if not want.subnets or any(subnet.isolation_id is None for subnet in want.subnets):
        raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # unverified: the code for a missing subnet or VSID
