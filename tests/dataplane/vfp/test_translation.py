"""What OutBoundNAT, PortMapping and SDNRoute do to packets at a port."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from hnsfake.dataplane.interface import RouteWant
from hnsfake.dataplane.vfp.sdn_route import routes
from hnsfake.documents.policies import Acl, OutboundNat, Policy, PortMapping, SdnRoute

from .cable import ECHO, HOST_MAC, MANAGEMENT, POD, POOL, WORLD, Cable

AZURE = "Azure/azure-container-networking network/policy/policy_windows.go"
NAT_POOLS = "projectcalico/calico#4682: an endpoint has a TcpNatPool and a UdpNatPool"

IP = 0x0800


def nat(**settings: Any) -> OutboundNat:
    return OutboundNat.from_v2(settings)


def in_pool(port: int) -> bool:
    first, count = POOL
    return first <= port < first + count


def peer_of(cable: Cable, destination: str, port: int = 7000) -> tuple[str, int]:
    """Send a datagram from the pod; return whom the receiver saw, after an answer has come back."""
    receiver = cable.udp(cable.world, destination, port)
    sender = cable.udp(cable.pod, POD)
    sender.sendto(b"question", (destination, port))
    _, peer = receiver.recvfrom(64)
    receiver.sendto(b"answer", peer)
    assert sender.recvfrom(64) == (b"answer", (destination, port))
    return str(peer[0]), int(peer[1])


@pytest.mark.known("inferred", NAT_POOLS)
def test_udp_leaves_with_the_nodes_address_and_a_port_of_the_block(cable: Cable) -> None:
    cable.load(nat())
    address, port = peer_of(cable, WORLD[0])
    assert address == MANAGEMENT
    assert in_pool(port)


@pytest.mark.known("inferred", NAT_POOLS)
def test_tcp_leaves_with_the_nodes_address_and_a_port_of_the_block(cable: Cable) -> None:
    cable.load(nat())
    listener = cable.server(cable.world, WORLD[0], 443)
    client = cable.client(cable.pod, POD)
    client.connect((WORLD[0], 443))
    accepted, (address, port) = listener.accept()
    with accepted:
        assert address == MANAGEMENT
        assert in_pool(port)
        accepted.sendall(b"answer")
        assert client.recv(16) == b"answer"


@pytest.mark.known("documentation", "kubernetes/website windows-networking.md; seen: microsoft/SDN#440")
def test_icmp_leaves_with_its_own_address(cable: Cable) -> None:
    """kubernetes/website windows-networking: TCP and UDP only. Seen: microsoft/SDN#440."""
    cable.load(nat())
    ping, outside = cable.icmp(cable.pod), cable.icmp(cable.world)
    ping.sendto(ECHO, (WORLD[0], 0))
    _, (source, _) = outside.recvfrom(256)
    assert source == POD


@pytest.mark.known("client code", AZURE + ": VirtualIP")
def test_the_virtual_ip_is_the_source_where_it_is_given(cable: Cable) -> None:
    cable.load(nat(VirtualIP="10.127.0.99"))
    receiver = cable.udp(cable.world, WORLD[0], 7000)
    cable.udp(cable.pod, POD).sendto(b"question", (WORLD[0], 7000))
    assert receiver.recvfrom(64)[1][0] == "10.127.0.99"


@pytest.mark.known("client code", AZURE + "; containernetworking/plugins pkg/hns")
@pytest.mark.parametrize(
    ("policies", "translated"),
    [
        ([nat(Exceptions="203.0.113.2/32")], {WORLD[0], WORLD[2]}),
        ([nat(Exceptions="203.0.113.0/25,203.0.113.1")], {WORLD[2]}),
        ([nat(Exceptions="2001:db8::/64")], set(WORLD)),
        ([nat(Destinations="203.0.113.128/25")], {WORLD[2]}),
        ([nat(Destinations="2001:db8::/64")], set()),
        ([nat(Destinations="203.0.113.0/24", Exceptions=WORLD[0])], set(WORLD[1:])),
        ([nat(Exceptions="203.0.113.0/24"), nat(Destinations=WORLD[1])], {WORLD[1]}),
        ([nat(Destinations="10.1.0.10"), nat(VirtualIP="2001:db8::1")], set()),
    ],
    ids=lambda value: "" if isinstance(value, list) else "+".join(sorted(value)),
)
def test_exceptions_and_destinations(cable: Cable, policies: list[Policy], translated: set[str]) -> None:
    cable.load(*policies)
    seen = {destination: peer_of(cable, destination)[0] for destination in WORLD}
    assert {destination for destination, address in seen.items() if address == MANAGEMENT} == translated
    assert set(seen.values()) <= {MANAGEMENT, POD}


