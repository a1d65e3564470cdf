"""A frame as a test wants to read it: addresses as text, layers as attributes, VXLAN opened."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import dpkt

VXLAN_PORT = 4789
_VXLAN_HEADER, _IPV6_HEADER = 8, 40


@dataclass(frozen=True, slots=True)
class Frame:
    """One Ethernet frame. What a layer doesn't have is None; MACs have dashes, upper case.

    ``protocol`` is the IP protocol number, ``length`` the IP packet's with its headers. ``vlan`` is the VLAN id of a
    tagged frame, whose ``ether_type`` is that behind the tag; ``vni`` and ``inner`` are there for VXLAN. ``outgoing``
    says that the capturing host itself sent it.
    """

    source_mac: str
    destination_mac: str
    ether_type: int
    source: str | None = None
    destination: str | None = None
    protocol: int | None = None
    source_port: int | None = None
    destination_port: int | None = None
    ttl: int | None = None
    length: int | None = None
    icmp_type: int | None = None
    tcp_flags: int | None = None
    arp_operation: int | None = None
    arp_sender_mac: str | None = None
    vlan: int | None = None
    vni: int | None = None
    inner: Frame | None = None
    outgoing: bool = False


def parse(data: bytes, outgoing: bool = False, vxlan_port: int = VXLAN_PORT) -> Frame:
    """Read a frame; what can't be read further stays None."""
    try:
        ethernet = dpkt.ethernet.Ethernet(data)
    except dpkt.UnpackError:
        return Frame("", "", 0, outgoing=outgoing)
    fields: dict[str, object] = {
        "source_mac": _mac(ethernet.src),
        "destination_mac": _mac(ethernet.dst),
        "ether_type": ethernet.type,
        "outgoing": outgoing,
    }
    if tags := getattr(ethernet, "vlan_tags", []):
        fields.update(ether_type=tags[-1].type, vlan=tags[0].id)
    payload = ethernet.data
    if isinstance(payload, dpkt.arp.ARP):
        fields.update(
            source=_address(payload.spa),
            destination=_address(payload.tpa),
            arp_operation=payload.op,
            arp_sender_mac=_mac(payload.sha),
        )
    elif isinstance(payload, (dpkt.ip.IP, dpkt.ip6.IP6)):
        fields.update(_network_layer(payload, vxlan_port))
    return Frame(**fields)  # type: ignore[arg-type]


def _network_layer(packet: dpkt.ip.IP | dpkt.ip6.IP6, vxlan_port: int) -> dict[str, object]:
    v4 = isinstance(packet, dpkt.ip.IP)
    fields: dict[str, object] = {
        "source": _address(packet.src),
        "destination": _address(packet.dst),
        "protocol": packet.p,
        "ttl": packet.ttl if v4 else packet.hlim,
        "length": packet.len if v4 else packet.plen + _IPV6_HEADER,
    }
    segment = packet.data
    if isinstance(segment, (dpkt.tcp.TCP, dpkt.udp.UDP)):
        fields.update(source_port=segment.sport, destination_port=segment.dport)
    if isinstance(segment, dpkt.tcp.TCP):
        fields["tcp_flags"] = segment.flags
    elif isinstance(segment, (dpkt.icmp.ICMP, dpkt.icmp6.ICMP6)):
        fields["icmp_type"] = segment.type
    elif isinstance(segment, dpkt.udp.UDP) and segment.dport == vxlan_port:
        body = bytes(segment.data)
        if len(body) > _VXLAN_HEADER:
            fields["vni"] = int.from_bytes(body[4:7], "big")
            fields["inner"] = parse(body[_VXLAN_HEADER:])
    return fields


def _mac(raw: bytes) -> str:
    return "-".join(f"{byte:02X}" for byte in raw)


def _address(raw: bytes) -> str:
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)
