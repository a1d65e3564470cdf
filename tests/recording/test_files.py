"""Recordings and known differences as files; how a recorder writes, and what it does when it can't."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import threading
from io import FileIO
from pathlib import Path

import pytest

from hnsfake import Lab
from hnsfake.recording.known import KnownFileError, read_known
from hnsfake.recording.lines import Header, RecordingError, read
from hnsfake.recording.recorder import Recorder
from hnsfake.service.call import Call, Reply
from tests.recording.machines import V2, a_pod, node

HEADER = (
    '{"format":"hnsfake recording","version":1,"node":"n1","release":"ws2022","hns":"13.3","backend":"x","date":"y"}\n'
)
LINE = '{"call":{"operation":"HcnOpenNetwork"},"reply":{"hresult":"0x00000000"}}\n'


def test_the_header_says_what_was_recorded(tmp_path: Path) -> None:
    with node("ws2025") as one, one.record(tmp_path / "r"):
        pass
    header = read(tmp_path / "r").header
    assert (header.node, header.release, header.hns) == ("n1", "ws2025", "15.4")
    assert header.backend.startswith("hnsfake ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: not a recording: it must begin with a header"),
        (LINE, "line 1: not a recording"),
        ("[1]\n", "line 1: not a recording"),
        (HEADER.replace('"version":1', '"version":2'), "line 1: version 2 of the format: this program reads 1"),
        (HEADER.replace('"node":"n1",', ""), "line 1: node is missing"),
        (HEADER.replace('"n1"', "1"), "line 1: node: not a string"),
        (HEADER + LINE[:-1], "line 2: cut off"),
        (HEADER + LINE + "{\n", "line 3: not JSON"),
        (HEADER + "\n", "line 2: not JSON"),
        (HEADER + "\udcff\n", "line 2: not JSON"),
        (HEADER + "[" * 5000 + "\n", "line 2: not JSON"),
        (HEADER + "[]\n", "line 2: not an object"),
        (HEADER + '{"call":{"operation":"A"}}\n', "line 2: reply is missing"),
        (HEADER + LINE.replace("operation", "oparation"), "line 2: call: oparation: there is no such member"),
        (HEADER + LINE.replace('"0x00000000"', "0"), "line 2: reply: hresult: not a string"),
        (HEADER + LINE.replace('"0x00000000"', '"","handle":"7"'), "line 2: handle: not the name of a handle"),
        (HEADER + LINE[:-2] + ',"given":{"guid":"x"}}\n', "line 2: given: guid: not the name of a value"),
        (HEADER + LINE[:-2] + ',"given":{"handle 1":"x"}}\n', "line 2: given: handle 1: not such a value"),
        (HEADER + LINE[:-2] + ',"given":{"address 1":"x"}}\n', "line 2: given: address 1: not such a value"),
        (HEADER + LINE[:-2] + ',"given":{"address 1":"mac 1 + 2"}}\n', "line 2: given: address 1: not such a value"),
    ],
)
def test_a_file_that_is_no_recording_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordingError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {says}")
    assert "\n" not in str(caught.value)


def test_a_recording_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("precious")
    with node() as one, pytest.raises(FileExistsError), one.record(tmp_path / "r"):
        pass
    assert (tmp_path / "r").read_text() == "precious"


def test_a_line_is_there_before_the_caller_has_its_answer(tmp_path: Path) -> None:
    with node() as one, one.record(tmp_path / "r"):
        for count in range(1, 4):
            one.hns_call("GET", "/networks/")
            assert len(read(tmp_path / "r").exchanges) == count


def test_a_killed_process_leaves_whole_lines(tmp_path: Path) -> None:
    program = f"""
from hnsfake import Lab
with Lab(["n1"], dataplane="none") as lab, lab.nodes["n1"].record({str(tmp_path / "r")!r}):
    while True:
        made = lab.nodes["n1"].hns_call("POST", "/networks/", {{"Name": "nat", "Type": "nat"}})
        lab.nodes["n1"].hns_call("DELETE", "/networks/" + made["ID"])
        print(flush=True)
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        process.kill()
    assert len(read(tmp_path / "r").exchanges) >= 40


