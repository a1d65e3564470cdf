"""Which adapter an external network lies on, and what it shares with the others there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hnsfake.dataplane.interface import HostAdapter, vnic_alias
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import Network
from hnsfake.documents.policies import NetAdapterName, ProviderAddress
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction


def placed(tx: Transaction, facts: NodeFacts, network: Network) -> Network:
    """Put a network on its adapter; the first one there makes the layer and the switch of all.

    Raises HnsError: HCN_E_ADAPTER_NOT_FOUND, E_INVALIDARG.
    """
    adapter = _adapter(tx, facts, network)
    layer = next(iter(_on(tx, adapter)), network)
    ipv4 = [interface.ip for interface in adapter.addresses if interface.version == 4]
    address = network.management_ip or (str(ipv4[0]) if ipv4 else "")
    return replace(
        network,
        layer_adapter=adapter.name,
        management_ip=address,
        provider_address=address.split("/")[0] if network.traits.name == "Overlay" else "",
        layer_id=layer.layer_id,
        switch_id=layer.switch_id,
        extensions=layer.extensions,
    )


def _adapter(tx: Transaction, facts: NodeFacts, network: Network) -> HostAdapter:
    """Choose by name, by address (Azure sends a ProviderAddress), or the adapter of the default route."""
    typed = [record.typed for record in network.policies]
    chosen = next((p.adapter for p in typed if isinstance(p, NetAdapterName)), network.adapter)
    address = next((p.provider_address for p in typed if isinstance(p, ProviderAddress)), None)
    if chosen in _virtual_adapters(tx):
        raise HnsError(HResult.E_INVALIDARG)  # docker/for-win#4581
    for adapter in facts.adapters():
        if chosen and adapter.name != chosen:
            continue
        if not chosen and address is not None and address not in [i.ip for i in adapter.addresses]:
            continue
        if _has_room(network, _on(tx, adapter)):
            return adapter
    raise HnsError(HResult.HCN_E_ADAPTER_NOT_FOUND)


def _has_room(network: Network, others: Iterable[Network]) -> bool:
    """Whether a network can lie on an adapter beside the others on it.

    L2Bridge, L2Tunnel and Overlay share a switch (its VFP keeps them apart); a Transparent network needs an adapter
    of its own, and HNS finds none where the only one is taken (microsoft/SDN#300).  # unverified: that the code is
    the same where the adapter was named
    """
    return all(network.traits.shares_adapter and other.traits.shares_adapter for other in others)


def _on(tx: Transaction, adapter: HostAdapter) -> Iterable[Network]:
    return (other for other in tx.all(Network) if other.layer_adapter == adapter.name)


def _virtual_adapters(tx: Transaction) -> set[str]:
    """Return the names of the host's vNICs, which no switch can be made on."""
    return {vnic_alias(other.layer_adapter or other.name) for other in tx.all(Network)}
