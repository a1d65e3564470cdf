"""Batches: every message is answered for, and a refusal says what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, ip_address

import pytest

from hnsfake.dataplane import ip_messages, messages, netlink
from hnsfake.dataplane.interface import KernelLacksError
from hnsfake.dataplane.netlink import NetlinkError, Template
from hnsfake.dataplane.sandbox import NetNs, Sandbox

from .kernel_state import state

pytestmark = pytest.mark.ours("how our data plane speaks to the kernel")

UP = messages.loopback_up()
MAC = "02-11-0A-00-00-01"


@pytest.fixture
def netns(sandbox: Sandbox) -> Iterator[NetNs]:
    netns = sandbox.new_netns("place")
    yield netns
    netns.close()


def addresses(count: int) -> list[bytes]:
    return [ip_messages.address(1, IPv4Interface(f"10.{n >> 8}.{n & 0xFF}.1/32")) for n in range(count)]


def test_a_batch_larger_than_the_socket_holds_answers_for(sandbox: Sandbox, netns: NetNs) -> None:
    sandbox.run(netns, netlink.send, [UP, *addresses(2000)], "give addresses")
    assert len(sandbox.run(netns, state)["addresses"]) == 2001


@pytest.mark.parametrize("position", [0, 1, 700])
def test_the_first_refusal_is_named_by_its_place(sandbox: Sandbox, netns: NetNs, position: int) -> None:
    batch = addresses(800)
    batch[position] = ip_messages.address(99, IPv4Interface("10.0.0.1/32"))
    with pytest.raises(NetlinkError, match=r"give addresses: .*No such device") as refusal:
        sandbox.run(netns, netlink.send, batch, "give addresses")
    assert refusal.value.position == position


def test_the_kernels_own_words_are_passed_on(sandbox: Sandbox, netns: NetNs) -> None:
    request = ip_messages.route(IPv4Network("10.9.0.0/16"), IPv4Address("192.0.2.1"), 1)
    with pytest.raises(NetlinkError, match="Nexthop has invalid gateway"):
        sandbox.run(netns, netlink.send, [UP, request], "add a route")


def test_an_unknown_kind_of_interface_is_what_the_kernel_lacks(sandbox: Sandbox, netns: NetNs) -> None:
    request = netlink.encode(lambda batch: batch.link("add", ifname="x", kind="nosuchkind"))
    with pytest.raises(KernelLacksError, match="kernel lacks what is needed to make an interface"):
        sandbox.run(netns, netlink.send, [request], "make an interface")


def test_a_link_is_used_from_any_namespace(sandbox: Sandbox, netns: NetNs) -> None:
    other = sandbox.new_netns("other")
    link = sandbox.run(netns, netlink.Link)
    sandbox.run(other, link.send, [UP, *addresses(3)], "give addresses")
    assert len(sandbox.run(netns, state)["addresses"]) == 4
    assert len(sandbox.run(other, state)["addresses"]) == 1
    link.close()
    link.close()
    other.close()


def test_reverting_passes_over_what_is_so_already(
    sandbox: Sandbox, netns: NetNs, caplog: pytest.LogCaptureFixture
) -> None:
    with sandbox.run(netns, netlink.Link) as link:
        link.revert([messages.delete_link(77), UP, *addresses(2), *addresses(2)])
        assert not caplog.records
        link.revert([messages.into_bridge(1, 1)])
        assert "taking back" in caplog.text
    assert len(sandbox.run(netns, state)["addresses"]) == 3


def test_a_template_is_filled_by_marks_that_occur_once() -> None:
    template = Template(b"aaXXbbYY", first=b"XX", second=b"YY")
    assert template.fill(first=b"12", second=b"34") == b"aa12bb34"
    with pytest.raises(ValueError, match="3 bytes, not 2"):
        template.fill(first=b"123")
    with pytest.raises(ValueError, match="occurs 2 times"):
        Template(b"XXXX", first=b"XX")


@pytest.mark.parametrize("made", ["neighbour", "forget_neighbour", "tunnel_to", "forget_tunnel"])
@pytest.mark.parametrize("address", ["10.0.0.1", "fd00::1"])
def test_each_family_of_address_has_its_messages(made: str, address: str) -> None:
    where = ip_address(address)
    arguments = {
        "neighbour": (where, MAC, 7),
        "forget_neighbour": (where, 7),
        "tunnel_to": (MAC, 7, where),
        "forget_tunnel": (MAC, 7, where),
    }
    assert where.packed in getattr(messages, made)(*arguments[made])
