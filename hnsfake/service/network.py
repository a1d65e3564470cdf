"""What HNS does with networks: checks, what it fills in, policies added and removed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from hnsfake.dataplane.interface import Driver, HostAdapter
from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.macs import to_text
from hnsfake.documents.modify import ModifyRequest
from hnsfake.documents.network import (
    DEFAULT_ROUTES,
    POLICIES,
    IPNetwork,
    Network,
    NetworkV1,
    Subnet,
    SubnetRoute,
    read_network,
)
from hnsfake.documents.policies import (
    DrMacAddress,
    NetAdapterName,
    ProviderAddress,
    RemoteSubnetRoute,
    Vlan,
)
from hnsfake.documents.policies.record import PolicyRecord, read_v2
from hnsfake.documents.shown.form import is_new
from hnsfake.documents.shown.network import network_v1, network_v2
from hnsfake.service import address_sets, policies, policy_support, pools, wants
from hnsfake.service import endpoint as endpoints
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = Network
not_found = HResult.HCN_E_NETWORK_NOT_FOUND
_NON_PERSISTENT = 8
_EXTERNAL = (Driver.L2BRIDGE, Driver.OVERLAY)


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make a network from its document; return its id."""
    asked = read_network(document, facts.unknown)
    driver = wants.DRIVERS.get(asked.type.lower())
    if driver is None:
        raise HnsError(HResult.HCN_E_INVALID_NETWORK_TYPE)
    network_id = object_id or asked.id or guids.new()
    _check_unique(tx, network_id, asked.name)
    network = _identified(asked, network_id, facts)
    network = _with_subnets(tx, facts, network, driver)
    network = _with_adapter(tx, facts, network, driver) if driver in _EXTERNAL else network
    network = _with_distributed_router(facts, network) if driver is Driver.OVERLAY else network
    _check_policies(facts, network, driver)
    network = _with_isolation(tx, network) if driver is Driver.NAT and is_new(network.version) else network
    tx.put(network)
    return network.id


def modify(tx: Transaction, facts: NodeFacts, network: Network, request: ModifyRequest) -> None:
    """Carry out HcnModifyNetwork (microsoft/hcsshim hcn/hcnnetwork.go)."""
    if request.ResourceType != "Policy":
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)
    given = policies.read_request(request, facts.unknown, lambda p: read_v2(p.Type, p.Settings, POLICIES))
    after = policies.modified(network.policies, request.RequestType, given)
    if request.RequestType == "Add":
        _check_new_routes(network, given)
    changed = replace(network, policies=after)
    _check_policies(facts, changed, wants.driver_of(network))
    tx.put(changed)


def update_v1(tx: Transaction, facts: NodeFacts, network: Network, document: Mapping[str, Any]) -> None:
    """Carry out POST /networks/{id}: a partial document; what it doesn't name stays.

    Antrea switches an extension on with nothing but ``Extensions`` (antrea-io/antrea pkg/agent).
    """
    NetworkV1.read(document, facts.unknown)
    given = read_network(document, facts.unknown)
    names = {key.lower() for key in document}
    changes: dict[str, Any] = {}
    if given.name:
        _check_name(tx, network.id, given.name)
        changes["name"] = given.name
    if "policies" in names:
        changes["policies"] = given.policies
    if names & {"dnssuffix", "dnsserverlist"}:
        changes["dns"] = given.dns
    changed = replace(network, **changes)
    _check_policies(facts, changed, wants.driver_of(network))
    tx.put(changed)


def delete(tx: Transaction, network: Network) -> None:
    """Remove a network and, as HNS does, the endpoints on it (microsoft/hcsshim hcn/hnsv1_test.go)."""
    for endpoint in tx.endpoints_of(network.id):
        endpoints.delete(tx, endpoint)
    tx.drop(network)


def show_v1(tx: Transaction, network: Network) -> dict[str, Any]:
    """Return the network's v1 document."""
    count = len(tx.endpoints_of(network.id))
    return network_v1(network, wants.driver_of(network).value, count, count)


def show_v2(_tx: Transaction, network: Network, detailed: bool) -> dict[str, Any]:
    """Return the network's v2 document."""
    return network_v2(network, detailed)


def _check_unique(tx: Transaction, network_id: str, name: str) -> None:
    if tx.find(Network, network_id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # jgregmac/hyperv-fix-for-devs#13
    _check_name(tx, network_id, name)


def _check_name(tx: Transaction, network_id: str, name: str) -> None:
    # unverified: whether names are compared with their case.
    others = (other for other in tx.all(Network) if other.id != network_id)
    if name and any(other.name.lower() == name.lower() for other in others):
        raise HnsError(HResult.HCN_E_NETWORK_ALREADY_EXISTS)


def _identified(asked: Network, network_id: str, facts: NodeFacts) -> Network:
    return replace(
        asked,
        id=network_id,
        name=asked.name or network_id,  # unverified: what HNS calls a network that was given no name
        mac_ranges=asked.mac_ranges or (pools.mac_block(facts.chooser),),
        switch_id=guids.new(),
        layer_id=guids.new(),
        activity_id=guids.new(),
        version=facts.release.object_version,
        created=facts.now(),
    )


def _with_subnets(tx: Transaction, facts: NodeFacts, network: Network, driver: Driver) -> Network:
    taken = [s.prefix for other in tx.all(Network) for s in other.subnets if s.prefix is not None]
    subnets = network.subnets
    if driver is Driver.NAT:
        if any(subnet.routes and subnet.gateway is None for subnet in subnets):
            # Routes without a default one (microsoft/hcsshim hcn/hcnnetwork_test.go).  # unverified: the code
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)
        # moby sends 0.0.0.0/0 and reads the subnet that HNS chose (moby/moby daemon/libnetwork).
        subnets = tuple(
            subnet if subnet.prefix else replace(subnet, prefix=pools.nat_prefix(taken, facts.chooser))
            for subnet in subnets or (Subnet(None),)
        )
    _check_subnets(subnets, taken if driver is Driver.NAT else [])
    return replace(network, subnets=tuple(_complete(subnet) for subnet in subnets))


