"""Networks for the contract tests: every test makes its own and leaves nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from suites import documents
from suites.hns import Hns, HnsFailureError
from suites.topology import DRIVERS

_numbers = itertools.count(1)
_FIRST_OCTET = {
    name: octet
    for octet, name in enumerate(
        ("L2Bridge", "Overlay", "NAT", "L2Tunnel", "Transparent", "ICS", "Internal", "Private"), start=11
    )
}


@dataclass
class Workshop:
    """Makes objects on one host, and removes them at the end."""

    hns: Hns
    driver: str
    _undo: ExitStack = field(default_factory=ExitStack)

    def network_document(self, **more: Any) -> documents.Document:
        """Return a document of the driver with a prefix of its own (a /8 a driver)."""
        number = next(_numbers)
        base = f"{_FIRST_OCTET[self.driver]}.{number >> 8}.{number & 255}"
        document = documents.network(self.driver, f"contract{number}{self.driver}", f"{base}.0/24", f"{base}.1", **more)
        if self.driver == "Overlay":
            document["Ipams"][0]["Subnets"][0]["Policies"] = [documents.policy("VSID", IsolationId=20000 + number)]
        return document

    def network(self, document: documents.Document | None = None, **more: Any) -> str:
        """Make a network; return its id."""
        return self.adopt("Network", self.hns.create("Network", document or self.network_document(**more)))

    def endpoint(self, network: str, document: documents.Document | None = None) -> str:
        """Make an endpoint; return its id."""
        made = self.hns.create("Endpoint", document or documents.endpoint("pod"), network=network)
        return self.adopt("Endpoint", made)

    def namespace(self, document: documents.Document | None = None) -> str:
        """Make a namespace; return its id."""
        return self.adopt("Namespace", self.hns.create("Namespace", document or documents.NAMESPACE))

    def adopt(self, noun: str, object_id: str) -> str:
        """Have an object removed at the end, if it is still there then."""
        self._undo.callback(self._remove, noun, object_id)
        return object_id

    def close(self) -> None:
        """Remove what is left."""
        self._undo.close()

    def _remove(self, noun: str, object_id: str) -> None:
        with suppress(HnsFailureError):
            self.hns.delete(noun, object_id)


@pytest.fixture(params=DRIVERS)
def shop(request: pytest.FixtureRequest, hns: Hns) -> Iterator[Workshop]:
    """A workshop, once a driver."""
    made = Workshop(hns, request.param)
    yield made
    made.close()


@pytest.fixture
def bridge(hns: Hns) -> Iterator[Workshop]:
    """A workshop of L2Bridge networks."""
    made = Workshop(hns, "L2Bridge")
    yield made
    made.close()


@pytest.fixture
def overlay(hns: Hns) -> Iterator[Workshop]:
    """A workshop of Overlay networks."""
    made = Workshop(hns, "Overlay")
    yield made
    made.close()


@pytest.fixture
def nat(hns: Hns) -> Iterator[Workshop]:
    """A workshop of NAT networks."""
    made = Workshop(hns, "NAT")
    yield made
    made.close()
