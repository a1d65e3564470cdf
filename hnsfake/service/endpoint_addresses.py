"""The addresses and routes of an endpoint: checks against its network, and what HNS chooses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hnsfake.documents.endpoint import Address, Endpoint, EndpointRoute
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import DEFAULT_ROUTES, IPAddress, IpSubnet, Network, Subnet
from hnsfake.releases import Feature
from hnsfake.service import claims, policy_support, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

_DO_NOT_RESERVE_GATEWAY = 1  # subnet flag, HNS 15 and later (microsoft/hcsshim hcn/hcnnetwork.go)


def check(facts: NodeFacts, endpoint: Endpoint, network: Network) -> None:
    """Refuse addresses that the network can't give any endpoint; raise HnsError."""
    if endpoint.remote:
        if not endpoint.addresses:
            raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
        return
    if not network.subnets:
        if network.traits.needs_subnets or endpoint.addresses:
            raise HnsError(HResult.HCN_E_SUBNET_NOT_FOUND)
        return
    for one in endpoint.ip_subnet_ids:
        _ip_subnet(network, one)
    for address in endpoint.addresses:
        _check_address(address, network, facts)


def check_free(tx: Transaction, endpoint: Endpoint, network: Network) -> None:
    """Refuse addresses that another endpoint has, or that are named twice; raise HnsError."""
    if endpoint.remote:
        return
    ips = [address.ip for address in endpoint.addresses]
    if len(set(ips)) < len(ips) or any(tx.claimed(claims.address(network.id, ip)) for ip in ips):
        raise HnsError(HResult.HCN_E_ADDR_INVALID_OR_RESERVED)


def completed(tx: Transaction, facts: NodeFacts, endpoint: Endpoint, network: Network) -> Endpoint:
    """Return an endpoint that was checked with its addresses and routes; raise HnsError where there is none left."""
    if endpoint.remote:
        return replace(endpoint, addresses=tuple(_with_length(address, network) for address in endpoint.addresses))
    if not network.subnets:
        # It asks DHCP itself, or has an address that HNS never hears of.
        policy_support.note(facts, policy_support.DHCP)
        return replace(endpoint, routes=tuple(route for route in endpoint.routes if route.next_hop))
    if endpoint.addresses:
        addresses = tuple(_with_length(address, network) for address in endpoint.addresses)
    else:
        parts = [_ip_subnet(network, one) for one in endpoint.ip_subnet_ids] or [network.subnets[0].ip_subnets]
        addresses = tuple(_chosen(part, tx, network, facts) for part in parts)
    return replace(endpoint, addresses=addresses, routes=_routes(endpoint, addresses, network))


def _check_address(address: Address, network: Network, facts: NodeFacts) -> None:
    subnet = _subnet_of(address.ip, network)
    if subnet is None or subnet.prefix is None:
        if all(s.prefix is None or s.prefix.version != address.ip.version for s in network.subnets):
            raise HnsError(HResult.HCN_E_SUBNET_NOT_FOUND)
        raise HnsError(HResult.HCN_E_ADDR_INVALID_OR_RESERVED)
    longer = address.prefix_length is not None and address.prefix_length > subnet.prefix.prefixlen
    if longer and not facts.release.supports(Feature.SLASH_32):
        raise HnsError(HResult.HCN_E_INVALID_ENDPOINT)
    part = subnet.ip_subnet_of(address.ip)
    if part is None:
        raise HnsError(HResult.HCN_E_INVALID_IP)  # unverified: the code, by its text
    reserved = address.ip == subnet.gateway and not subnet.flags & _DO_NOT_RESERVE_GATEWAY
    if reserved or not pools.is_host_address(address.ip, part):
        raise HnsError(HResult.HCN_E_ADDR_INVALID_OR_RESERVED)


def _ip_subnet(network: Network, ip_subnet_id: str) -> tuple[IpSubnet, ...]:
    found = tuple(part for subnet in network.subnets for part in subnet.ip_subnets if part.id == ip_subnet_id)
    if not found:
        raise HnsError(HResult.HCN_E_INVALID_IP_SUBNET)  # unverified: the code
    return found


def _chosen(parts: Iterable[IpSubnet], tx: Transaction, network: Network, facts: NodeFacts) -> Address:
    """Choose an address of the first IP subnet that has one left."""
    gateways = {subnet.gateway for subnet in network.subnets}
    # The host's own addresses, where the network is the host's subnet.
    hosts = {interface.ip for adapter in facts.adapters() for interface in adapter.addresses}

    def free(ip: IPAddress) -> bool:
        claimed = (claims.address(network.id, ip), claims.remote_address(network.id, ip))
        return ip not in gateways and ip not in hosts and not any(map(tx.claimed, claimed))

    found = (pools.address(part, free, facts.chooser) for part in parts)
    address = next((one for one in found if one is not None), None)
    subnet = _subnet_of(address, network) if address is not None else None
    if address is None or subnet is None or subnet.prefix is None:
        # unverified: the code for an exhausted subnet.
        raise HnsError(HResult.HCN_E_ADDR_INVALID_OR_RESERVED)
    return Address(address, subnet.prefix.prefixlen)


def _routes(endpoint: Endpoint, addresses: tuple[Address, ...], network: Network) -> tuple[EndpointRoute, ...]:
    """Complete the routes: an empty next hop, or no default route at all, means the network's gateway.

    win-bridge without IPAM sends an empty next hop with "::/0" (containernetworking/plugins pkg/hns).
    """
    routes = [route for route in endpoint.routes if route.next_hop]
    for address in addresses:
        default = DEFAULT_ROUTES[address.ip.version == 6]
        subnet = _subnet_of(address.ip, network)
        if any(route.destination == default for route in routes) or subnet is None or subnet.gateway is None:
            continue
        routes.append(EndpointRoute(str(subnet.gateway), default))
    return tuple(routes)


def _with_length(address: Address, network: Network) -> Address:
    if address.prefix_length is not None:
        return address
    subnet = _subnet_of(address.ip, network)
    length = subnet.prefix.prefixlen if subnet and subnet.prefix else address.ip.max_prefixlen
    return replace(address, prefix_length=length)


def _subnet_of(address: IPAddress, network: Network) -> Subnet | None:
    return next((s for s in network.subnets if s.prefix is not None and address in s.prefix), None)
