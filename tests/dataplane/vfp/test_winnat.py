"""WinNAT in a node's own stack, between a container behind the host's vNIC and a client on the wire."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

import pytest

from hnsfake.dataplane import ip_messages, messages, netlink, nftables
from hnsfake.dataplane.interface import EndpointWant
from hnsfake.dataplane.kernel import HOST_SETTINGS
from hnsfake.dataplane.sandbox import NetNs, Sandbox
from hnsfake.dataplane.vfp.winnat import WinNat
from hnsfake.documents.policies import PortMapping

from .cable import ECHO

POD, GATEWAY, NODE, CLIENT = "172.20.0.10", "172.20.0.1", "10.127.0.11", "10.127.0.1"
PREFIX = IPv4Network("172.20.0.0/16")
DEFAULT = IPv4Network("0.0.0.0/0")
VNIC, NIC, POD_END, CLIENT_END = 10, 11, 20, 21
TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM


class Place:
    """Three namespaces in a row: the pod, the node that translates, the client."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._sockets: list[socket.socket] = []
        self.pod, self.node, self.client = (sandbox.new_netns(name) for name in ("pod", "node", "client"))
        self.winnat = WinNat("winnat", "nat10", IPv4Address(NODE), [PREFIX])
        sandbox.run(self.node, self._make_node)
        for netns, index, address, gateway in (
            (self.pod, POD_END, f"{POD}/16", GATEWAY),
            (self.client, CLIENT_END, f"{CLIENT}/24", NODE),
        ):
            sandbox.run(netns, _make_end, index, IPv4Interface(address), IPv4Address(gateway))

    def map(self, protocol: int, external: int, internal: int) -> None:
        mapping = PortMapping.from_v2({"Protocol": protocol, "ExternalPort": external, "InternalPort": internal})
        endpoint = EndpointWant("e", "n", "e", "", (IPv4Interface(f"{POD}/16"),), policies=(mapping,))
        self._sandbox.run(self.node, nftables.run, self.winnat.mapping_script(None, endpoint))

    def socket(self, netns: NetNs, kind: socket.SocketKind, address: str = "0.0.0.0", port: int = 0) -> socket.socket:
        protocol = socket.IPPROTO_ICMP if kind is socket.SOCK_RAW else 0
        made = self._sandbox.run(netns, socket.socket, socket.AF_INET, kind, protocol)
        self._sockets.append(made)
        made.settimeout(5)
        made.bind((address, port))
        if kind is TCP and port:
            made.listen()
        return made

    def close(self) -> None:
        for open_socket in self._sockets:
            open_socket.close()
        for netns in (self.pod, self.node, self.client):
            netns.close()

    def _make_node(self) -> None:
        settings = {**HOST_SETTINGS, messages.FORWARDING: 1}
        netlink.send(
            [
                messages.loopback_up(),
                messages.veth("nat10", VNIC, "eth0", POD_END, "00-15-5D-01-00-10", self.pod.fd),
                messages.veth("nic0", NIC, "eth0", CLIENT_END, "00-15-5D-01-00-21", self.client.fd),
                messages.vnic_up(VNIC, settings=settings),
                messages.vnic_up(NIC, settings=settings),
                ip_messages.address(VNIC, IPv4Interface(f"{GATEWAY}/16")),
                ip_messages.address(NIC, IPv4Interface(f"{NODE}/24")),
            ],
            "make the node",
        )
        nftables.run(self.winnat.ruleset())


def _make_end(index: int, interface: IPv4Interface, gateway: IPv4Address) -> None:
    netlink.send(
        [
            messages.loopback_up(),
            messages.vnic_up(index),
            ip_messages.address(index, interface),
            ip_messages.route(DEFAULT, gateway, index),
        ],
        "make an end",
    )


@pytest.fixture
def place(sandbox: Sandbox) -> Iterator[Place]:
    place = Place(sandbox)
    yield place
    place.close()


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking/architecture")
@pytest.mark.parametrize("kind", [TCP, UDP])
def test_what_leaves_the_prefix_has_the_nodes_address(place: Place, kind: socket.SocketKind) -> None:
    server, pod = place.socket(place.client, kind, CLIENT, 7000), place.socket(place.pod, kind)
    pod.connect((CLIENT, 7000))
    assert _peer_of_one_exchange(server, pod) == NODE


@pytest.mark.known("documentation", "Set-NetNat: IcmpQueryTimeout, WinNAT keeps ICMP query sessions")
def test_echo_leaves_with_the_nodes_address_and_is_answered(place: Place) -> None:
    outside, ping = place.socket(place.client, socket.SOCK_RAW), place.socket(place.pod, socket.SOCK_RAW)
    ping.sendto(ECHO, (CLIENT, 0))
    assert outside.recvfrom(256)[1][0] == NODE
    answer, (source, _) = ping.recvfrom(256)
    assert (answer[20], source) == (0, CLIENT)


@pytest.mark.known("client code", "docker/for-win#458, docker/docs#8353: since Windows Server 2019")
@pytest.mark.parametrize(("kind", "protocol"), [(TCP, 6), (UDP, 17)])
@pytest.mark.parametrize("caller", ["client", "node", "pod"])
def test_a_published_port_leads_to_the_container(
    place: Place, kind: socket.SocketKind, protocol: int, caller: str
) -> None:
    """From outside; since Windows Server 2019 from the node too (docker/for-win#458); and from the container."""
    place.map(protocol, 8080, 80)
    server = place.socket(place.pod, kind, POD, 80)
    client = place.socket(getattr(place, caller), kind)
    client.connect((NODE, 8080))
    peer = _peer_of_one_exchange(server, client)
    assert caller != "client" or peer == CLIENT, "the client's address is kept"


@pytest.mark.known("inferred", "WinNAT lets in what belongs to a session or a static mapping")
def test_a_container_is_not_reached_past_its_published_ports(place: Place) -> None:
    """What comes in by itself is dropped; the mapped datagram sent after it arrives."""
    place.map(17, 8080, 80)
    server, client = place.socket(place.pod, UDP, POD, 80), place.socket(place.client, UDP)
    client.sendto(b"direct", (POD, 80))
    client.sendto(b"mapped", (NODE, 8080))
    assert server.recv(16) == b"mapped"


def _peer_of_one_exchange(server: socket.socket, client: socket.socket) -> str:
    """Send from the connected client, answer from the server; return whom the server saw."""
    if client.type is TCP:
        server, _ = server.accept()
    client.send(b"question")
    _, peer = server.recvfrom(16)
    address: str = peer[0] if peer else server.getpeername()[0]
    server.sendto(b"answer", peer) if peer else server.send(b"answer")
    assert client.recv(16) == b"answer"
    if client.type is TCP:
        server.close()
    return address
