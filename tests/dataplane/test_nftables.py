"""One buffer, one transaction; and errors that say what was refused."""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from hnsfake.dataplane import nftables
from hnsfake.dataplane.interface import DataplaneError, KernelLacksError
from hnsfake.dataplane.low_descriptors import KEPT, LowDescriptors
from hnsfake.dataplane.nftables import NftError
from hnsfake.dataplane.sandbox import NetNs, Sandbox

pytestmark = pytest.mark.ours("how our data plane speaks to nftables")


@pytest.fixture
def netns() -> Iterator[tuple[Sandbox, NetNs]]:
    with Sandbox.open() as sandbox:
        place = sandbox.new_netns("place")
        yield sandbox, place
        place.close()


def tables(listing: dict[str, Any]) -> set[str]:
    return {entry["table"]["name"] for entry in listing["nftables"] if "table" in entry}


def test_a_script_is_all_or_nothing(netns: tuple[Sandbox, NetNs]) -> None:
    sandbox, place = netns
    sandbox.run(place, nftables.run, "table inet kept {\n}\n")
    with pytest.raises(NftError, match="`wanting` in `delete table inet wanting`"):
        sandbox.run(place, nftables.run, "table inet new {\n}\ndelete table inet wanting\n")
    assert tables(sandbox.run(place, nftables.listing)) == {"kept"}


def test_a_namespace_has_its_own_rules(netns: tuple[Sandbox, NetNs]) -> None:
    sandbox, place = netns
    other = sandbox.new_netns("other")
    sandbox.run(place, nftables.run, "table inet here {\n}\n")
    assert tables(sandbox.run(other, nftables.listing)) == set()
    other.close()


def test_threads_do_not_meet(netns: tuple[Sandbox, NetNs]) -> None:
    sandbox, _ = netns
    places = [sandbox.new_netns(str(number)) for number in range(8)]
    script = "table inet t {{\nset s{0} {{\ntype ipv4_addr\nelements = {{ 10.0.0.1, 10.0.0.{0} }}\n}}\n}}\n"

    def fill(place: NetNs) -> set[str]:
        for number in range(2, 22):
            sandbox.run(place, nftables.run, script.format(number))
        listing = sandbox.run(place, nftables.listing, "table inet t")
        return {entry["set"]["name"] for entry in listing["nftables"] if "set" in entry}

    with ThreadPoolExecutor(len(places)) as threads:
        assert set(map(frozenset, threads.map(fill, places))) == {frozenset(f"s{n}" for n in range(2, 22))}
    for place in places:
        place.close()


def test_a_missing_library_is_said_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise OSError

    nftables._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(DataplaneError, match="apt-get install libnftables1"):
        nftables.run("")


SCRIPT = "table bridge b {;chain c {;type nat hook prerouting priority 0;;ct state new accept;};}"


def _error(message: str, piece: str, line: str) -> str:
    return f"{message}\ntable bridge b {{\n{' ' * line.index(piece)}{'^' * len(piece)}\n"


@pytest.mark.parametrize(
    ("message", "piece", "line", "kind"),
    [
        ("Error: Could not process rule: Protocol error", "ct state", SCRIPT, KernelLacksError),
        ("Error: Could not process rule: Operation not supported", "ct state", SCRIPT, KernelLacksError),
        ("Error: Could not process rule: No such file or directory", "nat", SCRIPT, KernelLacksError),
        ("Error: Could not process rule: File exists", "nat", SCRIPT, NftError),
        (
            "Error: Could not process rule: No such file or directory",
            "10.0.0.1",
            "table inet t {;};delete element inet t m { 10.0.0.1 }",
            NftError,
        ),
        ("Error: Could not process rule: No such file or directory", "t", "delete table inet t", NftError),
    ],
)
def test_what_the_kernel_lacks_is_told_from_what_it_refuses(
    message: str, piece: str, line: str, kind: type[DataplaneError]
) -> None:
    error = nftables.refusal(_error(message, piece, line), line)
    assert type(error) is kind
    assert f"`{piece}`" in str(error)


def test_an_error_without_a_mark_is_shown_as_it_is() -> None:
    assert str(nftables.refusal("netlink: Error: cache initialization failed\n", "")) == ("cache initialization failed")


def test_scripts_run_where_a_thousand_files_are_open(netns: tuple[Sandbox, NetNs]) -> None:
    sandbox, place = netns
    with ExitStack() as stack:
        for _ in range(1200):
            stack.enter_context(open(os.devnull, "rb"))
        for number in range(100):
            sandbox.run(place, nftables.run, f"table inet t{number} {{\n}}\n")
    assert len(tables(sandbox.run(place, nftables.listing))) == 100


def test_without_a_low_descriptor_it_says_so() -> None:
    numbers = LowDescriptors()
    with ExitStack() as stack:
        for _ in range(1200):
            stack.enter_context(open(os.devnull, "rb"))
        made = [_low_socket(numbers, stack) for _ in range(KEPT)]
        assert len(set(made)) == KEPT
        with pytest.raises(DataplaneError, match="too many open files"):
            _low_socket(numbers, stack)


def _low_socket(numbers: LowDescriptors, stack: ExitStack) -> int | None:
    made, number = numbers.make(_netlink_socket, socket.socket.close)
    stack.callback(made.close)
    return number


def _netlink_socket() -> socket.socket:
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
