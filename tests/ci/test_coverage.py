"""The coverage page: what it says is what the tests touched, and a row without test or reason is no page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from ci.coverage.__main__ import main
from ci.coverage.answers import NOT_RETURNED, PLACES
from ci.coverage.contract import errors, fields, flags, network_types, policies
from ci.coverage.gaps import gaps
from ci.coverage.operations import operations, requests
from ci.coverage.page import page
from hnsfake.documents.hresults import HResult
from hnsfake.documents.not_given import NOT_GIVEN
from hnsfake.service.field_support import EFFECTS, Effects

Rows = dict[tuple[str, ...], set[str]]
TEST = "tests/contract/test_everything.py"
GIVEN = next(error for error in errors() if error not in NOT_GIVEN)


def everything() -> Rows:
    """Return the rows of a run that touched all there is."""
    rows: list[tuple[str, ...]] = [("operation", one.name) for one in operations()]
    rows += [("request", one.function, one.resource, one.kind) for one in requests()]
    rows += [("flag", one.kind, one.name) for one in flags()]
    rows += [("network type", one.traits.name.lower()) for one in network_types()]
    rows += [("error", error.name) for error in errors() if error not in NOT_GIVEN]
    for field in fields():
        rows.append(("field", field.model, field.name))
        if field.key not in NOT_RETURNED:
            rows += [("returned", subject, at + field.name) for subject, at in PLACES.get(field.model, ())]
    for policy in policies():
        rows.append(("policy", policy.v2))
        rows += [("policy", policy.v2, name) for name in policy.attributes]
        subject = "v2 Endpoint" if "endpoint" in policy.of else "v2 Network"
        rows.append(("returned", subject, f"Policies:{policy.v2}"))
    return {row: {TEST} for row in rows}


def touched_by(rows: Rows, into: Path) -> Path:
    """Write what a run touched, as the plugin does; return the directory."""
    into.mkdir(exist_ok=True)
    (into / "1.json").write_text(json.dumps([[*row, sorted(tests)] for row, tests in rows.items()]))
    return into


def without(row: tuple[str, ...]) -> Rows:
    rows = everything()
    del rows[row]
    return rows


def test_a_run_that_touched_all_there_is_leaves_no_gap() -> None:
    assert gaps(everything()) == []


@pytest.mark.parametrize(
    ("row", "gap"),
    [
        (("operation", "HcnCreateNetwork"), "operation HcnCreateNetwork: no test"),
        (("request", "HcnModifyNetwork", "policy", "add"), "request HcnModifyNetwork add policy: no test"),
        (("field", "NetworkV2", "Dns"), "field NetworkV2.Dns: no test"),
        (("flag", "NetworkFlags", "IOV"), "flag NetworkFlags.IOV: no test"),
        (("network type", "ics"), "network type ICS: no test"),
        (("policy", "QOS"), "policy QOS: no test"),
        (("policy", "QOS", "max_outgoing_bytes"), "policy QOS: no test of MaximumOutgoingBandwidthInBytes"),
        (("returned", "v2 Endpoint", "Policies:QOS"), "policy QOS: no test got it back"),
        (
            ("returned", "v2 Network", "Ipams.Subnets.Flags"),
            "field SubnetV2.Flags: no test got it back, and answers.NOT_RETURNED has no reason",
        ),
        (
            ("error", GIVEN.name),
            f"error {GIVEN.name}: no test got it, and not_given.NOT_GIVEN has no reason",
        ),
    ],
)
def test_a_row_without_a_test_or_a_reason_is_named(row: tuple[str, ...], gap: str) -> None:
    assert gaps(without(row)) == [gap]


def test_a_reason_why_an_error_is_not_given_is_stale_once_a_test_gets_it() -> None:
    rows = everything() | {("error", HResult.HCN_E_REGKEY_FAILURE.name): {TEST}}
    assert gaps(rows) == ["error HCN_E_REGKEY_FAILURE: given, so its reason in not_given.NOT_GIVEN is stale"]


def test_a_reason_why_a_field_is_not_given_back_is_stale_once_a_test_gets_it() -> None:
    rows = everything() | {("returned", "v2 Network", "Ipams.Subnets.ID"): {TEST}}
    assert gaps(rows) == ["field SubnetV2.ID: given back, so its reason in answers.NOT_RETURNED is stale"]


@pytest.mark.parametrize(
    ("listed", "gap"),
    [
        ("", "field MacPoolV2.Ranges: in no class of field_support.EFFECTS"),
        ("Ranges Ranges", "field MacPoolV2.Ranges: in two classes of field_support.EFFECTS"),
        ("Ranges Gone", "field MacPoolV2.Gone: stale in field_support.EFFECTS"),
    ],
)
def test_a_field_is_in_one_class_of_what_it_brings_about(
    listed: str, gap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ci.coverage.gaps.EFFECTS", {**EFFECTS, "MacPoolV2": Effects(wire=listed)})
    assert gaps(everything()) == [gap]


@pytest.mark.parametrize("act", ["--check", "--write"])
def test_with_a_gap_nothing_is_written_and_the_row_is_named(act: str, tmp_path: Path) -> None:
    path = tmp_path / "coverage.md"
    path.write_text("as it was")
    rows = touched_by(without(("operation", "HcnCreateNetwork")), tmp_path / "touched")
    with pytest.raises(SystemExit) as failed:
        main([str(rows), act], path)
    assert str(failed.value).splitlines()[0] == "operation HcnCreateNetwork: no test"
    assert path.read_text() == "as it was"


def test_a_page_that_is_not_what_the_tests_say_is_stale_until_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "coverage.md"
    path.write_text(page(everything()).replace("`HcnCreateNetwork`", "`HcnCreateNet`"))
    rows = str(touched_by(everything(), tmp_path / "touched"))
    with pytest.raises(SystemExit, match="is stale: `tox run -e tests`, then `tox run -e coverage -- --write`"):
        main([rows, "--check"], path)
    assert main([rows, "--write"], path) == 0
    assert main([rows, "--check"], path) == 0


def test_files_of_one_name_are_told_apart_by_their_folders() -> None:
    rows = everything()
    rows["operation", "HcnCreateNetwork"] = {"tests/contract/test_faults.py", "suites/contract/test_faults.py"}
    rows["operation", "HcnOpenNetwork"] = {"tests/frontends/test_faults.py", TEST}
    shown = {line.split(" | ")[0]: line for line in page(rows).splitlines() if line.startswith("| `HcnOpenN")}
    assert "| everything, frontends/faults |" in shown["| `HcnOpenNetwork`"]
    assert "| suites/contract/faults, tests/contract/faults |" in page(rows)


def test_no_cell_of_the_page_is_empty() -> None:
    rows = [line for line in page(everything()).splitlines() if line.startswith("| ")]
    assert not [row for row in rows if any(not cell.strip(" –") for cell in row.strip("|").split("|"))]


NOTED = """
import pytest
from hypothesis import given, strategies

