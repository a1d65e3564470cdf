"""The floor: the kernel objects of endpoints, made by nothing but system calls.

Messages are encoded and scripts written before the clock runs. An endpoint is: a namespace; a veth into it,
its other end a quiet port of the switch with a static MAC; loopback and vNIC up, an address, a default route;
the VFP of the port; its carrier settled, so that it carries packets at once; an element that leads its address
to its MAC. Objects and rules are those of hnsfake's
data plane; how they get into the kernel is not.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from time import perf_counter

from ci.bench.endpoints.lanes import ACL, GATEWAY, PREFIX, address, endpoints_asked, report
from hnsfake.dataplane import ip_messages, messages
from hnsfake.dataplane.interface import EndpointWant
from hnsfake.dataplane.nftables import Context
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.dataplane.vfp.port import ruleset
from hnsfake.documents.policies import Acl

_CLONE_NEWNET = 0x40000000
_FIRST_FD, _BRIDGE, _FIRST_PORT, _VNIC, _GROUP = 200, 10, 1000, 2, 7
_ERROR, _ACK = 2, 4
_HEADER = struct.Struct("=IHHII")
_TABLE = "table bridge external {\nmap endpoints {\ntype ipv4_addr : ether_addr\n}\n}\n"

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Prepared:
    """All that one endpoint sends to the kernel, and how many acknowledgements it gets."""

    fd: int
    port: bytes
    ports: int
    settled: bytes
    vnic: bytes
    vnics: int
    vfp: str
    lead: str
    forget: str


def main() -> None:
    """Make the endpoints, delete them, print what both took."""
    prepared = [prepare(number) for number in range(endpoints_asked())]
    grave, graves = _batch(
        *(messages.in_group(_FIRST_PORT + number, _GROUP) for number in range(len(prepared))),
        messages.delete_group(_GROUP),
    )
    _unshare()
    with _netlink() as switch, Context() as rules:
        _send(switch, *_batch(messages.bridge("vswitch", _BRIDGE), messages.vnic_up(_BRIDGE)))
        rules.run(_TABLE)
        begun = perf_counter()
        for endpoint in prepared:
            create(endpoint, switch, rules)
        created = perf_counter()
        for endpoint in prepared:
            rules.run(endpoint.forget)
        _send(switch, grave, graves)
        for endpoint in prepared:
            os.close(endpoint.fd)
        deleted = perf_counter()
    report(create=(created - begun) * 1e3, delete=(deleted - created) * 1e3)


def prepare(number: int) -> Prepared:
    """Encode what an endpoint needs; the descriptor of its namespace is fixed beforehand."""
    fd, index = _FIRST_FD + number, _FIRST_PORT + number
    mac = f"00-15-5D-01-{number >> 8:02X}-{number & 255:02X}"
    interface = IPv4Interface(f"{address(number)}/{PREFIX.prefixlen}")
    port, ports = _batch(
        messages.veth(f"p{index}", index, "eth0", _VNIC, mac, fd),
        messages.into_bridge(index, _BRIDGE),
        messages.quiet_port(index),
        messages.forward_to_port(mac, index),
    )
    vnic, vnics = _batch(
        messages.loopback_up(),
        messages.vnic_up(_VNIC, f"vEthernet (e{number})", 1500, {messages.RP_FILTER: 0}),
        ip_messages.address(_VNIC, interface),
        ip_messages.route(IPv4Network("0.0.0.0/0"), GATEWAY, _VNIC),
    )
    want = EndpointWant(f"{number}", "net", f"e{number}", mac, (interface,), policies=(Acl.from_v2(ACL),))
    element = f"element bridge external endpoints {{ {interface.ip} : {messages.mac_text(mac)} }}\n"
    return Prepared(
        fd,
        port,
        ports,
        _batch(messages.settled(index))[0],
        vnic,
        vnics,
        ruleset(PortContext("eth0", want)),
        f"add {element}",
        f"delete {element}",
    )


def create(endpoint: Prepared, switch: socket.socket, rules: Context) -> None:
    """Make one endpoint; the calling thread is in its namespace afterwards."""
    _unshare()
    opened = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(opened, endpoint.fd, inheritable=False)
    os.close(opened)
    _send(switch, endpoint.port, endpoint.ports)
    with _netlink() as compartment:
        _send(compartment, endpoint.vnic, endpoint.vnics)
    with Context() as vfp:
        vfp.run(endpoint.vfp)
    _send(switch, endpoint.settled, 1)
    rules.run(endpoint.lead)


def _unshare() -> None:
    if _libc.unshare(_CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _netlink() -> socket.socket:
    """Open a netlink socket in the namespace the thread is in."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)


def _batch(*parts: bytes) -> tuple[bytes, int]:
    """Join messages, each asking for an acknowledgement; return them and their number."""
    data = bytearray(b"".join(parts))
    offset = count = 0
    while offset < len(data):
        length, kind, flags, _, _ = _HEADER.unpack_from(data, offset)
        _HEADER.pack_into(data, offset, length, kind, flags | _ACK, count, 0)
        offset += (length + 3) & ~3
        count += 1
    return bytes(data), count


def _send(link: socket.socket, data: bytes, count: int) -> None:
    """Send a batch and read its acknowledgements; raise OSError for one that failed."""
    link.send(data)
    while count:
        answer = link.recv(1 << 16)
        offset = 0
        while offset < len(answer):
            length, kind, _, number, _ = _HEADER.unpack_from(answer, offset)
            code = struct.unpack_from("=i", answer, offset + _HEADER.size)[0]
            if kind == _ERROR and code:
                raise OSError(-code, f"message {number} of a batch")
            count -= kind == _ERROR
            offset += (length + 3) & ~3


if __name__ == "__main__":
    main()
