"""HTTP carries calls as they are."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from hnsfake import Lab
from hnsfake.documents.hresults import HResult
from hnsfake.documents.text import MAX_DOCUMENT
from hnsfake.frontends.http import application, entrance
from hnsfake.frontends.server import LabServer, ServeError
from hnsfake.frontends.sockets import Peer, abstract_name, listener_of, running_labs
from hnsfake.service import hns_call
from hnsfake.service.call import Call, Reply
from hnsfake.service.pipeline import FUNCTIONS
from tests.frontends.conftest import Served

VERSION = {"Major": 2, "Minor": 0}


def test_v1_is_called_by_its_own_paths(served: Served) -> None:
    with served.client() as http:
        made = http.post("/networks/", json={"Name": "nat", "Type": "nat"}).json()
        assert made["Success"]
        network = made["Output"]["ID"]
        assert [one["ID"] for one in http.get("/networks").json()["Output"]] == [network]
        assert http.get(f"/networks/{network.lower()}").json()["Output"]["Name"] == "nat"
        assert http.delete(f"/networks/{network}").json() == {"Success": True}


def test_v2_is_called_by_the_functions_names(served: Served) -> None:
    with served.client() as http:
        document = {"Name": "nat", "Type": "NAT", "SchemaVersion": VERSION}
        made = http.post("/hcn/HcnCreateNetwork", json=document).json()
        assert (made["hresult"], made["record"], made["output"]) == (0, None, None)
        query = {"SchemaVersion": VERSION}
        answer = http.post(
            "/hcn/HcnQueryNetworkProperties", params={"handle": made["handle"]}, content=json.dumps(query)
        ).json()
        shown = json.loads(answer["output"])
        assert shown["Name"] == "nat"
        assert http.post("/hcn/HcnDeleteNetwork", params={"id": shown["ID"]}).json()["hresult"] == 0


def test_the_unix_socket_and_tcp_lead_to_one_node(served: Served) -> None:
    path = abstract_name(served.lab.name, "n1")
    with served.client() as http, httpx.Client(transport=httpx.HTTPTransport(uds=path), base_url="http://n") as unix:
        http.post("/networks/", json={"Name": "one", "Type": "nat"})
        assert [network["Name"] for network in unix.get("/networks/").json()["Output"]] == ["one"]


@pytest.mark.parametrize(
    "document",
    [b'{"Name": "\xff"}', b"[" * 100_000, b'{"Name": 5, "SchemaVersion": {}}', b"{"],
    ids=["not UTF-8", "nested", "wrong type", "cut off"],
)
@pytest.mark.parametrize("path", ["/networks/", "/hcn/HcnCreateNetwork"])
def test_a_document_that_cannot_be_read_gets_hresult_and_record(served: Served, path: str, document: bytes) -> None:
    before = served.lab.nodes["n1"].service.state
    with served.client() as http:
        answer = http.post(path, content=document)
    assert answer.status_code == 200
    assert _code(answer.json()) == HResult.HCN_E_INVALID_JSON
    assert served.lab.nodes["n1"].service.state is before


def test_an_oversized_document_is_refused_without_being_kept(served: Served) -> None:
    def parts() -> Any:
        for _ in range(MAX_DOCUMENT // 65536 + 2):
            yield b" " * 65536

    with served.client() as http:
        answer = http.post("/hcn/HcnCreateNetwork", content=parts()).json()
    assert answer["hresult"] == HResult.HCN_E_INVALID_JSON


@pytest.mark.parametrize("handle", ["nonsense", "-1", "1" * 5000, "٣"])
def test_a_handle_that_is_none_gets_its_hresult(served: Served, handle: str) -> None:
    with served.client() as http:
        answer = http.post("/hcn/HcnCloseNetwork", params={"handle": handle}).json()
    assert answer["hresult"] == HResult.E_HANDLE


def test_an_unknown_function_is_not_implemented(served: Served) -> None:
    with served.client() as http:
        answer = http.post("/hcn/HcnNothing").json()
    assert answer["hresult"] == HResult.E_NOTIMPL
    assert json.loads(answer["record"])["Success"] is False


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("PUT", "/networks/"),
        ("OPTIONS", "/networks/"),
        ("PUT", "/lab/status"),
        ("POST", "/hcn/HNSCall?method=FETCH&path=/networks/"),
        ("POST", "/hcn/HNSCall?method=GET&path=/nothing/"),
        ("GET", "/hcn/HcnCreateNetwork"),
        ("GET", "/a/b/c/d"),
        ("POST", "/x"),
    ],
)
def test_any_other_path_is_hns_to_refuse(served: Served, method: str, path: str) -> None:
    with served.client() as http:
        answer = http.request(method, path)
    assert answer.status_code == 200
    assert answer.json()["ErrorCode"] == HResult.HCN_E_REQUEST_UNSUPPORTED


def test_a_failed_post_says_its_hresult_and_a_failed_delete_does_not(served: Served) -> None:
    with served.client() as http:
        posted = http.post("/networks/", json={"Type": "nonsense"})
        deleted = http.delete("/networks/11111111-2222-3333-4444-555555555555")
    assert int(posted.headers["HNS-HResult"], 16) == HResult.HCN_E_INVALID_NETWORK_TYPE
    assert int(deleted.headers["HNS-HResult"], 16) == 0
    assert not deleted.json()["Success"]


def test_openapi_describes_every_function_and_path_and_what_it_takes(served: Served) -> None:
    with served.client() as http:
        paths = http.get("/openapi.json").json()["paths"]
    described = {(method, path): operation for path, item in paths.items() for method, operation in item.items()}
    assert {path for _, path in described} >= {f"/hcn/{function}" for function in FUNCTIONS if function != "HNSCall"}
    assert {(method.upper(), *_shape(path)) for method, path in described if not path.startswith(("/hcn", "/lab"))} == {
        shape if shape[1] != "globals" else ("GET", "globals", "version", "") for shape in hns_call.ROUTES
    }
    create = described["post", "/hcn/HcnCreateEndpoint"]
    assert create["summary"] == "Create an endpoint and open it."
    assert [(argument["name"], argument["schema"]["type"]) for argument in create["parameters"]] == [
        ("id", "string"),
        ("handle", "integer"),
    ]
    assert create["requestBody"]["description"] == "the endpoint's settings"
    assert "requestBody" not in described["post", "/hcn/HcnCloseEndpoint"]
    assert all(operation["summary"] for operation in described.values())
    for (_, path), operation in described.items():
        # 204 is for what has nothing to say; HNS refuses in its own words, only the lab by HTTP's status.
        refusals = {"400", "404"} if path.startswith("/lab") else set()
        assert set(operation["responses"]) - refusals in ({"200"}, {"204"})


def _shape(path: str) -> tuple[str, str, str]:
    collection, object_id, action = (*path.strip("/").split("/"), "", "")[:3]
    return collection, object_id, action


def test_path_and_query_reach_hns_call_as_they_came() -> None:
    calls: list[Call] = []

    def invoke(call: Call) -> Reply:
        calls.append(call)
        return Reply(output="{}")

    _ask(_way_in(_Service(invoke), dict), "PROPFIND", "/networks/%7Bx%7D/a%20b?c=%22d%22", b"\xff")
    assert calls == [Call("HNSCall", b"\xff", method="PROPFIND", path='/networks/{x}/a b?c="d"')]


@pytest.mark.parametrize("path", ["/networks/", "/hcn/HcnEnumerateNetworks", "/lab/status"])
def test_a_fault_of_ours_is_a_catastrophic_failure_whose_id_the_log_repeats(
    path: str, caplog: pytest.LogCaptureFixture
) -> None:
    def invoke(call: Call) -> Reply:
        raise KeyError("on purpose")

    def status() -> dict[str, Any]:
        raise KeyError("on purpose")

    app = _way_in(_Service(invoke), status)
    answer = _ask(app, "POST" if path.startswith("/hcn") else "GET", path)
    assert answer.status_code == 200
    record = json.loads(answer.json()["record"]) if path.startswith("/hcn") else answer.json()
    assert record["ErrorCode"] == HResult.E_UNEXPECTED
    number = record["Error"].partition("fault ")[2].partition(":")[0]
    assert len(number) == 8
    assert number in caplog.text
    assert "Traceback" not in answer.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_peer_of_another_user_is_turned_away(served: Served) -> None:
    path = abstract_name(served.lab.name, "n1")
    script = f"""
