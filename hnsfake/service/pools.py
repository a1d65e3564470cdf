"""What HNS hands out by itself: MACs, addresses, subnets, compartment numbers, ports.

Each function looks at what is taken and chooses from the rest; the order is not defined by HNS, and tests
must not expect one (MicrosoftDocs/Virtualization-Documentation#435).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable
from ipaddress import IPv4Network, ip_network

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.macs import to_text
from hnsfake.documents.network import IPAddress, IPNetwork, IpSubnet, IpSubnetFlags

FIRST_COMPARTMENT = 2
NAT_SPACE = ip_network("172.16.0.0/12")
NAT_PREFIX = 20
POOL_PORTS = range(49152, 65536)
POOL_BLOCK = 64
MAPPED_PORTS = range(32768, 49152)


def mac_block(chooser: random.Random) -> tuple[int, int]:
    """Return a block of 4096 MACs under Microsoft's 00-15-5D, as a network's MacPools shows it."""
    first = 0x00155D000000 | chooser.randrange(0x1000) << 12
    return first, first + 0xFFF


def mac(ranges: Iterable[tuple[int, int]], free: Callable[[str], bool], chooser: random.Random) -> str:
    """Return a MAC of one of ``ranges`` that is free."""
    for first, last in ranges:
        start = chooser.randrange(last - first + 1)
        for offset in range(last - first + 1):
            text = to_text(first + (start + offset) % (last - first + 1))
            if free(text):
                return text
    # unverified: the code for an exhausted MAC pool.
    raise HnsError(HResult.HCN_E_INVALID_ENDPOINT, "The MAC pool of the network is exhausted.")


def address(subnet: IpSubnet, free: Callable[[IPAddress], bool], chooser: random.Random) -> IPAddress | None:
    """Return a free host address of an IP subnet, or None."""
    first, last = _hosts(subnet)
    count = last - first + 1
    start = chooser.randrange(count)
    for offset in range(min(count, 1 << 16)):
        candidate = subnet.prefix[first + (start + offset) % count]
        if free(candidate):
            return candidate
    return None


def is_host_address(candidate: IPAddress, subnet: IpSubnet) -> bool:
    """Whether ``candidate`` lies in the subnet and is not one of those that its flags set aside."""
    if candidate not in subnet.prefix:
        return False
    first, last = _hosts(subnet)
    return subnet.prefix[first] <= candidate <= subnet.prefix[last]  # type: ignore[operator]


def nat_prefix(taken: Iterable[IPNetwork], chooser: random.Random) -> IPv4Network:
    """Return a free /20 for a NAT network that named none."""
    used = [prefix for prefix in taken if isinstance(prefix, IPv4Network)]
    candidates = [p for p in NAT_SPACE.subnets(new_prefix=NAT_PREFIX) if isinstance(p, IPv4Network)]
    chooser.shuffle(candidates)
    for candidate in candidates:
        if not any(candidate.overlaps(prefix) for prefix in used):
            return candidate
    raise HnsError(HResult.HCN_E_INVALID_NETWORK)


def compartment(taken: Container[int]) -> int:
    """Return the lowest free compartment number; 1 is the host's."""
    number = FIRST_COMPARTMENT
    while number in taken:
        number += 1
    return number


def port_block(free: Callable[[int], bool]) -> tuple[int, int]:
    """Return a free block of ports for OutBoundNAT, as (first, count).

    unverified: block size and range; pools show as TcpNatPool and UdpNatPool in an endpoint's allocators
    (projectcalico/calico#4682). The code where none is left is that of a load balancer that finds none
    (containernetworking/plugins#613).
    """
    for first in range(POOL_PORTS.start, POOL_PORTS.stop, POOL_BLOCK):
        if free(first):
            return first, POOL_BLOCK
    raise HnsError(HResult.E_OUTOFMEMORY)


def mapped_port(free: Callable[[int], bool], chooser: random.Random) -> int:
    """Return a free external port for a mapping that named none."""
    count = len(MAPPED_PORTS)
    start = chooser.randrange(count)
    for offset in range(count):
        port = MAPPED_PORTS[(start + offset) % count]
        if free(port):
            return port
    raise HnsError(HResult.HCN_E_PORT_ALREADY_EXISTS)


def _hosts(subnet: IpSubnet) -> tuple[int, int]:
    """First and last index of host addresses in a subnet."""
    count = subnet.prefix.num_addresses
    if count <= 2:
        return 0, count - 1
    first = bool(subnet.flags & IpSubnetFlags.RESERVE_NETWORK_ADDRESS)
    return int(first), count - 1 - bool(subnet.flags & IpSubnetFlags.ENABLE_BROADCAST)