def test_nothing_is_recorded_before_and_after(tmp_path: Path) -> None:
    with node() as one:
        one.hns_call("GET", "/networks/")
        with one.record(tmp_path / "r"):
            one.hns_call("GET", "/endpoints/")
        one.hns_call("GET", "/namespaces/")
    assert [exchange.call["path"] for exchange in read(tmp_path / "r").exchanges] == ["/endpoints/"]


def test_exchanges_of_many_callers_are_in_the_order_of_the_service(tmp_path: Path) -> None:
    def call(number: int) -> None:
        for turn in range(20):
            one.hcn(
                "HcnCreateNamespace", {"SchemaVersion": V2}, object_id=f"0000000A-0000-4000-8{number:03d}-{turn:012d}"
            )
            one.invoke(Call("HcnEnumerateNamespaces"))

    with node() as one, one.record(tmp_path / "r"):
        threads = [threading.Thread(target=call, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    made = 1  # the default namespace
    for exchange in read(tmp_path / "r").exchanges:
        if exchange.call["operation"] == "HcnCreateNamespace":
            made += 1
        else:
            assert len(exchange.reply["output"]) == made
    assert made == 121


def test_an_observer_that_fails_fails_no_call() -> None:
    def fail(call: Call, reply: Reply) -> None:
        raise RuntimeError("no")

    with node() as one:
        told: list[Call] = []
        one.service.observers.extend([fail, lambda call, _: told.append(call)])
        assert one.hns_call("GET", "/networks/") == []
        assert len(told) == 1


def test_a_recording_that_cannot_be_written_ends_in_whole_lines_and_fails_no_call(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "r", Header("n1", "ws2022", "13.3", "x", "y"))
    recorder._file = _Full(recorder._file, 300)  # type: ignore[assignment]
    with node() as one:
        one.service.observers.append(recorder)
        one.hns_call("GET", "/networks/")
        assert a_pod(one)
    with pytest.raises(RecordingError, match=r"not complete: .*No space left"):
        recorder.close()
    assert [exchange.operation for exchange in read(tmp_path / "r").exchanges] == ["GET /networks"]


class _Full:
    """A file on a disk that has room for a few bytes more."""

    closed = False

    def __init__(self, file: FileIO, room: int) -> None:
        self._file = file
        self._room = room
        self.tell, self.fileno, self.close = file.tell, file.fileno, file.close

    def write(self, data: memoryview) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._file.write(data[: self._room]) or 0
        self._room -= written
        return written


def test_a_lab_records_each_node_in_a_file(tmp_path: Path) -> None:
    with Lab(["a", "b"], dataplane="none", record=tmp_path / "new") as lab:
        lab.nodes["a"].hns_call("GET", "/networks/")
    assert [len(read(tmp_path / "new" / f"{name}.jsonl").exchanges) for name in ("a", "b")] == [1, 0]


def test_known_differences_are_read(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    path.write_text("- {operation: HcnQuery*, pointer: /output/Flags, reason: as seen}\n")
    known = read_known(path)
    assert known.find("HcnQueryNetworkProperties", "/output/Flags") is not None
    assert known.find("HcnQueryNetworkProperties", "/output/Flags/0") is None
    assert known.find("HcnModifyNetwork", "/output/Flags") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- {operation: A, pointer: /x}", "0.reason: Field required"),
        ("- {operation: A, pointer: /x, reason: '  '}", "0.reason: String should have at least 1 character"),
        ("- {operation: A, pointer: /x, reason: y, colour: z}", "0.colour: Extra inputs"),
        ("operation: A", "the file: Input should be a valid tuple"),
        ("[a", "not YAML"),
        ("[" * 3000, "too deeply nested"),
    ],
)
def test_a_bad_file_of_known_differences_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "known.yaml"
    path.write_text(text)
    with pytest.raises(KnownFileError) as caught:
        read_known(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recording_is_json_lines_in_ascii(tmp_path: Path) -> None:
    with node() as one, one.record(tmp_path / "r"):
        one.hns_call("POST", "/networks/", {"Name": "grün", "Type": "nat"})
    lines = (tmp_path / "r").read_bytes().decode("ascii").splitlines()
    assert json.loads(lines[1])["call"]["document"]["Name"] == "grün"
