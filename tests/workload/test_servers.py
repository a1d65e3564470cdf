"""Servers: what they say, and that they end whatever their clients do."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from hnsfake.dataplane.sandbox import NetNs, Sandbox
from hnsfake.workload import Compartment, Engine, Result

pytestmark = pytest.mark.ours("what stands in for a container's programs")

HERE, ALSO_HERE = "127.0.0.1", "127.0.0.2"


@pytest.mark.timeout(20)
def test_a_server_ends_though_a_client_stays(engine: Engine, netns: NetNs, place: Compartment) -> None:
    with engine.socket(netns, socket.AF_INET, socket.SOCK_STREAM) as client:
        with place.tcp_server() as server:
            client.connect((HERE, server.port))
            assert client.recv(4096)
        assert client.recv(4096) == b""


@pytest.mark.timeout(20)
def test_the_engine_ends_what_nobody_ended(sandbox: Sandbox, netns: NetNs) -> None:
    engine = Engine(sandbox)
    place = Compartment(engine, netns)
    server = place.tcp_server()
    place.udp_server()
    place.capture()
    with engine.socket(netns, socket.AF_INET, socket.SOCK_STREAM) as client:
        client.connect((HERE, server.port))
        assert client.recv(4096)
        engine.close()
    engine.close()


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_server_on_all_addresses_says_which_one_was_used(place: Compartment, protocol: str) -> None:
    with getattr(place, f"{protocol}_server")() as server:
        assert getattr(place, protocol)(ALSO_HERE, server.port).ok
        (seen,) = server.seen()
    assert seen.local == (ALSO_HERE, server.port)


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_probe_comes_from_the_address_it_was_given(place: Compartment, protocol: str) -> None:
    with getattr(place, f"{protocol}_server")() as server:
        outcome = getattr(place, protocol)(HERE, server.port, source=ALSO_HERE)
    assert outcome.seen is not None
    assert outcome.seen[0] == ALSO_HERE


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_port_that_is_taken_is_an_error_and_leaves_nothing_open(place: Compartment, protocol: str) -> None:
    start = getattr(place, f"{protocol}_server")
    with start() as server, pytest.raises(OSError, match="in use"):
        start(server.port)


def test_many_clients_at_once_are_all_seen(place: Compartment) -> None:
    with place.tcp_server() as server, ThreadPoolExecutor(8) as clients:
        outcomes = list(clients.map(lambda _: place.tcp(HERE, server.port), range(60)))
        assert {outcome.result for outcome in outcomes} == {Result.CONNECTED}
        assert {outcome.seen for outcome in outcomes} == {seen.peer for seen in server.seen()}
