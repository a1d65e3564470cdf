"""Sets of addresses (SetPolicy) of a network, and the rules of its endpoints that name them.

How they are used: Azure/azure-container-networking npm/pkg/dataplane.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import IPNetwork, Network
from hnsfake.documents.policies import Acl, Policy, SetPolicy, SetType
from hnsfake.documents.policies.acl import Direction
from hnsfake.documents.policies.values import read_networks


def ids(network: Network) -> frozenset[str]:
    """Return the ids of a network's sets."""
    return frozenset(_sets(network))


def check(network: Network) -> None:
    """Refuse a nested set of sets that aren't there: a set can't go before those that have it.

    unverified: the code; the rule is that of NPM's own fake of HNS (Azure/azure-container-networking).
    """
    sets = _sets(network)
    nested = (name for item in sets.values() if item.type is SetType.NESTED_IPSET for name in item.values)
    if not set(nested) <= set(sets):
        raise HnsError(HResult.HCN_E_ENTITY_HAS_REFERENCES)


def spelled_out(policies: Iterable[Policy], network: Network) -> Iterator[Policy]:
    """Iterate over an endpoint's policies, its ACLs with addresses where they name sets.

    A rule whose sets have no address in common is left out: it matches nothing, and an ACL without addresses
    would match everything.
    """
    sets = _sets(network)
    for policy in policies:
        if isinstance(policy, Acl) and policy.names_sets:
            yield from _spelled_out(policy, sets)
        else:
            yield policy


def _spelled_out(acl: Acl, sets: Mapping[str, SetPolicy]) -> Iterator[Acl]:
    """With sets, "local" names the source in both directions; everywhere else it is the endpoint's end."""
    source = _common(acl.local_sets, acl.local_addresses, sets)
    destination = _common(acl.remote_sets, acl.remote_addresses, sets)
    if source is None or destination is None:
        return
    local, remote = (source, destination) if acl.direction is Direction.OUT else (destination, source)
    changes = {"local_addresses": local, "remote_addresses": remote, "local_sets": (), "remote_sets": ()}
    yield acl.model_copy(update=changes)


def _common(
    names: tuple[str, ...], addresses: tuple[IPNetwork, ...], sets: Mapping[str, SetPolicy]
) -> tuple[IPNetwork, ...] | None:
    """Return the addresses that are in all of the sets; None where there is none, () where any will do."""
    if not names:
        return addresses
    members = [frozenset(_members(name, sets)) for name in names]
    common = frozenset.intersection(*members)
    return tuple(sorted(common, key=str)) or None


def _members(name: str, sets: Mapping[str, SetPolicy]) -> Iterator[IPNetwork]:
    """Iterate over the addresses of a set and of those in it, each set once: a caller may nest them in a ring."""
    left, seen = [name], {name}
    while left:
        found = sets.get(left.pop())
        if found is None:
            continue
        if found.type is SetType.IPSET:
            yield from read_networks(found.values)
            continue
        inner = set(found.values) - seen
        seen |= inner
        left.extend(inner)


def _sets(network: Network) -> dict[str, SetPolicy]:
    typed = (record.typed for record in network.policies)
    return {policy.id: policy for policy in typed if isinstance(policy, SetPolicy)}