def _check_subnets(subnets: tuple[Subnet, ...], taken: list[IPNetwork]) -> None:
    seen = list(taken)
    for subnet in subnets:
        if subnet.prefix is None:
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)
        if subnet.gateway is not None and subnet.gateway not in subnet.prefix:
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # unverified: the code
        if any(p.version == subnet.prefix.version and p.overlaps(subnet.prefix) for p in seen):
            raise HnsError(HResult.ERROR_DUP_NAME)  # ocroz/wsl2-boot#3
        seen.append(subnet.prefix)


def _complete(subnet: Subnet) -> Subnet:
    assert subnet.prefix is not None
    gateway = subnet.gateway
    if gateway is None and subnet.prefix.num_addresses > 2:
        gateway = subnet.prefix[1]
    routes = subnet.routes
    if gateway is not None:
        default = SubnetRoute(str(gateway), DEFAULT_ROUTES[gateway.version == 6])
        kept = tuple(route for route in routes if route.destination not in DEFAULT_ROUTES)
        routes = routes if subnet.gateway is not None and routes else (default, *kept)
    return replace(subnet, gateway=gateway, routes=routes, id=guids.new(), ip_subnet_id=guids.new())


def _with_adapter(tx: Transaction, facts: NodeFacts, network: Network, driver: Driver) -> Network:
    adapter = _adapter(facts, network)
    layers = [o for o in tx.all(Network) if o.layer_adapter == adapter.name and wants.driver_of(o) in _EXTERNAL]
    switch = layers[0] if layers else network
    ipv4 = [interface.ip for interface in adapter.addresses if interface.version == 4]
    address = network.management_ip or (str(ipv4[0]) if ipv4 else "")
    return replace(
        network,
        layer_adapter=adapter.name,
        management_ip=address,
        provider_address=address.split("/")[0] if driver is Driver.OVERLAY else "",
        layer_id=switch.layer_id,
        switch_id=switch.switch_id,
    )


def _adapter(facts: NodeFacts, network: Network) -> HostAdapter:
    """Choose by name, by address (Azure sends a ProviderAddress), or the adapter of the default route."""
    adapters = facts.adapters()
    typed = [record.typed for record in network.policies]
    chosen = next((p.adapter for p in typed if isinstance(p, NetAdapterName)), network.adapter)
    address = next((p.provider_address for p in typed if isinstance(p, ProviderAddress)), None)
    for adapter in adapters:
        if chosen and adapter.name != chosen:
            continue
        if not chosen and address is not None and address not in [i.ip for i in adapter.addresses]:
            continue
        return adapter
    raise HnsError(HResult.HCN_E_ADAPTER_NOT_FOUND)


def _with_distributed_router(facts: NodeFacts, network: Network) -> Network:
    given = next((p.typed.address for p in network.policies if isinstance(p.typed, DrMacAddress)), None)
    mac = given or to_text(facts.chooser.randint(*pools.mac_block(facts.chooser)))
    return replace(network, dr_mac=mac)


def _with_isolation(tx: Transaction, network: Network) -> Network:
    """Give a NAT network what HNS 13 and later gives it: flag 8, and a VLAN of its own on the NAT switch."""
    taken = {
        record.typed.isolation_id
        for other in tx.all(Network)
        for record in other.policies
        if isinstance(record.typed, Vlan)
    }
    vlan = next(number for number in itertools.count(1) if number not in taken)
    settings = {"IsolationId": vlan}
    policy = PolicyRecord(Vlan.v2_type, settings, Vlan.from_v2(settings))
    return replace(network, flags=network.flags | _NON_PERSISTENT, policies=(*network.policies, policy))


def _check_policies(facts: NodeFacts, network: Network, driver: Driver) -> None:
    if driver is Driver.OVERLAY:
        want = wants.network(network)
        if not want.subnets or any(subnet.isolation_id is None for subnet in want.subnets):
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # unverified: the code for a missing subnet or VSID
    of_subnets = [record for subnet in network.subnets for record in subnet.policies]
    policy_support.check(facts, "NetworkPolicy", [*network.policies, *of_subnets])
    address_sets.check(network)


def _check_new_routes(network: Network, given: tuple[PolicyRecord, ...]) -> None:
    known = {_route_key(record) for record in network.policies} - {None}
    if any(_route_key(record) in known for record in given):
        raise HnsError(HResult.HCN_E_POLICY_ALREADY_EXISTS)  # unverified: clients remove before they add


def _route_key(record: PolicyRecord) -> tuple[IPNetwork, int] | None:
    route = record.typed
    if not isinstance(route, RemoteSubnetRoute):
        return None
    return ip_network(route.destination_prefix), route.isolation_id
