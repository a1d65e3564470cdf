"""Two namespaces and one cable: a compartment with an endpoint's vNIC, and all the world at the other end."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from hnsfake.dataplane import ip_messages, messages, netlink, nftables
from hnsfake.dataplane.interface import EndpointWant
from hnsfake.dataplane.sandbox import NetNs, Sandbox
from hnsfake.dataplane.vfp import port
from hnsfake.dataplane.vfp.layers import PortContext
from hnsfake.documents.policies import Policy
from hnsfake.releases import release

POD, SECOND_POD = "10.1.0.10", "10.1.0.11"
WORLD = ("203.0.113.1", "203.0.113.2", "203.0.113.130")
MANAGEMENT, HOST_MAC = "10.127.0.11", "00-15-5D-7F-00-0B"
POOL = (0x9000, 64)
ECHO = bytes.fromhex("0800e5ca12340001")  # an ICMP echo request with its checksum

_VNIC, _FAR = 10, 11
_POD_MAC, _WORLD_MAC = "00-15-5D-01-00-10", "00-15-5D-01-00-01"


@dataclass
class Cable:
    """An endpoint's compartment (``pod``) and the far end of its cable (``world``)."""

    sandbox: Sandbox
    pod: NetNs
    world: NetNs
    sockets: list[socket.socket] = field(default_factory=list)
    context: PortContext = field(
        default_factory=lambda: PortContext(
            "eth0",
            EndpointWant(
                "6d1ea0d3-0000-4000-8000-000000000001",
                "net",
                "pod",
                _POD_MAC,
                (IPv4Interface(f"{POD}/24"), IPv4Interface(f"{SECOND_POD}/24")),
                pool=POOL,
            ),
            IPv4Address(MANAGEMENT),
            HOST_MAC,
            release("ws2022").quirks,
        )
    )

    def load(self, *policies: Policy) -> None:
        """Make the port's rules those of ``policies``."""
        self.sandbox.run(self.pod, nftables.run, port.removal(self.context) + self.script(policies))

    def script(self, policies: Sequence[Policy]) -> str:
        return port.ruleset(self.with_policies(policies))

    def with_policies(self, policies: Sequence[Policy]) -> PortContext:
        endpoint = replace(self.context.endpoint, policies=tuple(policies))
        return replace(self.context, endpoint=endpoint)

    def udp(self, netns: NetNs, address: str, number: int = 0) -> socket.socket:
        return self._bound(netns, socket.SOCK_DGRAM, 0, (address, number))

    def server(self, netns: NetNs, address: str, number: int) -> socket.socket:
        listener = self._bound(netns, socket.SOCK_STREAM, 0, (address, number))
        listener.listen()
        return listener

    def client(self, netns: NetNs, address: str, number: int = 0) -> socket.socket:
        return self._bound(netns, socket.SOCK_STREAM, 0, (address, number))

    def icmp(self, netns: NetNs) -> socket.socket:
        return self._bound(netns, socket.SOCK_RAW, socket.IPPROTO_ICMP, ("0.0.0.0", 0))

    def frames(self, netns: NetNs, interface: str) -> socket.socket:
        """Return a socket that sees every frame of an interface."""
        capture = self.sandbox.run(netns, socket.socket, socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.sockets.append(capture)
        capture.bind((interface, 3))
        capture.settimeout(5)
        return capture

    def close(self) -> None:
        for open_socket in self.sockets:
            open_socket.close()
        self.pod.close()
        self.world.close()

    def _bound(self, netns: NetNs, kind: int, protocol: int, address: tuple[str, int]) -> socket.socket:
        made = self.sandbox.run(netns, socket.socket, socket.AF_INET, kind, protocol)
        self.sockets.append(made)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.settimeout(5)
        return made


def make(sandbox: Sandbox) -> Cable:
    """Make both namespaces and the cable between them."""
    cable = Cable(sandbox, sandbox.new_netns("pod"), sandbox.new_netns("world"))
    sandbox.run(cable.world, _make_world, cable.pod)
    sandbox.run(cable.pod, _make_pod)
    return cable


def _make_world(pod: NetNs) -> None:
    netlink.send(
        [
            messages.loopback_up(),
            messages.veth("far", _FAR, "eth0", _VNIC, _POD_MAC, pod.fd),
            messages.set_mac(_FAR, _WORLD_MAC),
            messages.vnic_up(_FAR),
            ip_messages.address(_FAR, IPv4Interface("10.1.0.1/24")),
            *(ip_messages.address(_FAR, IPv4Interface(f"{address}/24")) for address in WORLD),
            # What is for the node's address comes to the pod, as the external port would send it.
            ip_messages.route(IPv4Network(f"{MANAGEMENT}/32"), None, _FAR),
            messages.neighbour(IPv4Address(MANAGEMENT), _POD_MAC, _FAR),
        ],
        "make the far end",
    )


def _make_pod() -> None:
    netlink.send(
        [
            messages.loopback_up(),
            messages.vnic_up(_VNIC),
            ip_messages.address(_VNIC, IPv4Interface(f"{POD}/24")),
            ip_messages.address(_VNIC, IPv4Interface(f"{SECOND_POD}/24")),
            messages.neighbour(IPv4Address("10.1.0.1"), _WORLD_MAC, _VNIC),
            ip_messages.route(IPv4Network("0.0.0.0/0"), IPv4Address("10.1.0.1"), _VNIC),
        ],
        "make the pod",
    )
