"""Checks of an endpoint's policies against its network, its node and its release; what HNS fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_network

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import Network
from hnsfake.documents.policies import Acl, OutboundNat, Policy, PortMapping
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.policies.values import split_list
from hnsfake.service import address_sets, claims, policy_support, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def completed(tx: Transaction, facts: NodeFacts, endpoint: Endpoint, network: Network) -> Endpoint:
    """Check the policies, fill in what HNS chooses (ports), and return the endpoint with them.

    Raises HnsError: HCN_E_INVALID_POLICY, HCN_E_INVALID_INTERNAL_PORT, HCN_E_PORT_ALREADY_EXISTS.
    """
    policy_support.check(facts, "EndpointPolicy", endpoint.policies)
    for number, record in enumerate(endpoint.policies):
        check = _CHECKS.get(type(record.typed)) if record.typed is not None else None
        if check is not None:
            records = list(endpoint.policies)
            records[number] = check(tx, facts, endpoint, network, record)
            endpoint = replace(endpoint, policies=tuple(records))
    return _with_pool(tx, endpoint)


def _check_acl(
    _tx: Transaction, _facts: NodeFacts, _endpoint: Endpoint, network: Network, record: PolicyRecord
) -> PolicyRecord:
    """Refuse what is neither an address nor a set of the network: "Any", for one (microsoft/hcsshim#1059)."""
    acl = record.typed
    assert isinstance(acl, Acl)
    if acl.names_sets and not {*acl.local_sets, *acl.remote_sets} <= address_sets.ids(network):
        raise HnsError(HResult.HCN_E_INVALID_POLICY)
    return record


def _check_outbound_nat(
    _tx: Transaction, facts: NodeFacts, _endpoint: Endpoint, _network: Network, record: PolicyRecord
) -> PolicyRecord:
    """Refuse exceptions with host bits where the release does (microsoft/hcsshim#1951)."""
    if facts.release.canonical_exceptions:
        for prefix in split_list(record.settings.get("Exceptions")):
            try:
                ip_network(prefix)
            except ValueError as error:
                raise HnsError(HResult.HCN_E_INVALID_POLICY) from error
    return record


def _check_port_mapping(
    tx: Transaction, facts: NodeFacts, endpoint: Endpoint, network: Network, record: PolicyRecord
) -> PolicyRecord:
    """Refuse a port that is taken; choose one where none is named (moby/moby daemon/libnetwork).

    unverified: that an endpoint's own mappings exclude each other as those of two do.
    """
    mapping = record.typed
    assert isinstance(mapping, PortMapping)
    if not network.traits.maps_ports:
        raise HnsError(HResult.HCN_E_MAPPING_NOT_SUPPORTED)  # unverified: on which types; these translate nothing
    if mapping.internal_port == 0:
        raise HnsError(HResult.HCN_E_INVALID_INTERNAL_PORT)
    others = tuple(other for other in endpoint.policies if other is not record)
    own = set(claims.of(replace(endpoint, policies=others)))

    def free(port: int) -> bool:
        claim = claims.mapped_port(mapping.vip, mapping.protocol, port)
        return claim not in own and not tx.claimed(claim, apart_from=endpoint)

    if mapping.external_port == 0:
        return _with_external_port(record, mapping, pools.mapped_port(free, facts.chooser))
    if not free(mapping.external_port):
        raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)
    return record


_CHECKS: Mapping[type[Policy], Callable[[Transaction, NodeFacts, Endpoint, Network, PolicyRecord], PolicyRecord]] = {
    Acl: _check_acl,
    OutboundNat: _check_outbound_nat,
    PortMapping: _check_port_mapping,
}


def _with_external_port(record: PolicyRecord, mapping: PortMapping, port: int) -> PolicyRecord:
    settings = {**record.settings, "ExternalPort": port}
    sent = {**record.sent_v1, "ExternalPort": port} if record.sent_v1 is not None else None
    typed = mapping.model_copy(update={"external_port": port})
    return replace(record, settings=settings, typed=typed, sent_v1=sent)


def _with_pool(tx: Transaction, endpoint: Endpoint) -> Endpoint:
    """Give an endpoint that translates a block of ports, and take it back from one that doesn't."""
    translates = any(isinstance(record.typed, OutboundNat) for record in endpoint.policies)
    if not translates:
        return replace(endpoint, pool=None) if endpoint.pool else endpoint
    if endpoint.pool is not None or endpoint.remote:
        return endpoint
    return replace(endpoint, pool=pools.port_block(lambda first: not tx.claimed(claims.port_block(first))))
