"""Captures: complete, of what was asked for, and honest about what they missed."""

from __future__ import annotations

import socket
from threading import Event, Thread

import dpkt
import pytest

from hnsfake import Lab
from hnsfake.dataplane.sandbox import NetNs, Sandbox
from hnsfake.workload import Compartment, Engine, capture
from hnsfake.workload.frames import parse

pytestmark = pytest.mark.ours("what stands in for a container's programs")

HERE, PORT = "127.0.0.1", 4242


def _send(engine: Engine, netns: NetNs, count: int) -> None:
    with engine.socket(netns, socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(count):
            sender.sendto(bytes(1000), (HERE, PORT))


def test_a_burst_is_captured_whole_and_in_both_directions(engine: Engine, netns: NetNs, place: Compartment) -> None:
    with place.capture() as captured, place.udp_server(PORT):
        _send(engine, netns, 3000)
    assert captured.lost == 0
    sent = captured.frames(lambda frame: frame.destination_port == PORT)
    assert [frame.outgoing for frame in sent] == [True, False] * 3000


def test_a_capture_without_room_counts_what_it_lost(
    engine: Engine, netns: NetNs, place: Compartment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "_BUFFER", 4096)
    go_on = Event()
    with place.udp_server(PORT), place.capture() as captured:
        busy = Thread(target=engine.call, args=(go_on.wait,))
        busy.start()
        _send(engine, netns, 100)
        go_on.set()
        busy.join()
    assert captured.lost > 0


def test_a_capture_of_one_interface_sees_no_other(sandbox: Sandbox, engine: Engine) -> None:
    with Lab(["n1"]) as lab:
        node = lab.nodes["n1"].compartment(1)
        enough = Event()

        def chatter() -> None:
            while not enough.is_set():
                _send(engine, node.netns, 100)

        talking = Thread(target=chatter)
        talking.start()
        try:
            captures = [node.capture("nic0") for _ in range(50)]
            for captured in captures:
                captured.close()
        finally:
            enough.set()
            talking.join()
        assert not [frame for captured in captures for frame in captured if frame.source == HERE]


def test_more_frames_are_waited_for_from_a_number_on(engine: Engine, netns: NetNs, place: Compartment) -> None:
    with place.capture() as captured, place.udp_server(PORT):
        assert captured.wait_for_more(0, timeout=0.01) == []
        _send(engine, netns, 1)
        assert captured.wait_for_more(0, timeout=5)
        captured.wait_for(lambda frame: frame.source_port == PORT and not frame.outgoing)
        seen = len(captured.frames())
        assert captured.wait_for_more(seen, timeout=0.01) == []


def _ethernet(kind: int, payload: bytes) -> bytes:
    return b"\x02\x11\x0a\x00\x00\x01" + b"\x00\x15\x5d\x01\x02\x03" + kind.to_bytes(2, "big") + payload


def _ip(protocol: int, payload: object) -> bytes:
    return bytes(dpkt.ip.IP(src=b"\x0a\0\0\x01", dst=b"\x0a\0\0\x02", p=protocol, ttl=63, data=payload))


def test_vxlan_is_opened() -> None:
    inner = _ethernet(0x0800, _ip(6, dpkt.tcp.TCP(sport=1234, dport=80, flags=2)))
    outer = dpkt.udp.UDP(sport=50000, dport=4789, data=b"\x08\0\0\0\0\x10\x01\0" + inner)
    outer.ulen = 8 + len(outer.data)
    frame = parse(_ethernet(0x0800, _ip(17, outer)))
    assert (frame.vni, frame.source_port, frame.destination_port, frame.ttl) == (4097, 50000, 4789, 63)
    assert frame.inner is not None
    assert (frame.inner.source_mac, frame.inner.destination_mac) == ("00-15-5D-01-02-03", "02-11-0A-00-00-01")
    assert (frame.inner.source, frame.inner.destination_port, frame.inner.tcp_flags) == ("10.0.0.1", 80, 2)


def test_arp_is_read() -> None:
    request = dpkt.arp.ARP(op=1, sha=b"\x00\x15\x5d\x01\x02\x03", spa=b"\x0a\0\0\x01", tpa=b"\x0a\0\0\x02")
    frame = parse(_ethernet(0x0806, bytes(request)))
    assert (frame.arp_operation, frame.source, frame.destination) == (1, "10.0.0.1", "10.0.0.2")
    assert frame.arp_sender_mac == "00-15-5D-01-02-03"


def test_ipv6_is_read() -> None:
    echo = dpkt.icmp6.ICMP6(type=128, data=dpkt.icmp6.ICMP6.Echo())
    packet = dpkt.ip6.IP6(src=b"\xfd" + bytes(15), dst=bytes(15) + b"\x01", nxt=58, hlim=64, data=echo)
    packet.extension_hdrs = {}
    packet.plen = len(bytes(echo))
    frame = parse(_ethernet(0x86DD, bytes(packet)))
    assert (frame.source, frame.destination, frame.protocol, frame.icmp_type) == ("fd00::", "::1", 58, 128)
