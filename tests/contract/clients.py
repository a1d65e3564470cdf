"""Many clients at once, and what they saw of each other, checked for an order in which it could have been.

Every object is a register of its own. A client notes the instant before and after each
call. What a query saw of an object must have been true at some instant between the two, so "there" needs a create
that began before the query ended, and no delete that had ended before the query began; "gone" the other way round.
For values that only one client writes in turn (``Name``), a query must see the last value written before it
began, or one whose write overlaps it. What is handed out (addresses, ports) is checked as a resource: of two
holders at once, one would have been refused.
"""

from __future__ import annotations

import itertools
import json
import random
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Call, Reply
from hnsfake.service.state import State
from tests.contract.service import VERSION

DEADLINE = 100.0
Invoke = Callable[[Call], Reply]


@dataclass
class Interval:
    """A call about an object: when it began and ended, and what it did to it or saw of it."""

    began: int
    ended: int
    what: str


@dataclass
class History:
    """What all clients did and saw, by object; instants are numbers in one order."""

    clock: itertools.count[int] = field(default_factory=itertools.count)
    events: dict[str, list[Interval]] = field(default_factory=lambda: defaultdict(list))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, key: str, began: int, what: str) -> None:
        with self.lock:
            self.events[key].append(Interval(began, next(self.clock), what))

    def check(self) -> None:
        """Every query saw what was true at some instant while it ran."""
        for key, events in self.events.items():
            writes = [event for event in events if not event.what.startswith("saw ")]
            for seen in (event for event in events if event.what.startswith("saw ")):
                assert seen.what.removeprefix("saw ") in _possible(writes, seen), (key, seen, events)

    def left(self) -> dict[str, str]:
        """Return the last write of each object, where one client alone wrote it."""
        writes = {key: [e for e in events if not e.what.startswith("saw ")] for key, events in self.events.items()}
        return {key: max(found, key=lambda event: event.ended).what for key, found in writes.items() if found}


def _possible(writes: list[Interval], seen: Interval) -> set[str]:
    """Return the values that a query may have seen: of writes it overlaps, and of the last ones before it.

    A write that ended before another began, which in turn ended before the query began, was overwritten.
    """
    began = [write for write in writes if write.began < seen.ended]
    over = [write for write in began if write.ended < seen.began]
    stale = [write for write in over if any(write.ended < later.began for later in over)]
    values = {write.what for write in began if write not in stale}
    return values if over else values | {"gone"}


