"""``hnsfake up --state`` is killed at random points: nothing that was acknowledged is lost.

How often: ``--kills`` (40 in the ordinary run, most of them without packets, where a start is quick).
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.clients.daemon import NODE, Daemon
from tests.frontends.crash import NETWORK, Account, shown_by

# httpcore leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

CLIENTS = 4
_MOST, _PATIENCE = 80, 30
"""A lab is killed after so many answers at most, while other calls are under way."""
_LINUX = 10
"""One kill in so many is of a lab with packets."""


@pytest.fixture
def network() -> dict[str, object]:
    subnets = [{"AddressPrefix": "10.1.0.0/16"}]
    return {"ID": NETWORK, "Name": "one", "Type": "L2Bridge", "Subnets": subnets}


def killed_again_and_again(daemon: Daemon, kills: int, network: object) -> Iterator[dict[str, object]]:
    """Kill a lab while clients work on it; yield what it has each time it is there again, checked."""
    heard = threading.Semaphore(0)
    accounts = [Account(seed, heard) for seed in range(CLIENTS)]
    socket = f"\0hnsfake/{daemon.name}/{NODE}"
    daemon.start()
    with httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://n1") as http:
        assert http.post("/networks/", json=network).json()["Success"]
    for _ in range(kills):
        with ThreadPoolExecutor(CLIENTS) as pool:
            working = [pool.submit(account.work, socket) for account in accounts]
            for _answer in range(random.randrange(_MOST)):
                assert heard.acquire(timeout=_PATIENCE), "HNS answers nobody"
            daemon.kill()
            for work in working:
                work.result()
        daemon.start()
        with httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://n1") as http:
            shown = shown_by(http)
        for account in accounts:
            account.check(shown)
        assert set(shown) <= {key for account in accounts for key in account.known}
        yield shown
    assert sum(account.acknowledged for account in accounts) > kills


@pytest.mark.timeout(3600)
def test_what_was_acknowledged_outlives_every_kill(tmp_path: Path, kills: int, network: object) -> None:
    daemon = Daemon(tmp_path / "state")
    try:
        for _shown in killed_again_and_again(daemon, max(1, kills - kills // _LINUX), network):
            pass
    finally:
        daemon.kill()


@pytest.mark.timeout(3600)
def test_after_every_kill_the_kernel_has_what_the_journal_has(tmp_path: Path, kills: int, network: object) -> None:
    daemon = Daemon(tmp_path / "state", "linux")
    try:
        for shown in killed_again_and_again(daemon, max(1, kills // _LINUX), network):
            attached = [value for value in shown.values() if isinstance(value, tuple) and value[2]]
            for namespace in sorted({value[2] for value in attached})[:5]:
                listed = json.loads(daemon.exec(namespace, "ip", "-j", "-4", "addr"))
                inside = {a["local"] for link in listed for a in link["addr_info"]} - {"127.0.0.1"}
                assert inside == {address for _, address, where in attached if where == namespace}
    finally:
        daemon.kill()
