"""The rtnetlink messages that make vNICs and switch ports."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address

from hnsfake.dataplane.interface import IPAddress
from hnsfake.dataplane.netlink import Template, encode

IFLA_ADDRESS, IFLA_MTU, IFLA_IFALIAS, IFLA_AF_SPEC, IFLA_NET_NS_FD, IFLA_GROUP = 1, 4, 20, 26, 28, 27
_AF_INET, _AF_INET6 = 2, 10
_NUD_NOARP, _NUD_PERMANENT = 0x40, 0x80
_NTF_SELF, _NTF_MASTER = 0x02, 0x04
_IFLA_INET_CONF = 1
_IFLA_INET6_ADDR_GEN_MODE, _ADDR_GEN_NONE = 8, 1

# IPV4_DEVCONF_… ids of linux/ip.h, settable by netlink so that /proc/sys may be read-only.
FORWARDING, SEND_REDIRECTS, RP_FILTER, ARP_ANNOUNCE, ARP_IGNORE, ACCEPT_LOCAL = 1, 6, 8, 18, 19, 23
PROXY_ARP = 25  # of a private VLAN (RFC 3069): also for what is behind the interface that asks

_INDEX, _OTHER_INDEX, _FD = 0x71727374, 0x61626364, 0x51525354
_MAC, _ADDRESS, _HOP = "f2:f3:f4:f5:f6:f7", "241.242.243.244", "231.232.233.234"
_ADDRESS6 = "fdc1:c2c3:c4c5:c6c7:c8c9:cacb:cccd:cecf"


def veth(name: str, index: int, peer: str, peer_index: int, peer_mac: str, peer_fd: int) -> bytes:
    """Make a veth pair: ``name`` here, ``peer`` in the namespace of ``peer_fd``.

    Neither end is up yet: a veth that is created up fails when its peer isn't there.
    """
    return _veth(len(name), len(peer)).fill(
        name=name.encode(),
        index=u32(index),
        peer=peer.encode(),
        peer_index=u32(peer_index),
        peer_mac=mac_bytes(peer_mac),
        peer_fd=u32(peer_fd),
    )


@cache
def _veth(name_length: int, peer_length: int) -> Template:
    name, peer = "N" * name_length, "P" * peer_length
    message = bytearray(
        encode(
            lambda batch: batch.link(
                "add",
                ifname=name,
                kind="veth",
                index=_INDEX,
                peer={"ifname": peer, "net_ns_fd": _FD, "address": _MAC},
            )
        )
    )
    # pyroute2 leaves the peer's ifinfomsg empty; its index stands 8 bytes before its first attribute.
    at = message.index(peer.encode()) - 4 - 12
    message[at : at + 4] = u32(_OTHER_INDEX)
    return Template(
        bytes(message),
        name=name.encode(),
        index=u32(_INDEX),
        peer=peer.encode(),
        peer_index=u32(_OTHER_INDEX),
        peer_mac=mac_bytes(_MAC),
        peer_fd=u32(_FD),
    )


def bridge(name: str, index: int) -> bytes:
    """Make a bridge that neither snoops multicast nor runs a spanning tree."""
    return encode(
        lambda batch: batch.link(
            "add",
            ifname=name,
            kind="bridge",
            index=index,
            br_stp_state=0,
            br_mcast_snooping=0,
            br_ageing_time=0,
        )
    )


def vxlan(name: str, index: int, vni: int, local: IPAddress, port: int, netns_fd: int) -> bytes:
    """Make a VXLAN device in another namespace; its outer packets go out of the one this is sent in."""
    return with_attribute(
        encode(
            lambda batch: batch.link(
                "add",
                ifname=name,
                kind="vxlan",
                index=index,
                vxlan_id=vni,
                vxlan_local=str(local),
                vxlan_port=port,
                vxlan_learning=0,
            )
        ),
        IFLA_NET_NS_FD,
        u32(netns_fd),
    )


def into_bridge(index: int, bridge_index: int) -> bytes:
    """Make an interface a port of a bridge, and switch it on."""
    return _into_bridge().fill(index=u32(index), bridge=u32(bridge_index))


@cache
def _into_bridge() -> Template:
    message = encode(lambda batch: batch.link("set", index=_INDEX, master=_OTHER_INDEX, state="up"))
    return Template(message, index=u32(_INDEX), bridge=u32(_OTHER_INDEX))


def settled(index: int) -> bytes:
    """Ask for an interface, so that the kernel settles its carrier now.

    A cable's end that was switched on before the other is told of the carrier by a worker that runs at most
    once a second; until then it sends nothing, and a bridge keeps its port closed.
    """
    return _settled().fill(index=u32(index))


@cache
def _settled() -> Template:
    return Template(encode(lambda batch: batch.link("get", index=_INDEX)), index=u32(_INDEX))


def quiet_port(index: int) -> bytes:
    """Stop a port from learning MACs and from getting frames for unknown ones."""
    return _quiet_port().fill(index=u32(index))


@cache
def _quiet_port() -> Template:
    message = encode(lambda batch: batch.brport("set", index=_INDEX, learning=0, unicast_flood=0, mcast_flood=0))
    return Template(message, index=u32(_INDEX))


def external_port(index: int) -> bytes:
    """Let a port get all frames for unknown MACs, and learn none: all the world is behind it."""
    return encode(lambda batch: batch.brport("set", index=index, learning=0, unicast_flood=1))


def tunnel_port(index: int) -> bytes:
    """Let a VXLAN port get only what the table of MACs sends there, and answer ARP for those MACs."""
    return encode(
        lambda batch: batch.brport(
            "set", index=index, learning=0, unicast_flood=0, mcast_flood=0, bcast_flood=0, neigh_suppress=1
        )
    )


def answered_port(index: int) -> bytes:
    """Make a port a quiet one whose ARP is answered for it."""
    return encode(
        lambda batch: batch.brport("set", index=index, learning=0, unicast_flood=0, mcast_flood=0, neigh_suppress=1)
    )


def patch_port(index: int) -> bytes:
    """Let a port between two bridges get only what the tables of MACs send there."""
    return encode(
        lambda batch: batch.brport("set", index=index, learning=0, unicast_flood=0, mcast_flood=0, bcast_flood=0)
    )


def disabled_port(index: int) -> bytes:
    """Stop a port at once: nothing in, nothing out. ``into_bridge`` starts it again."""
    return _disabled_port().fill(index=u32(index))


@cache
def _disabled_port() -> Template:
    message = bytearray(encode(lambda batch: batch.brport("set", index=_INDEX, state=0)))
    # pyroute2 takes the state for the interface's too: ifi_flags and ifi_change would switch it off.
    struct.pack_into("=II", message, 16 + 8, 0, 0)
    return Template(bytes(message), index=u32(_INDEX))


def in_group(index: int, group: int) -> bytes:
    """Put an interface into a group, by which many are deleted in one go."""
    return with_attribute(_link_set().fill(index=u32(index)), IFLA_GROUP, u32(group))


def delete_group(group: int) -> bytes:
    """Delete all interfaces of a group."""
    return with_attribute(encode(lambda batch: batch.link("del", index=0)), IFLA_GROUP, u32(group))


def delete_link(index: int) -> bytes:
    """Delete one interface. Slow: for the ways back after a failure, and for things there are few of."""
    return encode(lambda batch: batch.link("del", index=index))


def vnic_up(index: int, alias: str = "", mtu: int = 0, settings: Mapping[int, int] | None = None) -> bytes:
    """Switch an interface on, give it Windows' name and an MTU, and keep IPv6 from making addresses.

    ``settings`` are IPv4 settings of the interface by their IPV4_DEVCONF id.
    """
    # IPv6 must be quiet before the interface is up: two messages.
    quiet = configure(index, settings or {})
    message = _link_up().fill(index=u32(index))
    if alias:
        message = with_attribute(message, IFLA_IFALIAS, alias.encode()[:255])
    if mtu:
        message = with_attribute(message, IFLA_MTU, u32(mtu))
    return quiet + message


def configure(index: int, settings: Mapping[int, int]) -> bytes:
    """Change IPv4 settings of an interface by their IPV4_DEVCONF id."""
    return with_attribute(_link_set().fill(index=u32(index)), IFLA_AF_SPEC, _af_spec(settings))


def set_mac(index: int, mac: str) -> bytes:
    """Change an interface's MAC."""
    return with_attribute(_link_set().fill(index=u32(index)), IFLA_ADDRESS, mac_bytes(mac))