class Client:
    """One client: it makes, shows, changes and deletes objects of its own, and looks at those of others."""

    def __init__(self, number: int, invoke: Invoke, history: History, networks: list[str], known: list[str]) -> None:
        self._name = f"client-{number}"
        self._invoke = invoke
        self._history = history
        self._networks = networks
        self._known = known
        self._random = random.Random(number)
        self.endpoints: list[str] = []
        self.namespaces: list[str] = []
        self.balancers: list[str] = []
        self.calls = 0

    def work(self, calls: int) -> None:
        verbs = (
            *(self.create_endpoint, self.create_endpoint, self.delete_endpoint, self.rename, self.rename),
            *(self.look, self.look, self.look, self.list_all, self.create_namespace, self.delete_namespace),
            *(self.join, self.balance, self.stop_balancing, self.own_network),
        )
        while self.calls < calls:
            self._random.choice(verbs)()

    def create_endpoint(self) -> None:
        network = self._random.choice(self._networks)
        name = f"{self._name}-{self.calls}"
        began = next(self._history.clock)
        answer = self._v1("POST", "/endpoints/", {"VirtualNetwork": network, "Name": name})
        if not answer["Success"]:  # the subnet is full
            assert answer["ErrorCode"] == HResult.HCN_E_ADDR_INVALID_OR_RESERVED
            return
        endpoint = answer["Output"]["ID"].upper()
        self._history.note(endpoint, began, name)
        self.endpoints.append(endpoint)
        self._known.append(endpoint)

    def delete_endpoint(self) -> None:
        if self.endpoints:
            endpoint = self.endpoints.pop(self._random.randrange(len(self.endpoints)))
            self._write(endpoint, "gone", "DELETE", f"/endpoints/{endpoint}")

    def rename(self) -> None:
        if self.endpoints:
            endpoint = self._random.choice(self.endpoints)
            name = f"{self._name}-{self.calls}"
            self._write(endpoint, name, "POST", f"/endpoints/{endpoint}", {"Name": name})

    def look(self) -> None:
        """Look at anybody's endpoint."""
        if self._known:
            endpoint = self._random.choice(self._known)
            began = next(self._history.clock)
            answer = self._v1("GET", f"/endpoints/{endpoint}")
            seen = answer["Output"]["Name"] if answer["Success"] else "gone"
            self._history.note(endpoint, began, f"saw {seen}")

    def list_all(self) -> None:
        """List all endpoints: one list is one instant, in which no address is there twice."""
        known = list(self._known)
        began = next(self._history.clock)
        shown = self._v1("GET", "/endpoints/")["Output"]
        names = {one["ID"].upper(): one["Name"] for one in shown}
        for endpoint in known[-20:]:
            self._history.note(endpoint, began, f"saw {names.get(endpoint, 'gone')}")
        places = [(one["VirtualNetwork"], one["IPAddress"]) for one in shown]
        assert len(places) == len(set(places))

    def create_namespace(self) -> None:
        reply = self._call("HcnCreateNamespace", {"SchemaVersion": VERSION})
        shown = self._call("HcnQueryNamespaceProperties", {"SchemaVersion": VERSION}, handle=reply.handle)
        self.namespaces.append(json.loads(shown.output or "")["ID"])
        assert self._call("HcnCloseNamespace", handle=reply.handle).ok

    def delete_namespace(self) -> None:
        if self.namespaces:
            namespace = self.namespaces.pop()
            assert self._call("HcnDeleteNamespace", id=namespace).ok

    def join(self) -> None:
        """Put an endpoint into a namespace; it is there at once, and goes again."""
        if not (self.namespaces and self.endpoints):
            return
        namespace, endpoint = self.namespaces[-1], self.endpoints[-1]
        resource = {"Type": "Endpoint", "Data": {"Id": endpoint}}
        path = f"/namespaces/{namespace}"
        if self._v1("POST", f"{path}/addresource", resource)["Success"]:
            inside = self._v1("GET", path)["Output"]["ResourceList"]
            assert endpoint in [one["Data"]["Id"].upper() for one in inside]
            assert self._v1("POST", f"{path}/removeresource", resource)["Success"]

    def balance(self) -> None:
        if not self.endpoints:
            return
        port = self._random.randrange(100)
        mappings = [{"Protocol": 6, "InternalPort": 80, "ExternalPort": 30000 + port}]
        document = {
            "HostComputeEndpoints": [self.endpoints[-1]],
            "PortMappings": mappings,
            "SchemaVersion": VERSION,
        }
        reply = self._call("HcnCreateLoadBalancer", document)
        if not reply.ok:
            assert reply.hresult == HResult.ERROR_ALREADY_EXISTS
            return
        shown = self._call("HcnQueryLoadBalancerProperties", {"SchemaVersion": VERSION}, handle=reply.handle)
        self.balancers.append(json.loads(shown.output or "")["ID"])
        assert self._call("HcnCloseLoadBalancer", handle=reply.handle).ok

    def stop_balancing(self) -> None:
        if self.balancers:
            assert self._call("HcnDeleteLoadBalancer", id=self.balancers.pop()).ok

    def own_network(self) -> None:
        """Make a network under a name that others want as well, and delete it: one at a time may have it."""
        name = f"shared-{self._random.randrange(3)}"
        answer = self._v1("POST", "/networks/", {"Name": name, "Type": "L2Bridge"})
        if not answer["Success"]:
            assert answer["ErrorCode"] == HResult.HCN_E_NETWORK_ALREADY_EXISTS
            return
        named = [one for one in self._v1("GET", "/networks/")["Output"] if one["Name"] == name]
        assert [one["ID"] for one in named] == [answer["Output"]["ID"]]
        assert self._v1("DELETE", f"/networks/{answer['Output']['ID']}")["Success"]

    def _write(self, key: str, value: str, method: str, path: str, document: Any = "") -> None:
        began = next(self._history.clock)
        assert self._v1(method, path, document)["Success"]
        self._history.note(key, began, value)

    def _v1(self, method: str, path: str, document: Any = "") -> Any:
        return json.loads(self._call("HNSCall", document, method=method, path=path).output or "")

    def _call(self, operation: str, document: Any = "", **parts: Any) -> Reply:
        self.calls += 1
        reply = self._invoke(Call(operation, json.dumps(document) if document else "", client=self._name, **parts))
        assert reply.hresult != HResult.E_UNEXPECTED, reply
        return reply


def work_together(invokes: list[Invoke], networks: list[str], calls: int) -> tuple[list[Client], History]:
    """Let clients work at once; fail where they don't end."""
    history, known = History(), list[str]()
    clients = [Client(number, invoke, history, networks, known) for number, invoke in enumerate(invokes)]
    with ThreadPoolExecutor(len(clients)) as pool:
        running = [pool.submit(client.work, calls) for client in clients]
        done, waiting = wait(running, DEADLINE)
        assert not waiting, "some clients wait for ever"
        for one in done:
            one.result()
    return clients, history


def check_nothing_is_lost(state: State, clients: list[Client], history: History) -> None:
    """The state after all is what the acknowledged calls make."""
    left = {key: name for key, name in history.left().items() if name != "gone"}
    assert {key: endpoint.name for key, endpoint in state.endpoints.items()} == left
    assert set(left) == {endpoint for client in clients for endpoint in client.endpoints}
    own = {namespace.upper() for client in clients for namespace in client.namespaces}
    assert {one.id for one in state.namespaces.values() if one.compartment != HOST_COMPARTMENT} == own
    assert set(state.load_balancers) == {one.upper() for client in clients for one in client.balancers}
    assert not [network.name for network in state.networks.values() if network.name.startswith("shared")]
