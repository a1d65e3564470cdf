"""Checks of an endpoint's policies against its network, its node and its release; what HNS fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_network

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import IPAddress, Network
from hnsfake.documents.policies import OutboundNat, Policy, PortMapping
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.service import pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

MappedPort = tuple[IPAddress | None, int, int]  # VIP, protocol, external port


def completed(tx: Transaction, facts: NodeFacts, endpoint: Endpoint, network: Network) -> Endpoint:
    """Check the policies, fill in what HNS chooses (ports), and return the endpoint with them.

    Raises HnsError: HCN_E_INVALID_POLICY, HCN_E_INVALID_INTERNAL_PORT, HCN_E_PORT_ALREADY_EXISTS.
    """
    records = []
    for record in endpoint.policies:
        check = _CHECKS.get(type(record.typed)) if record.typed is not None else None
        records.append(check(tx, facts, endpoint, network, record) if check else record)
    return _with_pool(tx, replace(endpoint, policies=tuple(records)))


def _check_outbound_nat(
    _tx: Transaction, facts: NodeFacts, _endpoint: Endpoint, _network: Network, record: PolicyRecord
) -> PolicyRecord:
    """Refuse exceptions with host bits where the release does (microsoft/hcsshim#1951)."""
    if facts.release.canonical_exceptions:
        for prefix in record.settings.get("Exceptions") or ():
            try:
                ip_network(prefix)
            except ValueError as error:
                raise HnsError(HResult.HCN_E_INVALID_POLICY) from error
    return record


def _check_port_mapping(
    tx: Transaction, facts: NodeFacts, endpoint: Endpoint, _network: Network, record: PolicyRecord
) -> PolicyRecord:
    """Refuse a port that is taken; choose one where none is named (moby/moby daemon/libnetwork)."""
    mapping = record.typed
    assert isinstance(mapping, PortMapping)
    if mapping.internal_port == 0:
        raise HnsError(HResult.HCN_E_INVALID_INTERNAL_PORT)
    taken = _mapped_ports(tx, endpoint)
    if mapping.external_port == 0:
        used = {port for vip, protocol, port in taken if protocol == mapping.protocol}
        return _with_external_port(record, mapping, pools.mapped_port(used, facts.chooser))
    if (mapping.vip, mapping.protocol, mapping.external_port) in taken:
        raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)
    return record


_CHECKS: Mapping[type[Policy], Callable[[Transaction, NodeFacts, Endpoint, Network, PolicyRecord], PolicyRecord]] = {
    OutboundNat: _check_outbound_nat,
    PortMapping: _check_port_mapping,
}


def _mapped_ports(tx: Transaction, except_for: Endpoint) -> set[MappedPort]:
    """All external ports in use on the node but for those of one endpoint."""
    return {
        (mapping.vip, mapping.protocol, mapping.external_port)
        for other in tx.all(Endpoint)
        if other.id != except_for.id
        for mapping in (record.typed for record in other.policies)
        if isinstance(mapping, PortMapping)
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
    taken = {other.pool[0] for other in tx.all(Endpoint) if other.pool is not None}
    return replace(endpoint, pool=pools.port_block(taken))
