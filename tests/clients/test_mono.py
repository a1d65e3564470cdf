"""A .NET program on Linux, by P/Invoke as on Windows."""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from hnsfake.documents.hresults import HResult
from hnsfake.native import find
from hnsfake.service.notifications import HcnNotification

from .programs import Go
from .world import World

SOURCE = Path(__file__).parent / "mono" / "Client.cs"
NETWORK = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"SchemaVersion": {"Major": 2, "Minor": 0}, "Name": "Zürich", "Type": "NAT"}
_OK = [str(int(HResult.S_OK))]

# Where .NET finds a Windows library on Linux: Mono's own mapping, which leaves the program as it is.
_MAP = """<configuration>
  <dllmap dll="computenetwork.dll" target="{0}/libcomputenetwork.so"/>
  <dllmap dll="vmcompute.dll" target="{0}/libvmcompute.so"/>
</configuration>
"""


@pytest.fixture
def program(go: Go) -> Path:
    """The program, compiled once a run."""

    def build(new: Path) -> None:
        subprocess.run(["mcs", "-optimize", f"-out:{new}", str(SOURCE)], check=True, capture_output=True)

    def configure(new: Path) -> None:
        new.write_text(_MAP.format(find("libvmcompute.so").parent))

    go.once("Client.exe.config", configure)
    return go.once("Client.exe", build)


@pytest.fixture
def said(api: World, program: Path) -> dict[str, list[str]]:
    """What the program printed, by name."""
    command = ["mono", str(program), NETWORK, json.dumps(SETTINGS)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for line in done.stdout.splitlines():
        name, _, value = line.partition(": ")
        lines[name].append(value)
    return lines


@pytest.mark.known("client code", "microsoft/SDN Kubernetes/windows/hns.v2.psm1 calls by P/Invoke; ComputeNetwork.h")
def test_a_dotnet_program_works_as_on_windows(said: dict[str, list[str]]) -> None:
    for step in ("register", "create", "query", "enumerate", "v1", "close", "unregister", "delete"):
        assert said[step] == _OK, step
    assert json.loads(said["properties"][0])["Name"] == "Zürich"
    assert [each.lower() for each in json.loads(said["ids"][0])] == [NETWORK]
    assert json.loads(said["response"][0])["Output"]["Name"] == "Zürich"
    assert [int(each) for each in said["heard"][:2]] == [
        HcnNotification.NETWORK_PRE_CREATE,
        HcnNotification.NETWORK_CREATE,
    ]
    assert _unsigned(said["closed"]) == HResult.E_HANDLE
    assert _unsigned(said["gone"]) == HResult.HCN_E_NETWORK_NOT_FOUND
    assert json.loads(said["record"][0])["ErrorCode"] == HResult.HCN_E_NETWORK_NOT_FOUND


def _unsigned(printed: list[str]) -> int:
    return int(printed[0]) & 0xFFFFFFFF
