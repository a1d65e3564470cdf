"""Checks of an endpoint's policies against its network, its node and its release; what HNS fills in."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from ipaddress import ip_network

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import Network
from hnsfake.documents.policies import Acl, OutboundNat, PortMapping
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.policies.values import split_list
from hnsfake.service import address_sets, claims, policy_support, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def check(facts: NodeFacts, endpoint: Endpoint, network: Network) -> None:
    """Refuse policies that no endpoint of the network can have; raise HnsError."""
    mappings = tuple(_mappings(endpoint))
    if mappings and not network.traits.maps_ports:
        raise HnsError(HResult.HCN_E_MAPPING_NOT_SUPPORTED)  # unverified: on which types; these translate nothing
    for record in endpoint.policies:
        _check_acl(record, network)
        _check_exceptions(facts, record)
    if any(mapping.internal_port == 0 for mapping in mappings):
        raise HnsError(HResult.HCN_E_INVALID_INTERNAL_PORT)


def check_free(tx: Transaction, endpoint: Endpoint) -> None:
    """Refuse ports that are taken; raise HnsError (HCN_E_PORT_ALREADY_EXISTS).

    unverified: that an endpoint's own mappings exclude each other as those of two do.
    """
    ports = [_claim(m, m.external_port) for m in _mappings(endpoint) if m.external_port]
    if len(set(ports)) < len(ports) or any(tx.claimed(port, apart_from=endpoint) for port in ports):
        raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)


def completed(tx: Transaction, facts: NodeFacts, endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that was checked with the ports that HNS chooses; raise HnsError where none is left.

    A mapping may name none (moby/moby daemon/libnetwork).
    """
    policy_support.note_all(facts, endpoint.policies)
    taken = {_claim(m, m.external_port) for m in _mappings(endpoint)}
    records = []
    for record in endpoint.policies:
        mapping = record.typed
        if isinstance(mapping, PortMapping) and mapping.external_port == 0:
            port = _free_port(tx, facts, endpoint, mapping, taken)
            taken.add(_claim(mapping, port))
            records.append(_with_external_port(record, mapping, port))
        else:
            records.append(record)
    return _with_pool(tx, replace(endpoint, policies=tuple(records)))


def _check_acl(record: PolicyRecord, network: Network) -> None:
    """Refuse what is neither an address nor a set of the network: "Any", for one (microsoft/hcsshim#1059)."""
    acl = record.typed
    if not isinstance(acl, Acl) or not acl.names_sets:
        return
    if not {*acl.local_sets, *acl.remote_sets} <= address_sets.ids(network):
        raise HnsError(HResult.HCN_E_INVALID_POLICY)


def _check_exceptions(facts: NodeFacts, record: PolicyRecord) -> None:
    """Refuse OutBoundNAT's exceptions with host bits where the release does (microsoft/hcsshim#1951)."""
    if not isinstance(record.typed, OutboundNat) or not facts.release.canonical_exceptions:
        return
    for prefix in split_list(record.settings.get("Exceptions")):
        try:
            ip_network(prefix)
        except ValueError as error:
            raise HnsError(HResult.HCN_E_INVALID_POLICY) from error


def _mappings(endpoint: Endpoint) -> Iterator[PortMapping]:
    return (record.typed for record in endpoint.policies if isinstance(record.typed, PortMapping))


def _claim(mapping: PortMapping, port: int) -> claims.Claim:
    return claims.mapped_port(mapping.vip, mapping.protocol, port)


def _free_port(
    tx: Transaction, facts: NodeFacts, endpoint: Endpoint, mapping: PortMapping, taken: Container[claims.Claim]
) -> int:
    def free(port: int) -> bool:
        claim = _claim(mapping, port)
        return claim not in taken and not tx.claimed(claim, apart_from=endpoint)

    return pools.mapped_port(free, facts.chooser)


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
