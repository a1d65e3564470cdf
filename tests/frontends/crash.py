"""A client that keeps account of what HNS has acknowledged, until HNS is killed under it."""

from __future__ import annotations

import random
import threading
import uuid
from dataclasses import dataclass, field
from typing import Any

import httpx

NETWORK = "11111111-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
GONE = "gone"


@dataclass
class Account:
    """What one client knows: the value of each of its objects, and the change whose answer never came.

    An endpoint's value is its name, address and namespace; a namespace's is that it is there. ``heard`` counts the
    answers of all clients.
    """

    seed: int
    heard: threading.Semaphore
    known: dict[str, Any] = field(default_factory=dict)
    pending: tuple[str, Any] | None = None
    acknowledged: int = 0

    def work(self, socket: str) -> None:
        """Make, change and delete objects until HNS is gone."""
        chance = random.Random(self.seed + self.acknowledged)
        transport = httpx.HTTPTransport(uds=socket)
        with httpx.Client(transport=transport, base_url="http://n1", timeout=20) as http:
            try:
                while True:
                    chance.choice((self._make_endpoint, self._make_namespace, self._rename, self._move, self._delete))(
                        http, chance
                    )
            except httpx.TransportError:
                return

    def check(self, shown: dict[str, Any]) -> None:
        """What was acknowledged is there; the change under way at the kill is there as a whole or not at all."""
        for key, value in self.known.items():
            possible = [value]
            if self.pending is not None and self.pending[0] == key:
                possible.append(self.pending[1])
            assert shown.get(key, GONE) in possible, (key, possible, shown.get(key, GONE))
            self.known[key] = shown.get(key, GONE)
        if self.pending is not None and self.pending[0] not in self.known:
            key, value = self.pending
            assert key not in shown or _same(shown[key], value), (shown[key], value)
            self.known[key] = shown.get(key, GONE)
        self.pending = None

    def _make_endpoint(self, http: httpx.Client, chance: random.Random) -> None:
        key, name = str(uuid.uuid4()).upper(), f"endpoint-{chance.randrange(1000)}"
        document = {"ID": key, "Name": name, "VirtualNetwork": NETWORK}
        answer = self._send(http, key, (name, "", ""), "/endpoints/", document)
        if answer["Success"]:
            self.known[key] = (name, answer["Output"]["IPAddress"], "")

    def _make_namespace(self, http: httpx.Client, _chance: random.Random) -> None:
        key = str(uuid.uuid4()).upper()
        if self._send(http, key, "there", "/namespaces/", {"ID": key, "IsDefault": False})["Success"]:
            self.known[key] = "there"

    def _rename(self, http: httpx.Client, chance: random.Random) -> None:
        for key, (_, address, namespace) in self._some(chance, tuple):
            value = (f"renamed-{chance.randrange(1000)}", address, namespace)
            assert self._send(http, key, value, f"/endpoints/{key}", {"Name": value[0]})["Success"]
            self.known[key] = value

    def _move(self, http: httpx.Client, chance: random.Random) -> None:
        """Put an endpoint into a namespace, or take it out."""
        for key, (name, address, inside) in self._some(chance, tuple):
            for namespace, _ in [(inside, "")] if inside else self._some(chance, str):
                value = (name, address, "" if inside else namespace)
                path = f"/namespaces/{namespace}/{'remove' if inside else 'add'}resource"
                resource = {"Type": "Endpoint", "Data": {"Id": key}}
                assert self._send(http, key, value, path, resource)["Success"]
                self.known[key] = value

    def _delete(self, http: httpx.Client, chance: random.Random) -> None:
        taken = {value[2] for value in self.known.values() if isinstance(value, tuple)}
        for key, value in self._some(chance, object):
            if key not in taken:
                path = f"/{'namespaces' if value == 'there' else 'endpoints'}/{key}"
                assert self._send(http, key, GONE, path, method="DELETE")["Success"]
                self.known[key] = GONE

    def _some(self, chance: random.Random, kind: type) -> list[tuple[str, Any]]:
        """Return one of the objects that are there, if there is one."""
        there = [(k, v) for k, v in self.known.items() if v != GONE and isinstance(v, kind)]
        return [chance.choice(there)] if there else []

    def _send(
        self, http: httpx.Client, key: str, value: Any, path: str, document: Any = None, method: str = "POST"
    ) -> Any:
        self.pending = (key, value)
        answer = http.request(method, path, json=document).json()
        self.pending = None
        self.acknowledged += 1
        self.heard.release()
        return answer


def shown_by(http: httpx.Client) -> dict[str, Any]:
    """Return the value of every object that HNS has."""
    endpoints = {
        one["ID"].upper(): (one["Name"], one["IPAddress"], one.get("Namespace", {}).get("ID", "").upper())
        for one in http.get("/endpoints/").json()["Output"]
    }
    namespaces = http.get("/namespaces/").json()["Output"]
    for namespace in namespaces:
        members = {one["Data"]["Id"].upper() for one in namespace["ResourceList"]}
        assert members == {key for key, value in endpoints.items() if value[2] == namespace["ID"].upper()}
    return endpoints | {one["ID"].upper(): "there" for one in namespaces if not one["IsDefault"]}


def _same(shown: Any, value: Any) -> bool:
    """Whether an object is the one that was being made; its address was HNS's to choose."""
    return bool(shown[0] == value[0] and shown[2] == "") if isinstance(value, tuple) else shown == value