@pytest.mark.known("documentation", "Firestone, VFP, NSDI 2017: flows are tracked")
def test_answers_to_what_came_in_are_not_translated(cable: Cable) -> None:
    cable.load(nat())
    server, client = cable.udp(cable.pod, POD, 53), cable.udp(cable.world, WORLD[0])
    client.sendto(b"question", (POD, 53))
    _, peer = server.recvfrom(64)
    server.sendto(b"answer", peer)
    assert client.recvfrom(64) == (b"answer", (POD, 53))


@pytest.mark.known("documentation", "MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet")
def test_acls_see_the_pods_own_address(cable: Cable) -> None:
    allow = {"Action": "Allow", "Direction": "Out", "Priority": 100, "LocalAddresses": POD}
    cable.load(nat(), Acl.from_v2(allow))
    assert peer_of(cable, WORLD[0])[0] == MANAGEMENT


@pytest.mark.known("inferred", "microsoft/SDN Kubernetes/windows/debug/networkhealth.ps1: names of VFP's rules")
@pytest.mark.parametrize("protocol", [6, 17])
def test_a_mapped_port_leads_to_the_pod_and_keeps_the_client(cable: Cable, protocol: int) -> None:
    allow = {"Action": "Allow", "Direction": "In", "Priority": 100, "LocalPorts": "80", "LocalAddresses": POD}
    mapping = PortMapping.from_v2({"Protocol": protocol, "InternalPort": 80, "ExternalPort": 8080})
    cable.load(nat(), mapping, Acl.from_v2(allow))
    kind = socket.SOCK_STREAM if protocol == 6 else socket.SOCK_DGRAM
    server = cable.server(cable.pod, POD, 80) if protocol == 6 else cable.udp(cable.pod, POD, 80)
    client = (cable.client if kind is socket.SOCK_STREAM else cable.udp)(cable.world, WORLD[0])
    client.connect((MANAGEMENT, 8080))  # on UDP: answers count only if they come from there
    if protocol == 6:
        accepted, peer = server.accept()
        with accepted:
            accepted.sendall(b"answer")
            assert client.recv(16) == b"answer"
    else:
        client.send(b"question")
        _, peer = server.recvfrom(64)
        server.sendto(b"answer", peer)
        assert client.recv(16) == b"answer"
    assert peer == client.getsockname()


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnpolicy.go: a mapping names a VIP and a protocol")
def test_a_mapping_for_another_address_or_protocol_does_nothing(cable: Cable) -> None:
    for settings in ({"Protocol": 6}, {"Protocol": 17, "VIP": "10.127.0.99"}, {"VIP": "2001:db8::1"}):
        cable.load(PortMapping.from_v2({"InternalPort": 80, "ExternalPort": 8080, **settings}))
        server, client = cable.udp(cable.pod, POD, 80), cable.udp(cable.world, WORLD[0])
        client.sendto(b"mapped", (MANAGEMENT, 8080))
        client.sendto(b"direct", (POD, 80))
        assert server.recv(16) == b"direct"
        server.close()


@pytest.fixture
def seen(cable: Cable) -> Callable[[str], str]:
    """Return a function that returns the destination MAC of the next packet for an address."""
    capture = cable.frames(cable.world, "far")

    def destination_mac(address: str) -> str:
        while True:
            frame = capture.recv(2048)
            kind: int = struct.unpack_from("!H", frame, 12)[0]
            if kind == IP and socket.inet_ntoa(frame[30:34]) == address:
                return frame[:6].hex("-").upper()

    return destination_mac


@pytest.mark.known("client code", "aws/amazon-vpc-cni-plugins plugins/vpc-bridge")
def test_a_route_with_encap_hands_the_prefix_to_the_host(cable: Cable, seen: Callable[[str], str]) -> None:
    cable.load(SdnRoute.from_v2({"DestinationPrefix": "203.0.113.128/25", "NeedEncap": True}), nat())
    sender = cable.udp(cable.pod, POD)
    sender.sendto(b"", (WORLD[2], 7000))
    assert seen(WORLD[2]) == HOST_MAC
    sender.sendto(b"", (WORLD[0], 7000))
    assert seen(WORLD[0]) != HOST_MAC


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnpolicy.go SDNRoutePolicySetting: NextHop")
def test_a_route_with_a_next_hop_is_the_compartments(cable: Cable) -> None:
    hop = SdnRoute.from_v2({"DestinationPrefix": "203.0.113.0/24", "NextHop": "10.1.0.1"})
    assert cable.script([hop]) == ""
    assert routes([hop, nat()]) == [RouteWant(hop.destination_prefix, hop.next_hop)]
