"""What objects hold that no other may: addresses, MACs, mapped ports, blocks of ports, front ends.

Every claim is one key. A state keeps them all in one table, so that looking one up costs the same on a node
with ten endpoints and with ten thousand. What may be had by several has several holders.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.network import IPAddress
from hnsfake.documents.policies import PortMapping

Claim = tuple[Hashable, ...]
Holder = tuple[type, str]
"""Kind and id of an object: ids are unique among those of a kind alone."""
_FRONT_END, _BACKEND = "front end", "backend"


def address(network_id: str, ip: IPAddress) -> Claim:
    """Name an address of a network."""
    return ("address", network_id, ip)


def remote_address(network_id: str, ip: IPAddress) -> Claim:
    """Name an address that a remote endpoint has; a local one may have it too (kubernetes/kubernetes#138000)."""
    return ("remote address", network_id, ip)


def mac(network_id: str, text: str) -> Claim:
    """Name a MAC of a network, in whatever form it was sent."""
    return ("mac", network_id, text.upper().replace(":", "-"))


def mapped_port(vip: IPAddress | None, protocol: int, port: int) -> Claim:
    """Name a port of the node."""
    return ("port", vip, protocol, port)


def port_block(first: int) -> Claim:
    """Name a block of ports by its first."""
    return ("block", first)


def front_end(network_id: str, vip: IPAddress | None, ipv6: bool, protocol: int, port: int) -> Claim:
    """Name a load balancer's front end: a VIP is one of its network, no VIP is the node itself.

    Without a VIP the two families are two front ends: kube-proxy makes a node port's load balancer once a family
    (kubernetes/kubernetes pkg/proxy/winkernel).
    """
    return (_FRONT_END, network_id if vip is not None else "", vip, ipv6, protocol, port)


def backend(endpoint_id: str) -> Claim:
    """Name an endpoint as a backend; any number of load balancers may have it."""
    return (_BACKEND, endpoint_id)


def is_shared(claim: Claim) -> bool:
    """Whether any number of objects may hold a claim."""
    return claim[0] == _BACKEND


def is_front_end(claim: Claim) -> bool:
    """Whether a claim is one of a load balancer's front ends."""
    return claim[0] == _FRONT_END


def holder(noun: Any) -> Holder:
    """Name the object that holds a claim."""
    return type(noun), noun.id


def of(noun: Any) -> Iterator[Claim]:
    """Iterate over what an object claims."""
    claim = _BY_KIND.get(type(noun))
    return claim(noun) if claim is not None else iter(())


def _of_endpoint(endpoint: Endpoint) -> Iterator[Claim]:
    kind = remote_address if endpoint.remote else address
    for item in endpoint.addresses:
        yield kind(endpoint.network_id, item.ip)
    if not endpoint.remote:
        yield mac(endpoint.network_id, endpoint.mac)
    for record in endpoint.policies:
        mapping = record.typed
        if isinstance(mapping, PortMapping):
            yield mapped_port(mapping.vip, mapping.protocol, mapping.external_port)
    if endpoint.pool is not None:
        yield port_block(endpoint.pool[0])


def _of_load_balancer(balancer: LoadBalancer) -> Iterator[Claim]:
    yield from map(backend, balancer.endpoints)
    for vip in balancer.vips or (None,):
        for mapping in balancer.port_mappings:
            yield front_end(balancer.network_id, vip, balancer.ipv6, mapping.protocol, mapping.external_port)
            if vip is None and not balancer.ipv6:
                yield mapped_port(None, mapping.protocol, mapping.external_port)


_BY_KIND: Mapping[type, Callable[[Any], Iterator[Claim]]] = {
    Endpoint: _of_endpoint,
    LoadBalancer: _of_load_balancer,
}
