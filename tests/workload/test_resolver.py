"""The resolver and the DNS server of the tests."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import dns.message
import dns.rcode
import pytest

from hnsfake.dataplane.sandbox import NetNs
from hnsfake.documents.dns import DnsSettings
from hnsfake.workload import Compartment, DnsServer, Engine, ResolutionError

HERE, SILENT = "127.0.0.1", "127.0.0.9"
ZONE = {"web.default.svc": ["10.96.0.7", "fd00::7"], "four.only": ["10.96.0.4"]}


@pytest.fixture
def server(place: Compartment) -> Iterator[DnsServer]:
    with place.dns_server(ZONE, HERE) as made:
        yield made


def _client(engine: Engine, netns: NetNs, *servers: str, search: tuple[str, ...] = ("default.svc",)) -> Compartment:
    return Compartment(engine, netns, lambda: DnsSettings(search=search, servers=servers))


@pytest.mark.known("documentation", "kubernetes/website windows-networking: one suffix for a name without a dot")
def test_a_short_name_is_asked_for_once_with_one_suffix(engine: Engine, netns: NetNs, server: DnsServer) -> None:
    client = _client(engine, netns, HERE, search=("other.svc", "default.svc"))
    with pytest.raises(ResolutionError, match="NXDOMAIN"):
        client.resolve("web")
    assert server.asked() == ["web.other.svc"]


@pytest.mark.ours("what stands in for a container's programs")
@pytest.mark.parametrize(("kind", "found"), [("A", ("10.96.0.7",)), ("AAAA", ("fd00::7",)), ("TXT", ())])
def test_each_kind_of_record(
    engine: Engine, netns: NetNs, server: DnsServer, kind: str, found: tuple[str, ...]
) -> None:
    assert _client(engine, netns, HERE).resolve("web", kind) == found


@pytest.mark.ours("what stands in for a container's programs")
def test_a_name_without_the_kind_asked_for_resolves_to_nothing(engine: Engine, netns: NetNs, server: DnsServer) -> None:
    assert _client(engine, netns, HERE).resolve("four.only", "AAAA") == ()


@pytest.mark.ours("what stands in for a container's programs")
def test_the_next_server_is_asked_where_one_is_silent(
    engine: Engine, netns: NetNs, place: Compartment, server: DnsServer
) -> None:
    with place.udp_server(53, SILENT):  # answers, but no DNS
        assert _client(engine, netns, SILENT, HERE).resolve("web", timeout=0.3) == ("10.96.0.7",)


@pytest.mark.ours("what stands in for a container's programs")
def test_what_is_no_question_is_refused_and_the_server_goes_on(engine: Engine, netns: NetNs, server: DnsServer) -> None:
    with engine.socket(netns, socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.sendto(b"nonsense", (HERE, 53))
        client.sendto(b"\x12\x34\x01\x00" + bytes(8), (HERE, 53))
        assert dns.message.from_wire(client.recv(500)).rcode() == dns.rcode.FORMERR
    assert _client(engine, netns, HERE).resolve("web") == ("10.96.0.7",)
