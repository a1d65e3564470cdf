"""Many HTTP clients at once: the front end loses nothing and mixes nothing up."""

from __future__ import annotations

from contextlib import ExitStack

import httpx

from hnsfake.service.call import Call, Reply
from tests.contract.clients import Invoke, check_nothing_is_lost, work_together
from tests.frontends.conftest import Served

CLIENTS = 32
CALLS = 25


def carried_by(http: httpx.Client) -> Invoke:
    """Return what carries calls over HTTP."""

    def invoke(call: Call) -> Reply:
        if call.operation == "HNSCall":
            answer = http.request(call.method, call.path, content=call.document)
            return Reply(int(answer.headers["HNS-HResult"], 16), None, answer.text)
        given = {"client": call.client, "id": call.id or "", "handle": str(call.handle or "")}
        answer = http.post(f"/hcn/{call.operation}", params=given, content=call.document)
        return Reply(**answer.json())

    return invoke


def test_many_http_clients_at_once_are_as_if_one_after_the_other(served: Served) -> None:
    node = served.lab.nodes["n1"]
    subnets = [{"AddressPrefix": "10.1.0.0/25"}]
    network = node.hns_call("POST", "/networks/", {"Name": "one", "Type": "L2Bridge", "Subnets": subnets})["ID"]
    with ExitStack() as stack:
        invokes = [carried_by(stack.enter_context(served.client())) for _ in range(CLIENTS)]
        clients, history = work_together(invokes, [network], CALLS)
    history.check()
    check_nothing_is_lost(node.service.state, clients, history)
    assert len(node.service._handles) == 0
