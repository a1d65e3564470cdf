"""The rtnetlink messages that give interfaces addresses and routes."""

from __future__ import annotations

import struct
from functools import cache
from ipaddress import IPv4Interface, ip_address

from hnsfake.dataplane.interface import IPAddress, IPInterface, IPNetwork
from hnsfake.dataplane.messages import attribute, u32, with_attribute
from hnsfake.dataplane.netlink import Template, encode

_IFA_RT_PRIORITY, _RTA_PRIORITY = 9, 6
_RTA_DST, _RTA_OIF, _RTA_PREFSRC, _RTA_METRICS, _RTAX_MTU = 1, 4, 7, 8, 2
_RTM_NEWROUTE, _REQUEST_REPLACE = 24, 0x501  # NLM_F_REQUEST, _CREATE, _REPLACE
_AF_INET, _MAIN, _BY_KERNEL, _ON_LINK, _UNICAST = 2, 254, 2, 253, 1
_BEFORE_MAIN = 100  # the main table is looked up at 32766
_INDEX, _ADDRESS, _HOP = 0x71727374, "241.242.243.244", "231.232.233.234"


def address(index: int, interface: IPInterface, metric: int = 0) -> bytes:
    """Give an interface an address; ``metric`` is that of the on-link route that comes with it."""
    if interface.version == 4:
        template = _address(interface.network.prefixlen)
        message = template.fill(index=u32(index), address=interface.ip.packed, local=interface.ip.packed)
    else:
        message = encode(
            lambda batch: batch.addr(
                "add", index=index, address=str(interface.ip), prefixlen=interface.network.prefixlen, flags=2
            )
        )
    return with_attribute(message, _IFA_RT_PRIORITY, u32(metric)) if metric else message


def limit_on_link(index: int, interface: IPv4Interface, metric: int, mtu: int) -> bytes:
    """Have IP send no larger packets than ``mtu`` by the on-link route that came with an address; 0: as the link's."""
    network, address = interface.network, interface.ip.packed
    head = struct.pack("=BBBBBBBBI", _AF_INET, network.prefixlen, 0, 0, _MAIN, _BY_KERNEL, _ON_LINK, _UNICAST, 0)
    parts = {
        _RTA_DST: network.network_address.packed,
        _RTA_OIF: u32(index),
        _RTA_PREFSRC: address,
        _RTA_PRIORITY: u32(metric),
    }
    message = struct.pack("=IHHII", 16 + len(head), _RTM_NEWROUTE, _REQUEST_REPLACE, 0, 0) + head
    for kind, payload in parts.items():
        message = with_attribute(message, kind, payload)
    return _with_mtu(message, mtu)


def _with_mtu(message: bytes, mtu: int) -> bytes:
    return with_attribute(message, _RTA_METRICS, attribute(_RTAX_MTU, u32(mtu))) if mtu else message


def forget_address(index: int, interface: IPInterface) -> bytes:
    """Take an address from an interface; with the last one of a family go the routes through the interface."""
    return encode(
        lambda batch: batch.addr("del", index=index, address=str(interface.ip), prefixlen=interface.network.prefixlen)
    )


@cache
def _address(length: int) -> Template:
    message = encode(lambda batch: batch.addr("add", index=_INDEX, address=_ADDRESS, local=_HOP, prefixlen=length))
    return Template(message, index=u32(_INDEX), address=ip_address(_ADDRESS).packed, local=ip_address(_HOP).packed)


def route(destination: IPNetwork, next_hop: IPAddress | None, index: int, metric: int = 0, mtu: int = 0) -> bytes:
    """Add a route through an interface, behind any other of the same metric to the same destination.

    ``mtu`` is what IP sends at most by it; 0: as much as the interface's.
    """
    if next_hop is not None and next_hop.version == 4 and destination.prefixlen == 0:
        message = _default_route().fill(hop=next_hop.packed, index=u32(index))
        message = with_attribute(message, _RTA_PRIORITY, u32(metric)) if metric else message
    else:
        message = _route("append", destination, next_hop, index, metric)
    return _with_mtu(message, mtu)


def replacing(message: bytes) -> bytes:
    """Turn a message that adds a route into one that changes the one of its destination and metric."""
    changed = bytearray(message)
    struct.pack_into("=H", changed, 6, _REQUEST_REPLACE)
    return bytes(changed)


def delete_route(destination: IPNetwork, next_hop: IPAddress | None, index: int, metric: int = 0) -> bytes:
    """Remove a route; without a metric the first one."""
    return _route("del", destination, next_hop, index, metric)


def route_via(destination: IPNetwork, next_hop: IPAddress, metric: int, mtu: int = 0) -> bytes:
    """Add a route through whichever interface reaches the next hop."""
    message = encode(lambda batch: batch.route("add", dst=str(destination), gateway=str(next_hop), priority=metric))
    return _with_mtu(message, mtu)


def delete_route_via(destination: IPNetwork, next_hop: IPAddress) -> bytes:
    """Remove a route through whichever interface reaches the next hop."""
    return encode(lambda batch: batch.route("del", dst=str(destination), gateway=str(next_hop)))


def mark_rule(verb: str, mark: int) -> bytes:
    """Have packets with a mark looked up in the table of that number first ("add"), or no more ("del")."""
    return encode(lambda batch: batch.rule(verb, fwmark=mark, table=mark, priority=_BEFORE_MAIN))


def route_in_table(verb: str, destination: IPNetwork, next_hop: IPAddress, index: int, table: int) -> bytes:
    """Add a route of a table to a next hop that is on the interface's link, or delete it ("del")."""
    parts = {"dst": str(destination), "gateway": str(next_hop), "oif": index, "table": table}
    return encode(lambda batch: batch.route(verb, flags=["onlink"], **parts))


def _route(verb: str, destination: IPNetwork, next_hop: IPAddress | None, index: int, metric: int) -> bytes:
    parts: dict[str, object] = {"dst": str(destination), "oif": index}
    if next_hop is not None:
        parts["gateway"] = str(next_hop)
    else:
        parts["scope"] = 253  # on link
    if metric:
        parts["priority"] = metric
    return encode(lambda batch: batch.route(verb, **parts))


@cache
def _default_route() -> Template:
    message = encode(lambda batch: batch.route("append", dst="default", gateway=_HOP, oif=_INDEX))
    return Template(message, hop=ip_address(_HOP).packed, index=u32(_INDEX))
