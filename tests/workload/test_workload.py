"""Workloads in a compartment, without a process each."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from hnsfake import Lab
from hnsfake.documents.dns import DnsSettings
from hnsfake.workload import Compartment, ResolutionError, Result
from hnsfake.workload.frames import parse
from hnsfake.workload.resolver import full_name

OUTSIDE = "203.0.113.10"
NODE = "10.127.0.11"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(["n1"]) as made:
        yield made


@pytest.fixture
def node(lab: Lab) -> Compartment:
    return lab.nodes["n1"].compartment(1)


@pytest.mark.ours("what stands in for a container's programs")
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_server_says_whom_it_saw(lab: Lab, node: Compartment, protocol: str) -> None:
    with getattr(lab.outside, f"{protocol}_server")() as server:
        outcome = getattr(node, protocol)(OUTSIDE, server.port)
        (seen,) = server.seen()
    assert outcome.result is Result.CONNECTED
    assert outcome.seen == seen.peer == outcome.local
    assert outcome.seen is not None
    assert outcome.seen[0] == NODE


@pytest.mark.ours("what stands in for a container's programs")
def test_a_port_nobody_listens_on_is_refused(node: Compartment) -> None:
    assert node.tcp(OUTSIDE, 9).result is Result.REFUSED
    assert node.udp(OUTSIDE, 9).result is Result.REFUSED


@pytest.mark.ours("what stands in for a container's programs")
def test_an_address_nobody_has_is_unreachable_or_times_out(node: Compartment) -> None:
    assert node.tcp("203.0.113.99", 80, timeout=0.3).result in (Result.UNREACHABLE, Result.TIMED_OUT)
    assert node.ping("203.0.113.99", timeout=0.3).result in (Result.UNREACHABLE, Result.TIMED_OUT)


@pytest.mark.ours("what stands in for a container's programs")
def test_ping_is_answered_by_whom_it_was_sent_to(node: Compartment) -> None:
    outcome = node.ping(OUTSIDE)
    assert outcome.replied_from == (OUTSIDE, 0)


@pytest.mark.ours("what stands in for a container's programs")
def test_a_capture_yields_parsed_frames(lab: Lab, node: Compartment) -> None:
    with lab.wire.capture("wire") as capture:
        node.ping(OUTSIDE)
        request = capture.wait_for(lambda frame: frame.icmp_type == 8)
    assert (request.source, request.destination) == (NODE, OUTSIDE)
    assert request.source_mac == "00-15-5D-7F-00-0B"


@pytest.mark.ours("what stands in for a container's programs")
def test_a_capture_that_sees_nothing_says_what_it_saw(lab: Lab) -> None:
    with lab.wire.capture("wire") as capture, pytest.raises(TimeoutError, match="no such frame"):
        capture.wait_for(lambda frame: frame.vni == 1, timeout=0.05)


@pytest.mark.ours("what stands in for a container's programs")
def test_servers_cost_no_thread_each(lab: Lab) -> None:
    with lab.outside.tcp_server():
        before = threading.active_count()
        servers = [lab.outside.tcp_server() for _ in range(50)]
        after = threading.active_count()
        for server in servers:
            server.close()
    assert after - before <= 8  # the sandbox's threads, at most


@pytest.mark.ours("what stands in for a container's programs")
def test_closing_twice_is_allowed(lab: Lab) -> None:
    server = lab.outside.udp_server()
    server.close()
    server.close()


@pytest.mark.known("documentation", "kubernetes/website windows-networking: one suffix for a name without a dot")
@pytest.mark.parametrize(
    ("name", "asked"),
    [("kubernetes", "kubernetes.default.svc"), ("a.b", "a.b"), ("kubernetes.default", "kubernetes.default")],
)
def test_one_suffix_for_a_name_without_a_dot_and_none_for_others(name: str, asked: str) -> None:
    settings = DnsSettings(search=("default.svc", "svc"))
    assert full_name(name, settings) == asked


@pytest.mark.ours("what stands in for a container's programs")
def test_without_servers_nothing_resolves(node: Compartment) -> None:
    with pytest.raises(ResolutionError, match="no DNS servers"):
        node.resolve("example.com")


@pytest.mark.ours("what stands in for a container's programs")
@pytest.mark.parametrize("data", [b"", b"\0" * 5, b"\xff" * 14, b"\x45" * 60])
def test_what_is_no_frame_is_parsed_as_far_as_it_goes(data: bytes) -> None:
    assert parse(data).vni is None
