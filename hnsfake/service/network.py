"""What HNS does with networks: checks, and what it fills in."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.macs import to_text
from hnsfake.documents.network import Network, NetworkFlags
from hnsfake.documents.network_types import TYPES
from hnsfake.documents.policies import DrMacAddress, Vlan
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.documents.translation.form import is_new
from hnsfake.documents.translation.network import network_v1, network_v2, read_network
from hnsfake.service import endpoint as endpoints
from hnsfake.service import network_adapter, network_checks, policy_support, pools, subnets
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = Network
not_found = HResult.HCN_E_NETWORK_NOT_FOUND


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a network from its document; return its id."""
    asked = replace(read_network(document, facts.unknown), version=facts.release.object_version)
    if asked.type.lower() not in TYPES:
        raise HnsError(HResult.HCN_E_INVALID_NETWORK_TYPE)
    network_checks.check_release(facts, asked)
    subnets.check(asked)
    network_checks.check(asked)
    network_id = object_id or asked.id or guids.new()
    _check_free(tx, network_id, asked)
    network = _identified(asked, network_id, facts)
    network = subnets.completed(tx, facts, network)
    network = network_adapter.placed(tx, facts, network) if network.traits.external else network
    network = _with_gateways(facts, network)
    network = _with_nat(tx, network) if network.traits.nat_name else network
    network_checks.note(facts, asked)
    policy_support.note(facts, network.traits.name)
    tx.put(network)
    return network.id


def delete(tx: Transaction, network: Network) -> None:
    """Remove a network and, as HNS does, the endpoints on it (microsoft/hcsshim hcn/hnsv1_test.go)."""
    for endpoint in tx.endpoints_of(network.id):
        endpoints.delete(tx, endpoint)
    tx.drop(network)


def show_v1(tx: Transaction, network: Network) -> dict[str, Any]:
    """Return the network's v1 document."""
    count = len(tx.endpoints_of(network.id))
    return network_v1(network, count, count)


def show_v2(_tx: Transaction, network: Network, detailed: bool) -> dict[str, Any]:
    """Return the network's v2 document."""
    return network_v2(network, detailed)


def _check_free(tx: Transaction, network_id: str, asked: Network) -> None:
    """Refuse what another network has: id, name, addresses."""
    if tx.find(Network, network_id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # jgregmac/hyperv-fix-for-devs#13
    network_checks.check_name(tx, network_id, asked.name)
    subnets.check_free(tx, asked)


def _identified(asked: Network, network_id: str, facts: NodeFacts) -> Network:
    return replace(
        asked,
        id=network_id,
        name=asked.name or network_id,  # unverified: what HNS calls a network that was given no name
        mac_ranges=asked.mac_ranges or (pools.mac_block(facts.chooser),),
        switch_id=network_id,  # rancher/rke2#3925, microsoft/WSL#6457
        layer_id=guids.new(),
        activity_id=guids.new(),
        version=facts.release.object_version,
        created=facts.now(),
    )


def _with_gateways(facts: NodeFacts, network: Network) -> Network:
    """Choose the MACs of what HNS itself puts on the network: a distributed router, or ICS's host vNIC."""
    mac = to_text(facts.chooser.randint(*pools.mac_block(facts.chooser)))
    if network.traits.name == "ICS":
        return replace(network, gateway_mac=mac)  # microsoft/WSL#6457
    if network.traits.name == "Overlay":
        given = next((p.typed.address for p in network.policies if isinstance(p.typed, DrMacAddress)), None)
        return replace(network, dr_mac=given or mac)
    return network


def _with_nat(tx: Transaction, network: Network) -> Network:
    """Name the NAT instance, and give what HNS 13 and later gives: flag 8, and NAT networks a VLAN of their own.

    The other flags of ICS are the caller's: 1 EnableDns, 2 EnableDhcp (microsoft/SDN Kubernetes/windows/hns.v2.psm1);
    the "Default Switch" shows 3 on HNS 9 and 11 later (canonical/multipass#1833, microsoft/WSL#6457). Before, NAT is
    ICS's too, and is called so (moby/moby#40128).
    """
    service = network.traits.nat_name if is_new(network.version) else "ICS"
    network = replace(network, nat_name=f"{service}{guids.new()}")
    if not is_new(network.version):
        return network
    network = replace(network, flags=network.flags | NetworkFlags.NON_PERSISTENT.value)
    return _with_vlan(tx, network) if network.traits.name == "NAT" else network


def _with_vlan(tx: Transaction, network: Network) -> Network:
    taken = {
        record.typed.isolation_id
        for other in tx.all(Network)
        for record in other.policies
        if isinstance(record.typed, Vlan)
    }
    vlan = next(number for number in itertools.count(1) if number not in taken)
    settings = {"IsolationId": vlan}
    policy = PolicyRecord(Vlan.v2_type, settings, Vlan.from_v2(settings))
    return replace(network, policies=(*network.policies, policy))
