"""Notifications as server-sent events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.frontends.conftest import Served

V2 = {"Major": 2, "Minor": 0}
NAMESPACE = "11111111-2222-3333-4444-555555555555"


@contextmanager
def _events(http: httpx.Client, **options: str) -> Iterator[Iterator[str]]:
    """Register, and yield the events' fields as they come."""
    handle = http.post("/hcn/HcnRegisterServiceCallback").json()["handle"]
    with http.stream("GET", "/lab/notifications", params={"handle": handle, **options}) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": registered"
        yield (line.removeprefix("event: ") for line in lines if line.startswith("event: "))


def _change(served: Served) -> None:
    """Make a network, an endpoint, a load balancer and, as the last, a namespace."""
    with served.client() as http:
        network = http.post("/networks/", json={"Name": "nat", "Type": "nat"}).json()["Output"]["ID"]
        endpoint = http.post("/endpoints/", json={"VirtualNetwork": network}).json()["Output"]["ID"]
        balancer = {"HostComputeEndpoints": [endpoint], "FrontendVIPs": ["1.1.1.2"], "SchemaVersion": V2}
        mapping = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 80}
        assert not http.post("/hcn/HcnCreateLoadBalancer", json={**balancer, "PortMappings": [mapping]}).json()[
            "hresult"
        ]
        http.post("/hcn/HcnCreateNamespace", params={"id": NAMESPACE}, json={"SchemaVersion": V2})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ["1", "2", "5"]),
        ({"extended": "false"}, ["1", "2", "5"]),
        ({"extended": "true"}, ["1", "2", "EndpointCreate", "LoadBalancerCreate", "5"]),
    ],
)
def test_a_stream_has_windows_numbers_and_the_emulators_names_where_they_are_asked_for(
    served: Served, options: dict[str, str], told: list[str]
) -> None:
    with served.client() as http, _events(http, **options) as events:
        _change(served)
        assert [next(events) for _ in told] == told
