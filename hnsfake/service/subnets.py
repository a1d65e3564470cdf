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
    SubnetV2,
)
from hnsfake.documents.translation.subnet import read_ip_subnet, read_subnet
from hnsfake.service import network_checks, policy_support, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

S = TypeVar("S", Subnet, IpSubnet)


def check(network: Network) -> None:
    """Refuse subnets that no network of the type can have; raise HnsError (HCN_E_INVALID_NETWORK).

    The code is published for a NAT network (microsoft/containers-toolkit#24).  # unverified: for which faults
    """
    if network.traits.chooses_prefix and any(subnet.routes and subnet.gateway is None for subnet in network.subnets):
        raise HnsError(HResult.HCN_E_INVALID_NETWORK)  # routes without a default one (hcn/hcnnetwork_test.go)
    must_name = network.traits.needs_subnets and not network.traits.chooses_prefix
    for subnet in network.subnets:
        if _is_invalid(subnet, must_name):
            raise HnsError(HResult.HCN_E_INVALID_NETWORK)
        _check_ip_subnets(subnet.prefix, subnet.ip_subnets)


def check_free(tx: Transaction, network: Network) -> None:
    """Refuse subnets that overlap with each other or with another network's; raise HnsError (ERROR_DUP_NAME)."""
    _check_apart(network.subnets, _taken(tx, network))


def completed(tx: Transaction, facts: NodeFacts, network: Network) -> Network:
    """Return a network that was checked with its subnets as HNS keeps them; raise HnsError where none is left."""
    subnets = network.subnets
    if network.traits.chooses_prefix:
        # moby sends 0.0.0.0/0 and reads the subnet that HNS chose (moby/moby daemon/libnetwork).
        taken = [*_taken(tx, network), *(subnet.prefix for subnet in subnets if subnet.prefix is not None)]
        subnets = tuple(_with_prefix(subnet, taken, facts) for subnet in subnets or (Subnet(None),))
    elif not network.traits.needs_subnets:
        subnets = tuple(subnet for subnet in subnets if subnet.prefix is not None)
    return replace(network, subnets=tuple(map(_complete, subnets)))


def add(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Add subnets (microsoft/SDN Kubernetes/windows/hns.v2.psm1 New-HnsSubnet)."""
    _check_modifiable(facts, network)
    given = tuple(_read(subnet) for subnet in SubnetSettings.read(settings, facts.unknown).Subnets)
    policy_support.check(facts, "NetworkPolicy", [record for subnet in given for record in subnet.policies])
    if any(_is_invalid(subnet, must_name=True) for subnet in given):
        raise HnsError(HResult.HCN_E_INVALID_SUBNET)  # unverified: the code, by its text
    for subnet in given:
        _check_ip_subnets(subnet.prefix, subnet.ip_subnets)
    changed = replace(network, subnets=(*network.subnets, *map(_complete, given)))
    network_checks.check(changed)
    _check_apart(given, [subnet.prefix for subnet in network.subnets if subnet.prefix is not None])
    tx.put(changed)


def remove(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Remove subnets, each named by its id or its prefix, that no endpoint has an address of."""
    _check_modifiable(facts, network)
    left = list(network.subnets)
    for subnet in SubnetSettings.read(settings, facts.unknown).Subnets:
        gone = _found(left, guids.read(subnet.ID), _read(subnet).prefix)
        _check_unused(tx, network, gone.prefix)
        left.remove(gone)
    changed = replace(network, subnets=tuple(left))
    network_checks.check(changed)
    tx.put(changed)


def add_ip_subnets(tx: Transaction, facts: NodeFacts, network: Network, settings: dict[str, Any]) -> None:
    """Add IP subnets to a subnet (hns.v2.psm1 New-HnsIPSubnet)."""
    given = IpSubnetSettings.read(settings, facts.unknown)

    def change(subnet: Subnet) -> Subnet:
        added = tuple(_identified(read_ip_subnet(one)) for one in given.IpSubnets)
        parts = (*subnet.ip_subnets, *added)
        _check_ip_subnets(subnet.prefix, parts)
        return replace(subnet, ip_subnets=parts)

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


def _read(subnet: SubnetV2) -> Subnet:
    """Read a subnet that is the object of a request itself; raise HnsError."""
    try:
        return read_subnet(subnet)
    except HnsError as error:
        if error.hresult is HResult.HCN_E_INVALID_NETWORK:
            raise HnsError(HResult.HCN_E_INVALID_SUBNET) from error  # unverified: the code, by its text
        raise


def _taken(tx: Transaction, network: Network) -> list[IPNetwork]:
    """Return the prefixes that a new network's may not overlap with: any, where the host is to route it."""
    if not network.traits.chooses_prefix:
        return []
    return [s.prefix for other in tx.all(Network) for s in other.subnets if s.prefix is not None]


def _is_invalid(subnet: Subnet, must_name: bool) -> bool:
    """Whether a subnet lacks a prefix that it must name, or its gateway lies elsewhere."""
    if subnet.prefix is None:
        return must_name
    return subnet.gateway is not None and subnet.gateway not in subnet.prefix


def _check_apart(subnets: Iterable[Subnet], taken: list[IPNetwork]) -> None:
    seen = list(taken)
    for subnet in subnets:
        if subnet.prefix is not None:
            if _overlaps(subnet.prefix, seen):
                raise HnsError(HResult.ERROR_DUP_NAME)  # ocroz/wsl2-boot#3
            seen.append(subnet.prefix)


def _with_prefix(subnet: Subnet, taken: list[IPNetwork], facts: NodeFacts) -> Subnet:
    if subnet.prefix is not None:
        return subnet
    prefix = pools.nat_prefix(taken, facts.chooser)
    taken.append(prefix)
    return replace(subnet, prefix=prefix)


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
    parts = tuple(map(_identified, subnet.ip_subnets or (IpSubnet(subnet.prefix),)))
    return replace(subnet, gateway=gateway, routes=routes, id=subnet.id or guids.new(), ip_subnets=parts)


def _identified(subnet: IpSubnet) -> IpSubnet:
    return replace(subnet, id=subnet.id or guids.new())


def _check_ip_subnets(whole: IPNetwork | None, parts: Iterable[IpSubnet]) -> None:
    """Refuse IP subnets that aren't parts of their subnet, or overlap.  # unverified: the code."""
    seen: list[IPNetwork] = []
    for part in parts:
        if not _lies_in(part.prefix, whole) or _overlaps(part.prefix, seen):
            raise HnsError(HResult.HCN_E_INVALID_IP_SUBNET)
        seen.append(part.prefix)


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