def move(index: int, netns_fd: int) -> bytes:
    """Move an interface to another namespace."""
    return with_attribute(_link_set().fill(index=u32(index)), IFLA_NET_NS_FD, u32(netns_fd))


@cache
def _link_up() -> Template:
    return Template(encode(lambda batch: batch.link("set", index=_INDEX, state="up")), index=u32(_INDEX))


@cache
def _link_set() -> Template:
    return Template(encode(lambda batch: batch.link("set", index=_INDEX)), index=u32(_INDEX))


@cache
def loopback_up() -> bytes:
    """Switch the loopback interface on; it is number 1 in every namespace."""
    return encode(lambda batch: batch.link("set", index=1, state="up"))


def forward_to_port(mac: str, port_index: int) -> bytes:
    """Tell a bridge that a MAC is behind a port; it must not be behind another one."""
    return _fdb().fill(mac=mac_bytes(mac), index=u32(port_index))


@cache
def _fdb() -> Template:
    message = encode(lambda batch: batch.fdb("add", lladdr=_MAC, ifindex=_INDEX, master=True))
    # Static, not permanent: a permanent MAC is the bridge's own, and its frames would go up, not on.
    return Template(_neighbour_of(message, _NUD_NOARP, _NTF_MASTER), mac=mac_bytes(_MAC), index=u32(_INDEX))


