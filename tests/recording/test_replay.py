"""A recording, replayed: what is the same is found the same, and what isn't is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hnsfake.node import Node
from hnsfake.recording.known import Known, KnownDifferences
from hnsfake.recording.lines import read
from hnsfake.recording.replay import replay
from hnsfake.service.call import Call, Reply
from tests.recording.machines import MINE, V2, a_pod, changed, everything, node, recorded, replayed


@pytest.mark.parametrize("release", ["ws2019", "ws2022", "ws2025"])
def test_a_fresh_node_of_the_same_release_answers_the_same(tmp_path: Path, release: str) -> None:
    recording = recorded(tmp_path / "n1.jsonl", everything, release)
    comparison = replayed(recording, release)
    assert comparison.differences == []
    assert sum(comparison.exchanges.values()) == len(recording.exchanges) > 25


def test_another_release_answers_differently_and_every_field_is_named(tmp_path: Path) -> None:
    found = replayed(recorded(tmp_path / "n1.jsonl", a_pod), "ws2019").differences
    shown = [re.sub(r"guid \d+", "guid", str(one)) for one in found if one.operation == "POST /endpoints"]
    assert '2 POST /endpoints /output/Output/ID: expected "<guid lower>", seen "<guid>"' in shown
    assert '2 POST /endpoints /output/Output/Type: expected nothing, seen "nat"' in shown


def test_a_changed_answer_is_found_by_its_pointer(tmp_path: Path) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        if call.operation != "HcnQueryNamespaceProperties":
            return reply
        return changed(reply, lambda namespace: namespace["Resources"][0].update(Type="Container"))

    (found,) = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert str(found) == (
        '5 HcnQueryNamespaceProperties /output/Resources/0/Type: expected "Endpoint", seen "Container"'
    )
    assert found.field == "/output/Resources/*/Type"


@pytest.mark.parametrize(
    ("member", "value", "seen"),
    [("Type", 1, "1"), ("NamespaceId", "2", '"2"'), ("NamespaceId", 1, "1"), ("Type", None, "null")],
)
def test_an_answer_of_another_type_is_found(tmp_path: Path, member: str, value: Any, seen: str) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        queried = call.operation == "HcnQueryNamespaceProperties"
        return changed(reply, lambda namespace: namespace.update({member: value})) if queried else reply

    (found,) = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert (found.pointer, found.seen) == (f"/output/{member}", seen)


def test_another_hresult_is_found(tmp_path: Path) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        return Reply(0x80004001) if call.operation == "HcnModifyNamespace" else reply

    found = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert [(one.pointer, one.expected, one.seen) for one in found] == [("/hresult", '"0x00000000"', '"0x80004001"')]


def test_the_id_of_another_object_in_the_same_place_is_found(tmp_path: Path) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        def swap(namespace: dict[str, Any]) -> None:
            namespace["ID"], endpoint = namespace["Resources"][0]["Data"]["Id"], namespace["ID"]
            namespace["Resources"][0]["Data"]["Id"] = endpoint

        return changed(reply, swap) if call.operation == "HcnQueryNamespaceProperties" else reply

    found = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert "/output/Resources/0/Data/Id" in [one.pointer for one in found]


def test_an_address_outside_its_subnet_is_found(tmp_path: Path) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        if call.path != "/endpoints/":
            return reply
        return changed(reply, lambda envelope: envelope["Output"].update(IPAddress="192.0.2.7"))

    (found,) = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert (found.pointer, found.expected) == ("/output/Output/IPAddress", '"<address 3 in 1>"')


def test_an_id_more_in_one_answer_is_one_difference(tmp_path: Path) -> None:
    def lie(call: Call, reply: Reply) -> Reply:
        if call.path != "/networks/":
            return reply
        extra = "11111111-AAAA-4AAA-8AAA-111111111111"
        return changed(reply, lambda envelope: envelope["Output"].update(ActivityIds=[extra, MINE]))

    (found,) = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert (found.pointer, found.expected) == ("/output/Output/ActivityIds", "nothing")


def test_the_order_in_which_objects_are_listed_does_not_count(tmp_path: Path) -> None:
    def calls(one: Node) -> None:
        for name in ("a", "b", "c"):
            one.hns_call("POST", "/networks/", {"Name": name, "Type": "nat"})
        one.hns_call("GET", "/networks/")
        one.invoke(Call("HcnEnumerateNetworks"))

    def lie(call: Call, reply: Reply) -> Reply:
        if call.operation == "HcnEnumerateNetworks":
            return changed(reply, lambda ids: ids.reverse())
        return changed(reply, lambda envelope: envelope["Output"].reverse()) if call.method == "GET" else reply

    assert replayed(recorded(tmp_path / "n1.jsonl", calls), lie=lie).differences == []


def test_an_object_that_is_not_listed_is_found(tmp_path: Path) -> None:
    def calls(one: Node) -> None:
        for name in ("a", "b"):
            one.hns_call("POST", "/networks/", {"Name": name, "Type": "nat"})
        one.invoke(Call("HcnEnumerateNetworks"))

    def lie(call: Call, reply: Reply) -> Reply:
        return changed(reply, lambda ids: ids.pop(0)) if call.operation == "HcnEnumerateNetworks" else reply

    (found,) = replayed(recorded(tmp_path / "n1.jsonl", calls), lie=lie).differences
    assert (found.pointer, found.expected, found.seen) == ("/output/0", '"<guid 2>"', "nothing")


def test_a_call_that_needs_what_was_never_given_is_not_sent(tmp_path: Path) -> None:
    sent: list[str] = []

    def lie(call: Call, reply: Reply) -> Reply:
        sent.append(call.operation)
        return Reply(0x80070490) if call.operation == "HcnCreateNamespace" else reply

    found = replayed(recorded(tmp_path / "n1.jsonl", a_pod), lie=lie).differences
    assert sent == ["HNSCall", "HNSCall", "HcnCreateNamespace"]
    assert str(found[-1]) == (
        "5 HcnQueryNamespaceProperties: expected an answer, seen nothing: not sent, <handle 1> is not known here"
    )


def test_bytes_that_are_no_text_are_sent_as_they_were(tmp_path: Path) -> None:
    documents = [b"\xff{", '{"Name": "\udcff"}'.encode("utf-8", "surrogateescape"), b"\xef\xbb\xbf{}", b'{"a":1,"a":2}']
    sent: list[bytes | str] = []

    def calls(one: Node) -> None:
        for document in documents:
            one.invoke(Call("HcnCreateNetwork", document))

    def note(call: Call, reply: Reply) -> Reply:
        sent.append(call.document)
        return reply

    assert replayed(recorded(tmp_path / "n1.jsonl", calls), lie=note).differences == []
    assert sent == documents


def test_what_the_caller_chose_is_sent_as_it_chose_it(tmp_path: Path) -> None:
    document = {
        "Name": "mine",
        "Type": "NAT",
        "Ipams": [{"Subnets": [{"IpAddressPrefix": "10.9.0.0/24", "Routes": []}]}],
        "MacPool": {"Ranges": [{"StartMacAddress": "00-15-5D-AA-00-00", "EndMacAddress": "00-15-5D-AA-0F-FF"}]},
        "SchemaVersion": V2,
    }
    sent: list[Call] = []

    def calls(one: Node) -> None:
        one.hcn("HcnCreateNetwork", document, object_id=MINE.lower())

    def note(call: Call, reply: Reply) -> Reply:
        sent.append(call)
        return reply

    assert replayed(recorded(tmp_path / "n1.jsonl", calls), lie=note).differences == []
    assert (sent[0].id, json.loads(sent[0].document)) == (MINE.lower(), document)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_given_again_by_chance_is_no_difference(tmp_path: Path, seed: int) -> None:
    # Of 4096 blocks of MACs and 256 subnets some come twice, others in every run.

    def calls(one: Node) -> None:
        for _ in range(200):
            made = one.hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})
            one.hns_call("DELETE", f"/networks/{made['ID']}")

    recording = recorded(tmp_path / "n1.jsonl", calls)
    with node(seed=seed + 5) as other:
        assert replay(recording, other).differences == []


def test_a_port_that_the_service_chose_is_compared_by_where_else_it_stands(tmp_path: Path) -> None:
    def calls(one: Node) -> None:
        network = one.hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})
        policy = {"Type": "NAT", "Protocol": "TCP", "InternalPort": 80}
        made = one.hns_call("POST", "/endpoints/", {"VirtualNetwork": network["ID"], "Policies": [policy]})
        one.hns_call("GET", f"/endpoints/{made['ID']}")

    assert replayed(recorded(tmp_path / "n1.jsonl", calls)).differences == []


def test_a_known_difference_is_told_apart_from_a_new_one(tmp_path: Path) -> None:
    known = KnownDifferences(
        (
            Known(operation="POST /*", pointer="/output/Output/*", reason="another release"),
            Known(operation="HcnDelete*", pointer="*", reason="never met"),
        )
    )
    comparison = replayed(recorded(tmp_path / "n1.jsonl", a_pod), "ws2019", known)
    assert comparison.new == []
    assert comparison.differences
    assert [entry.reason for entry in comparison.unmet] == ["never met"]


def test_what_is_recorded_of_a_replay_is_the_recording(tmp_path: Path) -> None:
    first = recorded(tmp_path / "first.jsonl", everything)
    with node(seed=3) as one, one.record(tmp_path / "second.jsonl"):
        everything(one)
    assert read(tmp_path / "second.jsonl").exchanges == first.exchanges