from hnsfake import Lab
from tests.contract.service import Bench


@pytest.fixture(scope="session")
def shared():
    Bench().network("Overlay")


def test_a_network_is_made(shared):
    Bench().network("NAT", Flags=8)


def test_what_hns_makes_of_itself():
    Lab(["n1"], dataplane="none")


@given(strategies.just("L2Bridge"))
def test_by_chance(kind):
    Bench().network(kind)


def test_refused():
    Bench().invoke("HcnModifyNetwork", {"ResourceType": "Port", "RequestType": "Add"}, handle=1)
"""


def test_a_test_is_noted_with_what_it_sends_and_gets_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "test_noted.py").write_text(NOTED)
    plugin = ["-p", "ci.coverage.touched", "--touched", str(tmp_path / "touched")]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "-o", "addopts=", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout
    rows: defaultdict[str, list[list[str]]] = defaultdict(list)
    for kind, *row, tests in json.loads(next((tmp_path / "touched").glob("*.json")).read_text()):
        assert [Path(test).name for test in tests] == ["test_noted.py"]
        rows[kind].append(row)
    assert rows["network type"] == [["nat"]]
    assert rows["flag"] == [["NetworkFlags", "NON_PERSISTENT"]]
    assert rows["request"] == [["HcnModifyNetwork", "port", "add"]]
    assert rows["failed"] == [["HcnModifyNetwork", "E_HANDLE"]]
    assert ["v2 Network", "Ipams.Subnets.IpAddressPrefix"] in rows["returned"]
    assert not [row for row in rows["field"] if row[0] == "NamespaceV2"]
    assert rows["policy"] == []  # the VLAN is HNS's own
