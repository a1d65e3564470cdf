"""Releases with other than current updates, and quirks switched."""

from __future__ import annotations

import pytest

from hnsfake.releases import QUIRKS, RELEASES, Quirk, UnknownQuirkError, UnknownReleaseError, release

pytestmark = pytest.mark.ours("how releases, updates and quirks are named")


def test_a_release_without_an_update_is_current() -> None:
    assert release("ws2022") is RELEASES["ws2022"]


@pytest.mark.parametrize("name", ["ws2022@20348.288", "2022@20348.288", "ws2022@288"])
def test_an_update_is_named_behind_the_release(name: str) -> None:
    assert (release(name).name, release(name).update) == ("ws2022", 288)


@pytest.mark.parametrize("name", ["ws2022@", "ws2022@x", "ws2022@17763.1", "ws2022@20348.1.2", "ws2022@-1"])
def test_what_is_no_update_is_said_in_one_line(name: str) -> None:
    with pytest.raises(UnknownReleaseError, match=r"no update .* of ws2022: say which as 20348\."):
        release(name)


def test_an_unknown_release_with_an_update_is_unknown() -> None:
    with pytest.raises(UnknownReleaseError, match="no release 'ws2016': choose one of"):
        release("ws2016@14393.1")


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS.values() if quirk.shown], ids=lambda quirk: quirk.id)
def test_a_quirk_begins_and_ends_with_its_updates(quirk: Quirk) -> None:
    for span in quirk.spans:
        name, within = quirk.id, release(f"{span.release}@{span.first}")
        assert within.has(name)
        if span.first:
            assert not release(f"{span.release}@{span.first - 1}").has(name)
        if span.cured is not None:
            assert not release(f"{span.release}@{span.cured}").has(name)


def test_quirks_are_switched_on_and_off() -> None:
    changed = release("ws2022").switched({"node-clusterip": True, "acl-update-resets-flows": False})
    assert changed.has("node-clusterip")
    assert not changed.has("acl-update-resets-flows")
    assert changed.has("icmp-not-transposed")


@pytest.mark.parametrize(
    ("switches", "text"),
    [
        ({"nonsense": True}, "no quirk 'nonsense': docs/limits.md lists them"),
        ({"overlay-ipv6": True}, "quirk overlay-ipv6 can't be switched: "),
        ({"icmp-not-transposed": False}, "quirk icmp-not-transposed can't be switched off: "),
    ],
)
def test_what_can_not_be_switched_is_said_in_one_line(switches: dict[str, bool], text: str) -> None:
    with pytest.raises(UnknownQuirkError) as error:
        release("ws2022").switched(switches)
    assert str(error.value).startswith(text)
