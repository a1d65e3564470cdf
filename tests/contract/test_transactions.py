"""A call is one transaction: state, data plane and journal, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from hnsfake.dataplane.interface import (
    Change,
    CompartmentWant,
    EmulatorLacksError,
    EndpointWant,
    KernelLacksError,
    LacksError,
    NetworkWant,
)
from hnsfake.documents.hresults import HResult
from hnsfake.service.journal import Journal, JournalError
from tests.contract.service import VERSION, Bench, refused

pytestmark = pytest.mark.ours("how our service, our data plane and our journal change together")


def test_what_the_data_plane_refuses_leaves_the_state_as_it_was() -> None:
    bench = Bench()
    before = bench.service.state
    bench.plane.refusal = refused()
    reply = bench.invoke("HcnCreateNetwork", {"Type": "NAT", "Name": "n", "SchemaVersion": VERSION})
    assert reply.hresult == HResult.E_UNEXPECTED
    assert reply.handle is None
    assert bench.service.state is before


@pytest.mark.parametrize(
    "lack", [KernelLacksError("kernel lacks vxlan"), EmulatorLacksError("hnsfake lacks several VSIDs")], ids=str
)
def test_what_is_lacking_here_is_not_supported_and_named(lack: LacksError) -> None:
    bench = Bench()
    bench.plane.refusal = lack
    reply = bench.invoke("HcnCreateNetwork", {"Type": "NAT", "Name": "n", "SchemaVersion": VERSION})
    assert reply.hresult == HResult.ERROR_NOT_SUPPORTED
    assert str(lack) in json.loads(reply.record or "")["Error"]


def test_joining_a_namespace_asks_the_data_plane_for_the_difference_alone() -> None:
    bench = Bench()
    endpoint = bench.endpoint(bench.network()["ID"])
    namespace = bench.made("Namespace", {"SchemaVersion": VERSION})
    bench.plane.asked.clear()
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint["ID"]}}
    bench.invoke("HcnModifyNamespace", request, handle=bench.handle("Namespace", namespace["ID"]))
    ((change,),) = bench.plane.asked
    assert isinstance(change.before, EndpointWant)
    assert isinstance(change.after, EndpointWant)
    assert (change.before.compartment, change.after.compartment) == (None, namespace["NamespaceId"])


def test_a_query_asks_the_data_plane_for_nothing() -> None:
    bench = Bench()
    network = bench.network()["ID"]
    bench.plane.asked.clear()
    bench.shown("Network", bench.handle("Network", network))
    bench.invoke("HcnEnumerateNetworks")
    assert bench.plane.asked == []


def test_deleting_a_network_takes_its_endpoints_down_first() -> None:
    bench = Bench()
    network = bench.network()["ID"]
    bench.endpoint(network)
    bench.plane.asked.clear()
    bench.invoke("HcnDeleteNetwork", id=network)
    (changes,) = bench.plane.asked
    assert [type(change.before) for change in changes] == [EndpointWant, NetworkWant]
    assert all(change.after is None for change in changes)


def test_a_restart_finds_state_and_data_plane_as_they_were(tmp_path: Path) -> None:
    journal = tmp_path / "lab.sqlite"
    first = Bench(journal=journal)
    network = first.network("Overlay")
    policies = [{"Type": "OutBoundNAT", "Settings": {"Exceptions": ["10.0.0.0/8"]}}]
    endpoint = first.endpoint(network["ID"], Policies=policies, Dns={"Search": ["a.b"], "ServerList": ["10.0.0.10"]})
    namespace = first.made("Namespace", {"SchemaVersion": VERSION})
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint["ID"]}}
    first.invoke("HcnModifyNamespace", request, handle=first.handle("Namespace", namespace["ID"]))
    first.service.close()
    again = Bench(journal=journal)
    assert again.service.state == first.service.state
    (changes,) = again.plane.asked
    assert [type(change.after) for change in changes] == [NetworkWant, CompartmentWant, EndpointWant]
    wants = [change.after for changes in first.plane.asked for change in changes]
    assert changes[-1].after == wants[-1]
    again.service.close()


def test_what_was_deleted_stays_deleted_after_a_restart(tmp_path: Path) -> None:
    journal = tmp_path / "lab.sqlite"
    first = Bench(journal=journal)
    network = first.network()["ID"]
    first.invoke("HcnDeleteNetwork", id=network)
    first.service.close()
    again = Bench(journal=journal)
    assert not again.service.state.networks
    again.service.close()


def test_when_the_journal_cannot_be_written_the_data_plane_is_put_back(tmp_path: Path) -> None:
    bench = Bench(journal=tmp_path / "lab.sqlite")
    before = bench.service.state
    bench.service.close()
    bench.plane.asked.clear()
    reply = bench.invoke("HcnCreateNamespace", {"SchemaVersion": VERSION})
    assert reply.hresult == HResult.E_UNEXPECTED
    assert bench.service.state is before
    done, undone = bench.plane.asked
    assert list(undone) == [Change(change.after, change.before) for change in reversed(list(done))]


def test_a_file_that_is_no_journal_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "lab.sqlite"
    path.write_text("not a database, but long enough to be taken for one" * 100)
    with pytest.raises(JournalError, match="not a database"):
        Journal(path, "n1")


def test_a_journal_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "lab.sqlite"
    Bench(journal=path).service.close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE objects SET document = '{}'")
    database.close()
    with pytest.raises(JournalError, match="can't be read"):
        Bench(journal=path)


def test_a_route_that_is_named_twice_is_asked_for_once() -> None:
    bench = Bench()
    route = {"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0"}
    bench.endpoint(bench.network()["ID"], Routes=[route, route])
    ((change,),) = bench.plane.asked[-1:]
    assert isinstance(change.after, EndpointWant)
    assert len(change.after.routes) == 1
