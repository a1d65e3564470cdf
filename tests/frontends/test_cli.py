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

from hnsfake.frontends.probes import Finding, Verdict, remedy
from hnsfake.service.policy_support import NOT_ENFORCED
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


def test_a_restarted_service_keeps_what_a_rebooted_node_loses(hnsfake: Hnsfake, up: str) -> None:
    hnsfake("container", "create", up, "pause")
    assert (hnsfake("restart-service", up).returncode, hnsfake("container", "list", up).stdout) == (
        0,
        "pause  compartment 2\n",
    )
    assert (hnsfake("reboot", up).returncode, hnsfake("container", "list", up).stdout) == (0, "")


@pytest.mark.parametrize(("options", "made"), [((), True), (("--strict",), False)])
def test_a_field_that_nobody_knows_shows_in_the_status_and_is_refused_if_strict(
    hnsfake: Hnsfake, lab_name: str, options: tuple[str, ...], made: bool
) -> None:
    hnsfake("up", "--detach", "--name", lab_name, "--node", lab_name, "--dataplane", "none", *options)
    answer = hnsfake("call", lab_name, "POST", "/networks/", '{"Name": "n", "Type": "nat", "Colour": "green"}')
    status = hnsfake("status").stdout
    hnsfake("down", "--lab", lab_name)
    assert (answer.returncode == 0) == made
    assert made or "NetworkV1.Colour" in answer.stdout + answer.stderr
    assert "1 times: NetworkV1.Colour" in status.partition(lab_name)[2]


def test_exec_passes_the_exit_code_and_a_view_of_its_own(hnsfake: Hnsfake, up: str) -> None:
    done = hnsfake("exec", up, "--", "sh", "-c", "ls /sys/class/net; exit 7")
    assert done.returncode == 7
    assert done.stdout.split() == ["lo", "nic0"]


def test_exec_shows_the_compartments_resolver(hnsfake: Hnsfake, up: str) -> None:
    network = json.loads(hnsfake("call", up, "POST", "/networks/", '{"Name":"nat","Type":"nat"}').stdout)
    namespace = json.loads(hnsfake("call", up, "HcnCreateNamespace", VERSION).stdout)
    document = '{"Dns":{"ServerList":["10.9.9.9"],"Search":["a.test","b.test"]},"SchemaVersion":{"Major":2,"Minor":0}}'
    endpoint = json.loads(hnsfake("call", up, "HcnCreateEndpoint", "--network", network["ID"], "-d", document).stdout)
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint["ID"]}}
    hnsfake("call", up, "HcnModifyNamespace", "--id", namespace["ID"], "--document", json.dumps(request))
    machine = Path("/etc/resolv.conf").read_text()
    shown = hnsfake("exec", up, namespace["ID"], "--", "cat", "/etc/resolv.conf").stdout
    assert shown.splitlines() == ["nameserver 10.9.9.9", "search a.test", "options ndots:1"]
    assert Path("/etc/resolv.conf").read_text() == machine


def test_exec_finds_the_tools_of_root_and_says_what_it_does_not_find(hnsfake: Hnsfake, up: str) -> None:
    found = hnsfake("exec", up, "--", "sh", "-c", "echo $PATH").stdout.strip().split(":")
    assert "/usr/sbin" in found
    done = hnsfake("exec", up, "--", "no-such-program")
    assert (done.returncode, done.stderr) == (127, "hnsfake: no-such-program: no such program\n")


def test_an_object_is_opened_for_the_user_and_closed_again(hnsfake: Hnsfake, up: str) -> None:
    made = json.loads(hnsfake("call", up, "HcnCreateNetwork", "-d", '{"Name":"n","Type":"NAT",' + VERSION[1:]).stdout)
    shown = hnsfake("call", up, "HcnQueryNetworkProperties", "--id", made["ID"])
    assert json.loads(shown.stdout)["Name"] == "n"
    opened = hnsfake("call", up, "HcnOpenNetwork", "--id", made["ID"])
    assert (opened.returncode, opened.stdout, opened.stderr) == (0, "", "")
    closed = hnsfake("call", up, "HcnCloseNetwork")
    assert closed.returncode == 2


