"""What endpoints hold that no other may: addresses, MACs, mapped ports, blocks of ports.

Every claim is one key. A state keeps them all in one table, so that looking one up costs the same on a node
with ten endpoints and with ten thousand.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.network import IPAddress
from hnsfake.documents.policies import PortMapping

Claim = tuple[Hashable, ...]


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


def of(endpoint: Endpoint) -> Iterator[Claim]:
    """Iterate over what an endpoint claims."""
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
