"""The subnets of a network, and the IP subnets in them: checks, what HNS fills in, adding and removing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import IpSubnetSettings, SubnetSettings
from hnsfake.documents.network import (
    DEFAULT_ROUTES,
    IPNetwork,
    IpSubnet,
    Network,
    Subnet,
    SubnetRoute,
)
from hnsfake.documents.translation.subnet import read_ip_subnet, read_subnet
from hnsfake.service import network_checks, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

S = TypeVar("S", Subnet, IpSubnet)


def completed(tx: Transaction, facts: NodeFacts, network: Network) -> Network:
    """Return a new network with its subnets as HNS keeps them; raise HnsError."""
    subnets, taken = network.subnets, _taken(tx, network)
    if network.traits.chooses_prefix:
        if any(subnet.routes and subnet.gateway is None for subnet in subnets):
            # Routes without a default one (microsoft/hcsshim hcn/hcnnetwork_test.go).  # unverified: the code
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)
        # moby sends 0.0.0.0/0 and reads the subnet that HNS chose (moby/moby daemon/libnetwork).
        subnets = tuple(
            subnet if subnet.prefix else replace(subnet, prefix=pools.nat_prefix(taken, facts.chooser))
            for subnet in subnets or (Subnet(None),)
        )
    elif not network.traits.needs_subnets:
        subnets = tuple(subnet for subnet in subnets if subnet.prefix is not None)
    _check(subnets, taken)
    return replace(network, subnets=tuple(map(_complete, subnets)))


def add(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Add subnets (microsoft/SDN Kubernetes/windows/hns.v2.psm1 New-HnsSubnet)."""
    _check_modifiable(facts, network)
    given = tuple(read_subnet(subnet) for subnet in SubnetSettings.read(settings, facts.unknown).Subnets)
    _check(given, [subnet.prefix for subnet in network.subnets if subnet.prefix is not None])
    changed = replace(network, subnets=(*network.subnets, *map(_complete, given)))
    network_checks.check(facts, changed)
    tx.put(changed)


def remove(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Remove subnets, each named by its id or its prefix, that no endpoint has an address of."""
    _check_modifiable(facts, network)
    left = list(network.subnets)
    for subnet in SubnetSettings.read(settings, facts.unknown).Subnets:
        gone = _found(left, guids.read(subnet.ID), read_subnet(subnet).prefix)
        _check_unused(tx, network, gone.prefix)
        left.remove(gone)
    changed = replace(network, subnets=tuple(left))
    network_checks.check(facts, changed)
    tx.put(changed)


def add_ip_subnets(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Add IP subnets to a subnet (hns.v2.psm1 New-HnsIPSubnet)."""
    given = IpSubnetSettings.read(settings, facts.unknown)

    def change(subnet: Subnet) -> Subnet:
        added = tuple(_identified(read_ip_subnet(one)) for one in given.IpSubnets)
        return _with_ip_subnets(subnet, (*subnet.ip_subnets, *added))

    _change_subnet(tx, facts, network, given.SubnetId, change)


def remove_ip_subnets(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Remove IP subnets, each named by its id or its prefix, that no endpoint has an address of."""
    given = IpSubnetSettings.read(settings, facts.unknown)

    def change(subnet: Subnet) -> Subnet:
        left = list(subnet.ip_subnets)
        for one in given.IpSubnets:
            prefix = read_ip_subnet(one).prefix if one.IpAddressPrefix else None
            gone = _found(left, guids.read(one.ID), prefix)
            _check_unused(tx, network, gone.prefix)
            left.remove(gone)
        return replace(subnet, ip_subnets=tuple(left))

    _change_subnet(tx, facts, network, given.SubnetId, change)


def _taken(tx: Transaction, network: Network) -> list[IPNetwork]:
    """Return the prefixes that a new network's may not overlap with: any, where the host is to route it."""
    if not network.traits.chooses_prefix:
        return []
    return [s.prefix for other in tx.all(Network) for s in other.subnets if s.prefix is not None]


def _check(subnets: Iterable[Subnet], taken: list[IPNetwork]) -> None:
    seen = list(taken)
    for subnet in subnets:
        if subnet.prefix is None:
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)
        if subnet.gateway is not None and subnet.gateway not in subnet.prefix:
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # unverified: the code
        if _overlaps(subnet.prefix, seen):
            raise HnsError(HResult.ERROR_DUP_NAME)  # ocroz/wsl2-boot#3
        seen.append(subnet.prefix)


def _overlaps(prefix: IPNetwork, others: Iterable[IPNetwork]) -> bool:
    return any(other.version == prefix.version and other.overlaps(prefix) for other in others)


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
    made = replace(subnet, gateway=gateway, routes=routes, id=subnet.id or guids.new(), ip_subnets=())
    return _with_ip_subnets(made, tuple(map(_identified, subnet.ip_subnets or (IpSubnet(subnet.prefix),))))


def _identified(subnet: IpSubnet) -> IpSubnet:
    return replace(subnet, id=subnet.id or guids.new())


def _with_ip_subnets(subnet: Subnet, parts: tuple[IpSubnet, ...]) -> Subnet:
    """Give a subnet its IP subnets: parts of it that do not overlap.  # unverified: the code."""
    seen: list[IPNetwork] = []
    for part in parts:
        if not _lies_in(part.prefix, subnet.prefix) or _overlaps(part.prefix, seen):
            raise HnsError(HResult.HCN_E_INVALID_IP_SUBNET)
        seen.append(part.prefix)
    return replace(subnet, ip_subnets=parts)


def _lies_in(part: IPNetwork, whole: IPNetwork | None) -> bool:
    return whole is not None and whole.overlaps(part) and whole.prefixlen <= part.prefixlen


def _change_subnet(
    tx: Transaction, facts: NodeFacts, network: Network, subnet_id: str, change: Callable[[Subnet], Subnet]
) -> None:
    _check_modifiable(facts, network)
    changed = _found(network.subnets, guids.read(subnet_id), None)
    subnets = tuple(change(subnet) if subnet is changed else subnet for subnet in network.subnets)
    tx.put(replace(network, subnets=subnets))


def _found(among: Iterable[S], object_id: str | None, prefix: IPNetwork | None) -> S:
    """Find by the id or, where there is none, by the prefix."""
    for one in among:
        if one.id == object_id if object_id else prefix is not None and one.prefix == prefix:
            return one
    raise HnsError(HResult.HCN_E_SUBNET_NOT_FOUND)  # unverified: the code


def _check_modifiable(facts: NodeFacts, network: Network) -> None:
    """Subnets come and go since Windows Server 2022, on L2Bridge, L2Tunnel and Overlay.

    (MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet.)  # unverified: the code elsewhere
    """
    if not facts.release.modifies_subnets or not network.traits.ip_subnets:
        raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)


def _check_unused(tx: Transaction, network: Network, prefix: IPNetwork | None) -> None:
    for endpoint in tx.endpoints_of(network.id):
        if prefix is not None and any(address.ip in prefix for address in endpoint.addresses):
            raise HnsError(HResult.HCN_E_ENTITY_HAS_REFERENCES)  # unverified: that, and the code