@pytest.mark.parametrize("path", ["/\x01", "/netw orks", "/\udcff", "//", "/networks/?x=1"])
def test_any_path_is_hns_to_refuse(hnsfake: Hnsfake, up: str, path: str) -> None:
    done = hnsfake("call", up, "GET", path)
    assert done.returncode == 1
    assert json.loads(done.stderr)["Success"] is False


def test_diag_lists_load_balancers_with_virtual_and_direct_ips_and_no_routes(hnsfake: Hnsfake, up: str) -> None:
    network = json.loads(hnsfake("call", up, "POST", "/networks/", '{"Name":"lb","Type":"nat"}').stdout)
    endpoint = json.loads(hnsfake("call", up, "HcnCreateEndpoint", "--network", network["ID"], VERSION).stdout)["ID"]
    backend = {**json.loads(VERSION), "HostComputeEndpoints": [endpoint]}
    port = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}
    document = {**backend, "FrontendVIPs": ["10.96.0.1"], "PortMappings": [port]}
    balancer = json.loads(hnsfake("call", up, "HcnCreateLoadBalancer", json.dumps(document)).stdout)
    route = {**backend, "Setting": [{"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True}]}
    made = json.loads(hnsfake("call", up, "HcnCreateSdnRoute", json.dumps(route)).stdout)
    listed = hnsfake("diag", up, "loadbalancers").stdout
    assert f"{balancer['ID']} |  10.96.0.1       | {endpoint}\n" in listed
    assert made["ID"] not in listed


def test_diag_writes_what_is_empty_as_hnsdiag_does(hnsfake: Hnsfake, up: str) -> None:
    lines = hnsfake("diag", up, "namespaces", "-d").stdout
    assert '    "AdditionalParams":{\n\n    },\n' in lines


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
        (("exec", "n1"), "what to run?"),
        (("up", "--nope"), "No such option: --nope"),
        (("bogus",), "No such command 'bogus'"),
        (("up", "--port", "99999"), "'--port'"),
        (("up", "--name", "a/b"), "name: String should match"),
        (("up", "--detach", "--name", "no-such-lab", "--state", "/proc/x"), "/proc/x: No such file"),
        (("call", "n1", "FETCH", "/networks/"), "neither a method"),
        (("call", "n1", "GET"), "takes a path"),
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
        ("colour: green", "colour: there is no such key"),
        ("nodes: [{name: a, relase: ws2019}]", "nodes.0.relase: there is no such key"),
        ("name: a b", "name: String should match pattern"),
        ("name: 2001-99-99", "not YAML"),
        ("[" * 3000, "too deeply nested"),
        ("nodes: [{name: a, release: ws2003}]", "no release 'ws2003'"),
        ("- 1", "must have keys such as name"),
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


def test_doctor_lists_what_is_accepted_and_not_enforced(hnsfake: Hnsfake) -> None:
    listed = hnsfake("doctor", "-v").stdout.partition("accepted, not enforced:")[2]
    assert all(f"       {name}: " in listed for name in NOT_ENFORCED)


def test_flags_win_over_the_file(hnsfake: Hnsfake, tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text("name: other\ndataplane: none\nrelease: ws2019\n")
    done = hnsfake("up", "--detach", "-f", str(path), "--name", lab_name, "--node", "only")
    hnsfake("down", "--lab", lab_name)
    assert done.stdout.splitlines()[0].startswith(f"lab {lab_name} is up")
    assert done.stdout.splitlines()[1].startswith("  only  Windows Server 2019")


def test_without_arguments_there_is_help(hnsfake: Hnsfake) -> None:
    done = hnsfake()
    assert done.returncode == 0
    assert "Usage: hnsfake" in done.stdout


def test_one_command_mends_what_can_be_mended() -> None:
    lacking = [
        Finding("a", Verdict.LACKING, remedies=("modprobe a",)),
        Finding("b", Verdict.GOOD),
        Finding("c", Verdict.BROKEN, remedies=("modprobe a", "apt-get install -y c")),
    ]
    assert remedy(lacking, as_root=True) == "modprobe a && apt-get install -y c"
    assert remedy(lacking, as_root=False) == "sudo sh -c 'modprobe a && apt-get install -y c'"
    assert remedy(lacking[:1], as_root=False) == "sudo modprobe a"
    assert remedy(lacking[1:2], as_root=True) == ""