def _neighbour_of(message: bytes, state: int, flags: int) -> bytes:
    """Set ndm_state and ndm_flags, which stand behind family, padding and index of the ndmsg."""
    changed = bytearray(message)
    struct.pack_into("=HB", changed, 16 + 8, state, flags)
    return bytes(changed)


def forget_mac(mac: str, port_index: int) -> bytes:
    """Take back ``forward_to_port``."""
    return _no_fdb().fill(mac=mac_bytes(mac), index=u32(port_index))


@cache
def _no_fdb() -> Template:
    message = encode(lambda batch: batch.fdb("del", lladdr=_MAC, ifindex=_INDEX))
    return Template(_neighbour_of(message, _NUD_NOARP, _NTF_MASTER), mac=mac_bytes(_MAC), index=u32(_INDEX))


def tunnel_to(mac: str, vxlan_index: int, provider_address: IPAddress) -> bytes:
    """Tell a VXLAN device that a MAC is behind a provider address."""
    return _tunnel("replace", provider_address.version).fill(
        mac=mac_bytes(mac), index=u32(vxlan_index), provider=provider_address.packed
    )


def forget_tunnel(mac: str, vxlan_index: int, provider_address: IPAddress) -> bytes:
    """Take back ``tunnel_to``."""
    return _tunnel("del", provider_address.version).fill(
        mac=mac_bytes(mac), index=u32(vxlan_index), provider=provider_address.packed
    )


@cache
def _tunnel(verb: str, version: int) -> Template:
    address_ = _ADDRESS if version == 4 else _ADDRESS6
    message = encode(lambda batch: batch.fdb(verb, lladdr=_MAC, ifindex=_INDEX, dst=address_))
    return Template(
        _neighbour_of(message, _NUD_NOARP | _NUD_PERMANENT, _NTF_SELF),
        mac=mac_bytes(_MAC),
        index=u32(_INDEX),
        provider=ip_address(address_).packed,
    )


def neighbour(address_: IPAddress, mac: str, index: int) -> bytes:
    """Enter a permanent neighbour."""
    return _neighbour(address_.version).fill(address=address_.packed, mac=mac_bytes(mac), index=u32(index))


@cache
def _neighbour(version: int) -> Template:
    address_ = _ADDRESS if version == 4 else _ADDRESS6
    message = encode(lambda batch: batch.neigh("replace", dst=address_, lladdr=_MAC, ifindex=_INDEX, state="permanent"))
    return Template(message, address=ip_address(address_).packed, mac=mac_bytes(_MAC), index=u32(_INDEX))


def forget_neighbour(address_: IPAddress, index: int) -> bytes:
    """Take back ``neighbour``."""
    return _no_neighbour(address_.version).fill(address=address_.packed, index=u32(index))


@cache
def _no_neighbour(version: int) -> Template:
    address_ = _ADDRESS if version == 4 else _ADDRESS6
    message = encode(lambda batch: batch.neigh("del", dst=address_, ifindex=_INDEX))
    return Template(message, address=ip_address(address_).packed, index=u32(_INDEX))


def with_attribute(message: bytes, kind: int, payload: bytes) -> bytes:
    """Append an attribute to a single message."""
    changed = bytearray(message + attribute(kind, payload))
    struct.pack_into("=I", changed, 0, len(changed))
    return bytes(changed)


def mac_bytes(mac: str) -> bytes:
    """Return a MAC as its six bytes."""
    return bytes.fromhex(mac.replace("-", "").replace(":", ""))


def mac_text(mac: str) -> str:
    """Return a MAC as the kernel's tools write it."""
    return mac.replace("-", ":").lower()


def attribute(kind: int, payload: bytes) -> bytes:
    """Return an attribute of a message."""
    return struct.pack("=HH", 4 + len(payload), kind) + payload + bytes(-len(payload) % 4)


@cache
def _quiet_inet6() -> bytes:
    return attribute(_AF_INET6, attribute(_IFLA_INET6_ADDR_GEN_MODE, bytes([_ADDR_GEN_NONE])))


def _af_spec(settings: Mapping[int, int]) -> bytes:
    if not settings:
        return _quiet_inet6()
    values = b"".join(attribute(number, u32(value)) for number, value in settings.items())
    return _quiet_inet6() + attribute(_AF_INET, attribute(_IFLA_INET_CONF, values))


def u32(number: int) -> bytes:
    """Return a number as the kernel has it."""
    return struct.pack("=I", number)
