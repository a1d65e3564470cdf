"""Windows programs on a node: what they are given, what passes through, how long it takes, what stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from hnsfake.frontends.wine import NoWineError
from hnsfake.frontends.wine.installation import Installation
from hnsfake.native import MissingLibraryError, find, products
from hnsfake.releases import release as release_of

from .programs import MODULE, Go
from .world import World, world

WINE = "how our nodes run Windows programs"

RUNNING = 4  # SERVICE_RUNNING
FIRST_START = 10.0  # seconds
OVERHEAD = 1.0
_HNSFAKE = (sys.executable, "-m", "hnsfake")


@pytest.fixture
def probe(go: Go) -> Path:
    return go.program("./probe")


@pytest.fixture
def node() -> Iterator[World]:
    with world("n1") as served:
        yield served


def _probe(served: World, program: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return served.wine(served.lab.nodes["n1"], program, *arguments, given=given)


@pytest.mark.known("client code", "microsoft/hcsshim osversion; moby/moby daemon/daemon_windows.go")
@pytest.mark.parametrize("release", ["ws2019", "ws2022", "ws2025"])
def test_a_program_sees_the_nodes_release_name_addresses_and_services(release: str, probe: Path) -> None:
    with world("n1", release=release) as served:
        facts: dict[str, Any] = json.loads(_probe(served, probe, "facts").stdout)
        address = str(served.lab.nodes["n1"].address)
    build = release_of(release).build
    assert (facts["Build"], facts["Registry"], facts["Host"]) == (build, str(build), "n1")
    assert f"{address}/24" in facts["Addresses"]
    assert facts["Services"] == {"hns": RUNNING, "vmcompute": RUNNING, "nvagent": RUNNING}


@pytest.mark.ours(WINE)
@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_the_exit_code_passes_through(node: World, probe: Path, code: int) -> None:
    assert _probe(node, probe, "exit", str(code)).returncode == code


@pytest.mark.ours(WINE)
def test_arguments_pass_through(node: World, probe: Path) -> None:
    arguments = ["", "two words", 'a "quoted" one', "Zürich 🐧", r"back\slash", "--node", "-h"]
    assert json.loads(_probe(node, probe, "arguments", *arguments).stdout) == arguments


@pytest.mark.ours(WINE)
def test_streams_pass_through_byte_for_byte(node: World, probe: Path) -> None:
    given = bytes(range(256)) * 4096
    command = node.wine_command(node.lab.nodes["n1"], probe, "copy")
    done = subprocess.run(command, input=given, capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (given, b"")


@pytest.mark.ours(WINE)
def test_errors_stay_apart_from_output(node: World, probe: Path) -> None:
    done = _probe(node, probe, "complain")
    assert (done.stdout, done.stderr) == ("", "complaint")


@pytest.mark.ours(WINE)
def test_drive_c_is_the_nodes_own_and_lasts(probe: Path) -> None:
    with world("n1", "n2") as served:
        first, second = served.lab.nodes.values()
        assert served.wine(first, probe, "keep", "for later").returncode == 0
        assert served.wine(first, probe, "kept").stdout == "for later"
        assert served.wine(second, probe, "kept").returncode != 0


@pytest.mark.ours(WINE)
def test_programs_run_side_by_side(node: World, probe: Path) -> None:
    with ThreadPoolExecutor(6) as threads:
        ends = list(threads.map(lambda code: _probe(node, probe, "exit", str(code)).returncode, range(6)))
    assert ends == list(range(6))


@pytest.mark.ours(WINE)
def test_a_signal_ends_the_program(node: World, probe: Path) -> None:
    command = node.wine_command(node.lab.nodes["n1"], probe, "copy")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(b"?")
        program.stdin.flush()
        assert program.stdout.read(1) == b"?"
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) != 0


@pytest.mark.ours(WINE)
def test_the_first_start_is_quick_and_later_ones_cost_little(node: World, probe: Path, tmp_path: Path) -> None:
    command = node.wine_command(node.lab.nodes["n1"], probe, "exit", "0")
    linux = [*_HNSFAKE, "exec", "--lab", node.lab.name, "n1", "--", "true"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    first = _time(command, environment)
    later = min(_time(command, environment) for _ in range(5))
    peer = min(_time(linux, environment) for _ in range(5))
    assert first < FIRST_START
    assert later - peer < OVERHEAD


@pytest.mark.ours(WINE)
def test_nothing_is_written_outside_the_cache(node: World, probe: Path, tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(cache)}
    environment.pop("XDG_DATA_HOME", None)
    command = node.wine_command(node.lab.nodes["n1"], probe, "facts")
    subprocess.run(command, env=environment, cwd=home, check=True, capture_output=True)
    assert list(home.iterdir()) == []
    # Wine insists on directories of its own in /tmp; what it puts there is in the cache.
    machines = [path for place in Path("/tmp").glob("*wine-*") if place.is_dir() for path in place.iterdir()]
    mine = {path.stat().st_ino for path in (cache / "hnsfake/wine/servers").iterdir()}
    assert mine
    assert not mine & {path.stat().st_ino for path in machines}


@pytest.mark.ours(WINE)
def test_gos_own_test_command_runs_windows_tests(node: World, go: Go) -> None:
    run_by = " ".join((*_HNSFAKE, "wine", "--lab", node.lab.name, "--node", "n1", "--"))
    environment = {**os.environ, "GOOS": "windows", "GOARCH": "amd64", "CGO_ENABLED": "0"}
    done = subprocess.run(
        ["go", "test", "-mod=readonly", "-exec", run_by, "-v", "./gotest"],
        cwd=MODULE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1  # the package has a test that fails, on purpose
    assert "--- PASS: TestTheNodesNetworksAreListed" in done.stdout
    assert "--- FAIL: TestFailsOnPurpose" in done.stdout


@pytest.mark.ours(WINE)
@pytest.mark.parametrize(
    ("program", "code", "said"),
    [
        ("nothing.exe", 127, "no such program"),
        ("/nothing.exe", 127, "no such program"),
        ("/bin/true", 126, "is not a Windows program"),
        ("/tmp", 126, "directory"),
    ],
)
def test_what_is_no_program_is_said_in_one_line(node: World, program: str, code: int, said: str) -> None:
    done = _probe(node, Path(program))
    lines = (done.stdout + done.stderr).splitlines()
    assert (done.returncode, len(lines)) == (code, 1)
    assert said in lines[0]


@pytest.mark.ours(WINE)
def test_a_machine_without_wine_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(NoWineError, match="apt-get install wine64"):
        Installation.find()


@pytest.mark.ours(WINE)
def test_libraries_that_were_not_built_are_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(products, "BUILT", tmp_path)
    with pytest.raises(MissingLibraryError, match="gcc-mingw-w64-x86-64"):
        find("computenetwork.dll")
    with pytest.raises(MissingLibraryError, match="libcurl4-openssl-dev"):
        find("libvmcompute.so")


@pytest.mark.ours(WINE)
def test_a_lab_without_packets_has_no_place_for_programs(probe: Path) -> None:
    with world("n1", dataplane="none") as served:
        done = _probe(served, probe, "exit", "0")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def _time(command: list[str], environment: dict[str, str]) -> float:
    began = perf_counter()
    subprocess.run(command, env=environment, check=True, stdin=subprocess.DEVNULL)
    return perf_counter() - began
