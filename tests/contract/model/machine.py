"""A state machine that calls HNS and the reference alike: what every rule needs, and what holds after every step."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Reply
from tests.contract.model.mirror import MirrorDataplane
from tests.contract.model.picture import Documents, attachments, documents, expected, seen_v1, seen_v2
from tests.contract.model.reference import HOST, Namespace, Reference, Refusals
from tests.contract.service import VERSION, Bench, refused

POOL = [f"0000000{number}-AAAA-BBBB-CCCC-DDDDDDDDDDDD" for number in range(1, 5)]
"""Ids that clients choose, alike for all kinds of objects."""
_NON_PERSISTENT = 8
FACES = st.sampled_from(["v1", "v2"])
PICKS = st.integers(0, 5)
"""Which of the objects there are; one that isn't there, where there are fewer."""
IDS = st.sampled_from([*POOL, "", ""])
"""An id that the client chooses, or none."""


class Machine(RuleBasedStateMachine):
    """The parts that all rules share."""

    release = "ws2022"

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="hnsfake-model-"))
        self.bench = self._bench()
        self.reference = Reference()
        self.shown: Documents = documents(self.bench)
        self.refused = False
        self.state, self.there = self.bench.service.state, self._mirror.there
        (default,) = self.shown["Namespace"]
        self.default = default["ID"].upper()
        self.reference.namespaces[self.default] = Namespace(self.default, HOST)
        self.closed: list[tuple[str, int]] = []

    def teardown(self) -> None:
        self.bench.service.close()
        shutil.rmtree(self.directory)

    # what holds after every step

    @invariant()
    def both_faces_show_what_the_reference_has(self) -> None:
        shown = documents(self.bench)
        assert shown == self.shown or not self.refused
        self.shown, self.refused = shown, False
        self.state, self.there = self.bench.service.state, self._mirror.there
        wanted = expected(self.reference)
        assert seen_v1(self.shown) == wanted
        assert seen_v2(self.shown) == wanted
        states = {e.id: (e.state, e.containers) for e in self.reference.endpoints.values()}
        assert attachments(self.shown) == states

    @invariant()
    def nothing_is_given_out_twice(self) -> None:
        for network in self.reference.networks:
            _check_distinct(self.reference.addresses(network))
            _check_distinct(self.reference.macs(network))
        _check_distinct(self.reference.mapped_ports())
        owned = [n.compartment for n in self.reference.namespaces.values()]
        _check_distinct(owned + [s.compartment for s in self.reference.systems.values() if s.own])

    @invariant()
    def no_handle_is_left_open(self) -> None:
        assert len(self.bench.service._handles) == 0

    # rules of all objects

    @rule()
    def restart(self) -> None:
        """What is known after a restart is what was known before: objects, claims, and what the kernel has."""
        before, there = self.bench.service.state, self._mirror.there
        self.bench.service.close()
        self.bench = self._bench()
        assert self.bench.service.state == before
        assert self._mirror.there == there
        assert documents(self.bench) == self.shown

    @rule()
    def restart_in_place(self) -> None:
        """The service alone begins again: all is as it was, and no handle is good any more."""
        handle = self.bench.handle("Namespace", self.default)
        self.bench.service.restart()
        self.settle({HResult.E_HANDLE}, self.call("HcnQueryNamespaceProperties", handle=handle))

    @rule()
    def reboot(self) -> None:
        """The node begins again: containers and namespaces are gone, and networks that were not to outlive it."""
        self.bench.service.reboot()
        for system in list(self.reference.systems.values()):
            self.reference.end(system)
        for namespace in list(self.reference.namespaces.values()):
            if namespace.id == self.default:
                self.reference.set_containers(namespace, ())
            else:
                self.reference.delete_namespace(namespace)
        for shown in self.shown["Network"]:
            if shown["Flags"] & _NON_PERSISTENT:
                self.reference.delete_network(self.reference.networks[shown["ID"].upper()])

    @rule(face=FACES)
    def the_kernel_refuses(self, face: str) -> None:
        self.bench.plane.refusal = refused()
        reply = (
            self.post("/namespaces/", {"IsDefault": False})
            if face == "v1"
            else self.call("HcnCreateNamespace", {"SchemaVersion": VERSION})
        )
        self.settle({HResult.E_UNEXPECTED}, reply)
        self.bench.plane.refusal = None

    @rule(pick=st.integers(0, 10))
    def use_a_closed_handle(self, pick: int) -> None:
        if self.closed:
            word, handle = self.closed[pick % len(self.closed)]
            for function in (f"HcnQuery{word}Properties", f"HcnModify{word}", f"HcnClose{word}"):
                self.settle({HResult.E_HANDLE}, self.call(function, {"SchemaVersion": VERSION}, handle=handle))

    # what rules are made of

    def call(self, function: str, document: Any = "", **parts: Any) -> Reply:
        return self.bench.invoke(function, document, **parts)

    def post(self, path: str, document: Any = "") -> Reply:
        return self.bench.invoke("HNSCall", document, method="POST", path=path)

    def delete(self, face: str, word: str, path: str, object_id: str) -> Reply:
        if face == "v1":
            return self.bench.invoke("HNSCall", method="DELETE", path=f"/{path}/{object_id}")
        return self.call(f"HcnDelete{word}", id=object_id.lower())

    def through(self, word: str, object_id: str, function: str, document: Any) -> Reply:
        """Call a function with a handle that is opened and closed around it."""
        opened = self.call(f"HcnOpen{word}", id=object_id)
        if not opened.ok:
            return opened
        reply = self.call(function, document, handle=opened.handle)
        assert opened.handle is not None
        self.close(word, opened.handle)
        return reply

    def close(self, word: str, handle: int) -> None:
        assert self.call(f"HcnClose{word}", handle=handle).ok
        self.closed.append((word, handle))

    def settle(self, refusals: Refusals, reply: Reply) -> None:
        """Check an answer. After a refusal the invariant checks that nothing has changed."""
        code = _code(reply)
        if refusals:
            assert code in refusals, f"{HResult.by_code(code)!r} instead of {refusals}: {reply}"
            self.refused = True
            assert self.bench.service.state is self.state
            assert self._mirror.there == self.there
            return
        assert code == 0, f"{HResult.by_code(code)!r}: {reply}"

    def made(self, word: str, reply: Reply) -> dict[str, Any]:
        """Return the second face's document of what a Create of either face has made, and close its handle."""
        if reply.handle is None:
            handle = self.bench.handle(word, json.loads(reply.output or "")["Output"]["ID"])
        else:
            handle = reply.handle
        document = self.bench.shown(word, handle)
        self.close(word, handle)
        return document

    @property
    def _mirror(self) -> MirrorDataplane:
        assert isinstance(self.bench.plane, MirrorDataplane)
        return self.bench.plane

    def _bench(self) -> Bench:
        seed = random.randrange(1 << 30)
        return Bench(self.release, self.directory / "journal", seed, MirrorDataplane())


def some(objects: Iterable[str], pick: int) -> str:
    """Return the id of one of the objects, or of none."""
    ids = list(objects)
    return ids[pick] if pick < len(ids) else "FFFFFFFF-AAAA-BBBB-CCCC-DDDDDDDDDDDD"


def _code(reply: Reply) -> int:
    if reply.output and (envelope := json.loads(reply.output)) and isinstance(envelope, dict):
        return int(envelope.get("ErrorCode", 0))
    return reply.hresult


def _check_distinct(values: list[Any]) -> None:
    assert len(values) == len(set(values)), f"given out twice: {values}"
