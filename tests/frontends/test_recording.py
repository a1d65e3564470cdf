"""Recording, replay and comparison from the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hnsfake.recording.known import read_known
from hnsfake.recording.lines import read
from tests.frontends.conftest import Hnsfake

VERSION = '{"SchemaVersion":{"Major":2,"Minor":0}}'


@pytest.fixture
def recordings(hnsfake: Hnsfake, lab_name: str, tmp_path: Path) -> Iterator[Path]:
    """Where the recordings of a lab without packets are; its one node is named like the lab."""
    place = tmp_path / "recordings"
    options = ("--name", lab_name, "--node", lab_name, "--dataplane", "none", "--record", str(place))
    done = hnsfake("up", "--detach", *options)
    assert done.returncode == 0, done.stderr + done.stdout
    yield place
    hnsfake("down", "--lab", lab_name)


@pytest.fixture
def recording(hnsfake: Hnsfake, lab_name: str, recordings: Path) -> Path:
    """A recording of a few calls over HTTP, to a node that still runs."""
    network = json.loads(hnsfake("call", lab_name, "POST", "/networks/", '{"Name":"nat","Type":"nat"}').stdout)
    hnsfake("call", lab_name, "HcnCreateEndpoint", "--network", network["ID"], VERSION)
    hnsfake("call", lab_name, "GET", "/no/such/path")
    return recordings / f"{lab_name}.jsonl"


def test_a_recording_is_replayed_on_a_fresh_node_in_memory(hnsfake: Hnsfake, recording: Path) -> None:
    done = hnsfake("replay", str(recording))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "POST /networks: 1 exchange, no difference\n" in done.stdout
    assert done.stdout.endswith("7 exchanges: 0 differences\n")


def test_a_recording_is_replayed_on_a_node_that_runs(hnsfake: Hnsfake, recording: Path, lab_name: str) -> None:
    kept = recording.with_name("kept.jsonl")
    kept.write_bytes(recording.read_bytes())
    network = json.loads(hnsfake("call", lab_name, "HcnEnumerateNetworks").stdout)[0]
    hnsfake("call", lab_name, "HcnDeleteNetwork", "--id", network)
    done = hnsfake("replay", str(kept), "--node", lab_name, "--lab", lab_name)
    assert done.stdout.endswith("7 exchanges: 0 differences\n"), done.stdout
    sent_again = [exchange.operation for exchange in read(recording).exchanges[-7:]]
    assert sent_again == [exchange.operation for exchange in read(kept).exchanges]


def test_parity_lists_what_differs_between_two_recordings(hnsfake: Hnsfake, recording: Path) -> None:
    assert hnsfake("parity", str(recording), str(recording)).returncode == 0
    other = recording.with_name("other.jsonl")
    other.write_text(recording.read_text().replace('"EncapOverhead":50', '"EncapOverhead":60').replace(":8,", ":0,"))
    done = hnsfake("parity", str(recording), str(other))
    assert done.returncode == 1
    assert "  new    /output/Output/Flags  in exchange 1: expected 8, seen 0\n" in done.stdout
    assert done.stdout.startswith("expected: hnsfake ")


def test_differences_that_are_known_do_not_count(hnsfake: Hnsfake, recording: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text("- {operation: '*', pointer: '/output*', reason: HNS 9 writes other members}\n")
    arguments = ("replay", str(recording), "--release", "ws2019")
    assert hnsfake(*arguments).returncode == 1
    done = hnsfake(*arguments, "--known", str(known))
    assert done.returncode == 0, done.stdout
    assert "expected" not in done.stdout
    assert "(known: HNS 9 writes other members)" in hnsfake(*arguments, "--known", str(known), "-v").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay", "/no/such/file"), "/no/such/file: No such file"),
        (("replay", "{here}/bad"), "bad: line 1: not a recording"),
        (("replay", "{here}/windows"), "no release 'Windows 99': choose one of"),
        (("replay", "{here}/windows", "--node", "no-such-node"), "running"),
        (("parity", "{here}/windows", "{here}/bad"), "bad: line 1: not a recording"),
        (("parity", "{here}/windows", "{here}/windows", "--known", "{here}/known"), "known: 0.reason: Field required"),
        (("up", "--name", "no-such-lab", "--node", "r", "--dataplane", "none", "--record", "{here}"), "File exists"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    hnsfake: Hnsfake, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    header = {"format": "hnsfake recording", "version": 1, "node": "w", "release": "Windows 99", "hns": "99.0"}
    (tmp_path / "windows").write_text(json.dumps({**header, "backend": "b", "date": "d"}) + "\n")
    (tmp_path / "bad").write_text("{}\n")
    (tmp_path / "r.jsonl").write_text("")
    (tmp_path / "known").write_text("- {operation: A, pointer: /x}\n")
    done = hnsfake(*(argument.format(here=tmp_path) for argument in arguments))
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_lab_file_says_where_to_record(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(f"name: {lab_name}\ndataplane: none\nnodes: [a, b]\nrecord: {tmp_path}/recordings\n")
    done = hnsfake("up", "--detach", "-f", str(path))
    assert done.returncode == 0, done.stderr
    hnsfake("call", "b", "GET", "/networks/", "--lab", lab_name)
    hnsfake("down", "--lab", lab_name)
    assert [len(read(tmp_path / "recordings" / f"{name}.jsonl").exchanges) for name in "ab"] == [0, 1]


DOCUMENTATION = (Path(__file__).parents[2] / "docs" / "recordings.md").read_text()


def test_the_documentations_python_example_works_as_written(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", DOCUMENTATION, re.M | re.S)
    command = [sys.executable, "-c", example]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_documentations_file_of_known_differences_can_be_read(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", DOCUMENTATION, re.M | re.S)
    (tmp_path / "known.yaml").write_text(example)
    assert len(read_known(tmp_path / "known.yaml").entries) == 2
