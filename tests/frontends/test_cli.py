"""The command line, as a user runs it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frontends.conftest import Hnsfake

VERSION = '{"SchemaVersion":{"Major":2,"Minor":0}}'


@pytest.fixture
def up(hnsfake: Hnsfake, lab_name: str) -> Iterator[str]:
    """A lab of one node, named like the lab, with packets."""
    done = hnsfake("up", "--detach", "--name", lab_name, "--node", lab_name)
    assert done.returncode == 0, done.stderr + done.stdout
    yield lab_name
    hnsfake("down", "--lab", lab_name)


def test_up_says_how_to_reach_each_node_and_status_lists_it(hnsfake: Hnsfake, up: str) -> None:
    status = hnsfake("status").stdout
    assert re.search(
        rf"^{up}/{up}  Windows Server 2022  HNS 13\.3  10\.127\.0\.11 .*unix @hnsfake/{up}/{up}", status, re.M
    )


def test_call_diag_and_exec_work_together(hnsfake: Hnsfake, up: str) -> None:
    network = json.loads(hnsfake("call", up, "POST", "/networks/", '{"Name":"nat","Type":"nat"}').stdout)
    namespace = json.loads(hnsfake("call", up, "HcnCreateNamespace", VERSION).stdout)
    endpoint = json.loads(hnsfake("call", up, "HcnCreateEndpoint", "--network", network["ID"], VERSION).stdout)
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint["ID"]}}
    joined = hnsfake("call", up, "HcnModifyNamespace", "--id", namespace["ID"], json.dumps(request))
    assert (joined.returncode, joined.stdout) == (0, "")
    diag = hnsfake("diag", up).stdout
    assert f"Ethernet         {endpoint['ID']} nat" in diag
    assert f"{namespace['ID']} | {endpoint['ID'].upper()}" in diag
    details = hnsfake("diag", up, "networks", "-d").stdout
    assert f'    "ID":"{network["ID"]}",' in details
    ping = hnsfake("exec", up, namespace["ID"], "--", "ping", "-c", "1", "-W", "2", "203.0.113.10")
    assert "1 received" in ping.stdout, ping.stderr
    shown = hnsfake("exec", up, str(namespace["NamespaceId"]), "--", "ip", "-br", "addr").stdout
    assert endpoint["IpConfigurations"][0]["IpAddress"] in shown


def test_exec_passes_the_exit_code_and_a_view_of_its_own(hnsfake: Hnsfake, up: str) -> None:
    done = hnsfake("exec", up, "--", "sh", "-c", "ls /sys/class/net; exit 7")
    assert done.returncode == 7
    assert done.stdout.split() == ["lo", "nic0"]


def test_a_document_comes_from_a_file_or_from_stdin(hnsfake: Hnsfake, up: str, tmp_path: Path) -> None:
    document = tmp_path / "network.json"
    document.write_text('{"Name":"one","Type":"nat"}')
    assert json.loads(hnsfake("call", up, "POST", "/networks/", f"@{document}").stdout)["Name"] == "one"
    given = b'{"Name":"two","Type":"nat"}'
    assert json.loads(hnsfake("call", up, "POST", "/networks/", "-", given=given).stdout)["Name"] == "two"


@pytest.mark.parametrize("document", [b'{"Name": "\xff"}', b"[" * 100_000, b'{"Name": 5}'])
def test_a_document_that_cannot_be_read_is_the_record_on_stderr(hnsfake: Hnsfake, up: str, document: bytes) -> None:
    done = hnsfake("call", up, "POST", "/networks/", "-", given=document)
    assert done.returncode == 1
    assert json.loads(done.stderr)["ErrorCode"] == 0x803B001B


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("exec", "no-such-node", "--", "true"), "running"),
        (("call", "no-such-node", "GET", "/networks/"), "running"),
        (("up", "--release", "ws2003"), "choose one of ws2019, ws2022, ws2025"),
        (("up", "--dataplane", "magic"), "'linux' or 'none'"),
        (("up", "-f", "/no/such/file.yaml"), "No such file"),
        (("up", "--name", "no-such-lab", "--node", "a", "--node", "a"), "two nodes have one name"),
        (("down", "--lab", "no-such-lab"), "no lab no-such-lab is running"),
        (("sandbox",), "what to run?"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(hnsfake: Hnsfake, arguments: tuple[str, ...], says: str) -> None:
    done = hnsfake(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nodes: [a", "not YAML"),
        ("colour: green", "colour: Extra inputs are not permitted"),
        ("nodes: [{name: a, release: ws2003}]", "no release 'ws2003'"),
        ("- 1", "valid dictionary"),
        ("nodes: 5", "nodes"),
    ],
)
def test_a_bad_lab_file_is_one_line(hnsfake: Hnsfake, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    done = hnsfake("up", "-f", str(path))
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_lab_file_makes_a_lab_of_several_releases(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(
        f"name: {lab_name}\ndataplane: none\nrelease: ws2025\nnodes:\n  - new\n  - {{name: old, release: ws2019}}\n"
    )
    done = hnsfake("up", "--detach", "-f", str(path))
    hnsfake("down", "--lab", lab_name)
    assert "new  Windows Server 2025" in done.stdout
    assert "old  Windows Server 2019" in done.stdout


def test_the_state_survives_a_restart_of_the_service(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    start = ("up", "--detach", "--name", lab_name, "--node", lab_name, "--state", str(tmp_path))
    hnsfake(*start)
    made = json.loads(hnsfake("call", lab_name, "POST", "/networks/", '{"Name":"kept","Type":"nat"}').stdout)
    status = json.loads(hnsfake("status", "--json").stdout)
    os.kill(next(view["pid"] for view in status if view["lab"] == lab_name), signal.SIGKILL)
    again = hnsfake(*start)
    while "running already" in again.stderr:  # the kernel has not yet taken the killed one's sockets away
        again = hnsfake(*start)
    found = json.loads(hnsfake("call", lab_name, "GET", f"/networks/{made['ID']}").stdout)
    hnsfake("down", "--lab", lab_name)
    assert found == made


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_stop_a_lab_in_the_foreground(lab_name: str, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "hnsfake", "up", "--name", lab_name, "--node", "n1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "is up" in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == 0
        assert f"lab {lab_name} is down" in process.stdout.read()
        assert process.stderr.read() == ""


def test_doctor_says_what_the_kernel_can_and_what_it_lacks(hnsfake: Hnsfake) -> None:
    done = hnsfake("doctor", "-v")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^ok +vxlan$", done.stdout, re.M)
    assert "labs run here" in done.stdout
