"""The normal form: names for values, in the order of first sight."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hnsfake.recording.names import Names
from hnsfake.recording.normal import exchange, normal_text, normal_value
from hnsfake.service.call import Call, Reply

ONE, TWO = "6A0B1C2D-1111-4222-8333-444455556666", "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"

guids = st.uuids(version=4).map(str).filter(lambda text: any(letter.isalpha() for letter in text))
spelled = st.tuples(guids, st.sampled_from([str.upper, str.lower])).map(lambda pair: pair[1](pair[0]))
macs = st.integers(0, 2**48 - 1).map(lambda number: "-".join(f"{number:012X}"[at : at + 2] for at in range(0, 12, 2)))
addresses = st.one_of(st.ip_addresses().map(str), st.sampled_from(["10.1.0.0/16", "fd00::/64", "10.1.2.3"]))
noise = st.text('0aF9-:./ <>{}\\"guid', max_size=12)
texts = st.lists(st.one_of(spelled, macs, addresses, noise), max_size=6).map("".join)
members = st.sampled_from(["ID", "NamespaceId", "LastUpdateTime", "PortOperationTime", "BytesSent", "StartMacAddress"])
leaves = st.one_of(texts, st.integers(0, 2**60), st.booleans(), st.none(), st.floats(allow_nan=False))
documents = st.recursive(
    leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(members, inner, max_size=4))
)


@given(documents)
def test_what_is_normal_stays_as_it_is(document: Any) -> None:
    once = normal_value(document, Names())
    assert normal_value(once, Names()) == once


five = st.lists(guids, min_size=5, max_size=5, unique=True)


@given(five, five, st.lists(st.tuples(st.sampled_from(range(5)), st.booleans()), min_size=1))
def test_other_ids_in_the_same_places_have_the_same_form(
    ids: list[str], others: list[str], places: list[tuple[int, bool]]
) -> None:
    def document(five: list[str]) -> dict[str, Any]:
        written = [five[place].upper() if upper else five[place] for place, upper in places]
        return {"References": [f"/endpoints/{text}" for text in written], "Filter": json.dumps({"ID": written[0]})}

    assert normal_value(document(ids), Names()) == normal_value(document(others), Names())


@given(st.lists(st.one_of(guids, macs, st.ip_addresses(v=4).map(str)), unique=True))
def test_distinct_values_have_distinct_names_and_equal_ones_the_same(values: list[str]) -> None:
    names = Names()
    first = [normal_text(value, names) for value in values]
    assert len(set(first)) == len(values)
    assert [normal_text(value, names) for value in values] == first


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        ((ONE, TWO, ONE), ["<guid 1>", "<guid 2>", "<guid 1>"]),
        ((ONE, ONE.lower()), ["<guid 1>", "<guid 1 lower>"]),
        ((f"/endpoints/{ONE.lower()}/attach",), ["/endpoints/<guid 1 lower>/attach"]),
        ((f"NAT{ONE}", f"{{{ONE}}}"), ["NAT<guid 1>", "{<guid 1>}"]),
        (("Container NIC 6a0b1c2d", "Container NIC"), ["Container NIC <start of guid>", "Container NIC"]),
        (("00-15-5D-01-02-0A", "00:15:5d:01:02:0a"), ["<mac 1>", "<mac 1 colon lower>"]),
        (("10.1.0.0/24", "10.1.0.9", "10.2.0.9"), ["<address 1>/24", "<address 2 in 1>", "<address 3>"]),
        (("10.1.0.0/16", "10.1.2.0/24", "10.1.2.3"), ["<address 1>/16", "<address 2 in 1>/24", "<address 3 in 2>"]),
        (("10.1.0.9-10.1.0.11,10.1.0.9:80",), ["<address 1>-<address 2>,<address 1>:80"]),
        (("fd00::a", "FD00::A", "fd00:0::a"), ["<address 1>", "<address 1 upper>", "<address 1 long>"]),
        (("0.0.0.0/0", "::/0", "127.0.0.1", "224.0.0.1"), ["0.0.0.0/0", "::/0", "127.0.0.1", "224.0.0.1"]),
        (("10.0.20348.1", "12:30:45", "1.2.3", "300.1.1.1"), ["10.0.20348.1", "12:30:45", "1.2.3", "300.1.1.1"]),
        (("00000000-0000-0000-0000-000000000000",), ["00000000-0000-0000-0000-000000000000"]),
        (("F74F241B-440F-4433-BB28-00F89EAD20D8",), ["F74F241B-440F-4433-BB28-00F89EAD20D8"]),
    ],
)
def test_values_are_named_wherever_they_stand_in_a_text(texts: tuple[str, ...], form: list[str]) -> None:
    names = Names()
    assert [normal_text(text, names) for text in texts] == form


def test_a_mac_says_which_block_it_is_from() -> None:
    pools = {"MacPools": [{"EndMacAddress": "00-15-5D-1C-4F-FF", "StartMacAddress": "00-15-5D-1C-40-00"}]}
    names = Names()
    assert normal_value(pools, names) == {"MacPools": [{"EndMacAddress": "<mac 2 in 1>", "StartMacAddress": "<mac 1>"}]}
    assert normal_text("00-15-5D-1C-42-17", names) == "<mac 3 in 1>"
    assert normal_text("00-15-5D-1D-42-17", names) == "<mac 4>"


def test_moments_and_measurements_have_no_value() -> None:
    shown = {"LastUpdateTime": 133_000_000_000_000_000, "VfpOperationTime": 0, "PacketsSent": 17, "LastErrorCode": 0}
    assert normal_value(shown, Names()) == {
        "LastUpdateTime": "<time>",
        "VfpOperationTime": "<duration>",
        "PacketsSent": "<count>",
        "LastErrorCode": 0,
    }


def test_compartments_are_named_but_for_the_hosts() -> None:
    assert normal_value([{"NamespaceId": 7}, {"CompartmentId": 1}, {"CompartmentId": 7}], Names()) == [
        {"NamespaceId": "<compartment 1>"},
        {"CompartmentId": 1},
        {"CompartmentId": "<compartment 1>"},
    ]


def test_numbers_texts_and_nothing_stay_what_they_are() -> None:
    document = {"a": 1, "b": "1", "c": None, "d": True, "e": 1.5, "f": [], "g": {}}
    shown = normal_value(document, Names())
    assert json.dumps(shown) == json.dumps(document)


def test_an_exchange_says_what_the_caller_brought_in() -> None:
    names = Names()
    create = Call("HcnCreateNetwork", json.dumps({"Ipams": "10.1.0.0/24"}), id=ONE.lower())
    made = exchange(create, Reply(0, None, None, 991), names)
    assert made.given == {"guid 1": ONE, "address 1": "10.1.0.0"}
    assert (made.call["id"], made.reply["handle"]) == ("<guid 1 lower>", "<handle 1>")
    assert exchange(Call("HcnQueryNetworkProperties", handle=991), Reply(), names).given == {}


@pytest.mark.parametrize(
    "document", [b"\xff", '{"a": 1, "a": 2}', "[NaN]", "1e999", "[" * 100 + "]" * 100, "\ufeff{}", b'{"a": "\xff"}']
)
def test_a_document_that_would_not_survive_parsing_is_kept_as_text(document: bytes | str) -> None:
    call = exchange(Call("HcnCreateNetwork", document), Reply(), Names()).call
    text = document if isinstance(document, str) else document.decode("utf-8", "surrogateescape")
    assert call == {"operation": "HcnCreateNetwork", "document_text": text}


def shown(names: Names, **document: Any) -> Any:
    """Return the normal form of an object that is queried."""
    reply = Reply(0, None, json.dumps(document))
    return exchange(Call("HcnQueryEndpointProperties"), reply, names).reply["output"]


def delete(names: Names, object_id: str, hresult: int = 0) -> None:
    """Let an object be deleted."""
    exchange(Call("HcnDeleteEndpoint", id=object_id.lower()), Reply(hresult), names)


def test_what_an_object_was_given_is_forgotten_when_it_is_deleted() -> None:
    names = Names()
    first = shown(names, ID=ONE, MacAddress="00-15-5D-00-00-0A", Chosen=TWO)
    delete(names, TWO)
    delete(names, ONE, hresult=0x80070490)
    assert shown(names, ID=ONE, MacAddress="00-15-5D-00-00-0A", Chosen=TWO) == first
    delete(names, ONE)
    again = shown(names, ID=TWO, MacAddress="00-15-5D-00-00-0A")
    assert again == {"ID": "<guid 2>", "MacAddress": "<mac 2>"}


def test_what_endpoints_were_given_is_forgotten_with_their_network() -> None:
    names = Names()
    shown(names, ID=ONE, HostComputeNetwork=TWO.lower(), IpAddress="10.1.0.7")
    exchange(Call("HNSCall", method="DELETE", path=f"/networks/{TWO}"), Reply(0, None, '{"Success":false}'), names)
    assert normal_text("10.1.0.7", names) == "<address 1>"
    exchange(Call("HNSCall", method="DELETE", path=f"/networks/{TWO}"), Reply(0, None, '{"Success":true}'), names)
    assert normal_text("10.1.0.7", names) == "<address 2>"


def test_what_the_caller_chose_is_remembered_when_the_object_is_deleted() -> None:
    names = Names()
    exchange(Call("HcnCreateEndpoint", '{"IpAddress": "10.1.0.7"}', id=ONE), Reply(), names)
    shown(names, ID=ONE, IpAddress="10.1.0.7")
    delete(names, ONE)
    assert normal_text("10.1.0.7", names) == "<address 1>"


def test_a_port_may_be_chosen_by_the_service() -> None:
    names = Names()
    assert normal_value({"ExternalPort": 8080, "InternalPort": 80}, names) == {
        "ExternalPort": "<port 1>",
        "InternalPort": 80,
    }
    for nonsense in (0, -5, "80", 8.5, None, True):
        assert normal_value({"ExternalPort": nonsense}, names) == {"ExternalPort": nonsense}


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("GET", "/networks/", "GET /networks"),
        ("GET", f"networks/{ONE}", "GET /networks/{id}"),
        ("POST", f"/endpoints/{ONE}/attach", "POST /endpoints/{id}/attach"),
        ("GET", "/globals/version", "GET /globals/version"),
    ],
)
def test_v1_operations_are_named_by_method_and_path(method: str, path: str, operation: str) -> None:
    assert exchange(Call("HNSCall", method=method, path=path), Reply(), Names()).operation == operation
