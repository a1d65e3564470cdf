"""What HNS does with load balancers: checks of front end and backends, and their replacement as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.translation.load_balancer import load_balancer_v1, load_balancer_v2, read_load_balancer
from hnsfake.releases import Feature
from hnsfake.service import backends, claims, policy_support, wants
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = LoadBalancer
not_found = HResult.ERROR_NOT_FOUND  # unverified: v2's code; v1's text for policy lists is "Element not found."
_DESTINATIONS = "Unable to initialize VFP LB rule: invalid number of destinations."


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a load balancer from its document; return its id.

    hcsshim deletes one and makes it again under the id it had when endpoints are added (hcn/hcnloadbalancer.go).
    """
    asked = read_load_balancer(document, facts.unknown)
    made = replace(
        _checked(tx, facts, asked),
        id=object_id or asked.id or guids.new(),
        activity_id=guids.new(),
        version=facts.release.object_version,
        created=facts.now(),
    )
    if tx.find(LoadBalancer, made.id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # as for networks
    _check_front_end(tx, made)
    tx.put(made)
    if not wants.is_balanced(tx.network(made.network_id)):
        policy_support.note(facts, LoadBalancer)
    return made.id


def replace_with(tx: Transaction, facts: NodeFacts, balancer: LoadBalancer, document: Mapping[str, Any]) -> None:
    """Carry out HcnModifyLoadBalancer: the new document takes the place of the old one, id and all else stay."""
    asked = _checked(tx, facts, read_load_balancer(document, facts.unknown))
    kept = ("id", "version", "activity_id", "created")
    changed = replace(asked, **{name: getattr(balancer, name) for name in kept})
    _check_front_end(tx, changed)
    tx.put(changed)


def delete(tx: Transaction, balancer: LoadBalancer) -> None:
    """Remove a load balancer."""
    tx.drop(balancer)


def show_v1(_tx: Transaction, balancer: LoadBalancer) -> dict[str, Any]:
    """Return the load balancer's v1 document, a policy list."""
    return load_balancer_v1(balancer)


def show_v2(_tx: Transaction, balancer: LoadBalancer, _detailed: bool) -> dict[str, Any]:
    """Return the load balancer's v2 document."""
    return load_balancer_v2(balancer)


def _checked(tx: Transaction, facts: NodeFacts, balancer: LoadBalancer) -> LoadBalancer:
    """Check what is asked for by itself; return the load balancer as HNS keeps it."""
    balancer = replace(balancer, network_id=backends.network_of(tx, balancer.endpoints))
    if not balancer.port_mappings:
        # unverified: the code; that HNS never keeps one without ports follows from kube-proxy reading the first.
        raise HnsError(HResult.HCN_E_INVALID_POLICY)
    if len(balancer.endpoints) > facts.release.max_destinations:
        raise HnsError(HResult.E_INVALIDARG, _DESTINATIONS)  # kubernetes/kubernetes#98680
    return balancer if facts.release.supports(Feature.SESSION_AFFINITY) else _without_affinity(balancer)


def _without_affinity(balancer: LoadBalancer) -> LoadBalancer:
    """Drop what came with HNS 12.  # unverified: an older HNS doesn't know the field, so it can't refuse it."""
    return replace(balancer, port_mappings=tuple(replace(m, distribution=0) for m in balancer.port_mappings))


def _check_front_end(tx: Transaction, balancer: LoadBalancer) -> None:
    """Refuse a front end that another load balancer has, or a node port that an endpoint's PortMapping has."""
    own = (claim for claim in claims.of(balancer) if not claims.is_shared(claim))
    taken = [claim for claim in own if tx.claimed(claim, apart_from=balancer)]
    if any(claims.is_front_end(claim) for claim in taken):
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # kubernetes/kubernetes#139519
    if taken:
        raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)  # kubernetes/community#8883