import os, socket
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({path!r})
    try:
        connection.sendall(b"GET /networks/ HTTP/1.0\\r\\n\\r\\n")
        print(connection.recv(10))
    except (BrokenPipeError, ConnectionResetError):
        print(b"")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == "b''"
    assert listener_of(served.lab.name, "n1") == Peer(os.getpid(), os.geteuid())


def test_a_running_lab_is_found_and_one_that_ended_is_not(lab_name: str) -> None:
    with Lab(["a", "b"], dataplane="none", name=lab_name) as lab, LabServer(lab):
        assert running_labs()[lab_name] == ["a", "b"]
    assert lab_name not in running_labs()


def test_a_name_that_is_not_listened_on_is_no_lab(lab_name: str) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(abstract_name(lab_name, "n1"))
        assert lab_name not in running_labs()


def test_sockets_with_names_are_there_and_gone_with_the_server(tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "n1.sock"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(path))
    with Lab(["n1"], dataplane="none", name=lab_name) as lab:
        with LabServer(lab, socket_dir=tmp_path):
            assert stat.S_ISSOCK(path.stat().st_mode)
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://n") as unix:
                assert unix.get("/globals/version").json()["Output"]["Major"] == 13
        assert not path.exists()


def test_a_file_where_a_socket_should_be_is_left_alone(tmp_path: Path, lab_name: str) -> None:
    path = tmp_path / "n1.sock"
    path.write_text("mine")
    with Lab(["n1"], dataplane="none", name=lab_name) as lab, pytest.raises(ServeError, match="in use"):
        LabServer(lab, socket_dir=tmp_path)
    assert path.read_text() == "mine"


def test_a_port_that_is_taken_is_said_in_one_line(served: Served, lab_name: str) -> None:
    port = served.server.addresses["n1"].tcp
    with Lab(["n2"], dataplane="none", name=lab_name) as lab, pytest.raises(ServeError, match="n2"):
        LabServer(lab, tcp_port=port)


@dataclass
class _Service:
    """HNS, as far as an application asks for it; everything needs a thread."""

    invoke: Callable[[Call], Reply]

    def invoke_at_once(self, _call: Call) -> None:
        return None

    def thread_for(self, _call: Call) -> None:
        return None

    def invoke_if_free(self, _call: Call) -> None:
        return None

    def subscription(self, _handle: int | None, _client: str) -> None:
        return None


def _way_in(service: _Service, status: Callable[[], dict[str, Any]]) -> ASGIApp:
    return entrance(application("n1", service, status, {}), service)


def _ask(app: ASGIApp, method: str, path: str, document: bytes = b"") -> httpx.Response:
    """Ask an application without a server; what it raises is raised here."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://n") as http:
            return await http.request(method, path, content=document)

    return asyncio.run(ask())


def _code(answer: dict[str, Any]) -> int:
    code: int = answer["ErrorCode"] if "ErrorCode" in answer else answer["hresult"]
    return code
