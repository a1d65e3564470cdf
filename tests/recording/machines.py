"""Nodes in memory that are recorded and replayed on, and callers that go through much of HNS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hnsfake import Lab
from hnsfake.node import Node
from hnsfake.recording.compare import Comparison
from hnsfake.recording.known import KnownDifferences
from hnsfake.recording.lines import Recording, read
from hnsfake.recording.replay import replay
from hnsfake.service.call import Call, Reply

V2 = {"Major": 2, "Minor": 0}
QUERY = {"SchemaVersion": V2}
MINE = "0A1B2C3D-0000-4000-8000-0000000000FF"


@contextmanager
def node(release: str = "ws2022", seed: int = 1) -> Iterator[Node]:
    """A node of a lab of its own."""
    with Lab(["n1"], release=release, dataplane="none", seed=seed) as lab:
        yield lab.nodes["n1"]


def recorded(path: Path, calls: Callable[[Node], object], release: str = "ws2022") -> Recording:
    """Record what a caller does on a fresh node."""
    with node(release) as one, one.record(path):
        calls(one)
    return read(path)


def replayed(
    recording: Recording,
    release: str = "ws2022",
    known: KnownDifferences | None = None,
    lie: Callable[[Call, Reply], Reply] | None = None,
) -> Comparison:
    """Replay a recording on a fresh node with other luck, whose answers ``lie`` may change."""
    with node(release, seed=2) as one:
        backend = Liar(one, lie) if lie is not None else one
        return replay(recording, backend, known)


class Liar:
    """A node that doesn't answer as it should."""

    def __init__(self, honest: Node, lie: Callable[[Call, Reply], Reply]) -> None:
        self._honest = honest
        self._lie = lie

    def invoke(self, call: Call) -> Reply:
        return self._lie(call, self._honest.invoke(call))


def changed(reply: Reply, change: Callable[[Any], None]) -> Reply:
    """Return an answer with its output changed."""
    output = json.loads(reply.output or "null")
    change(output)
    return replace(reply, output=json.dumps(output))


def a_pod(one: Node) -> dict[str, Any]:
    """Make a NAT network and a namespace with an endpoint in it; return what the calls gave."""
    network = one.hns_call("POST", "/networks/", {"Name": "nat", "Type": "nat"})
    endpoint = one.hns_call("POST", "/endpoints/", {"VirtualNetwork": network["ID"]})
    namespace = one.hcn("HcnCreateNamespace", {"SchemaVersion": V2}).handle
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": endpoint["ID"]}}
    one.hcn("HcnModifyNamespace", request, handle=namespace)
    output = one.hcn("HcnQueryNamespaceProperties", QUERY, handle=namespace).output
    return {"network": network, "endpoint": endpoint, "namespace": json.loads(output or "")}


def everything(one: Node) -> None:
    """Use v1, v2 and HCS together: what one gives goes into the other's paths, references, filters and documents."""
    pod = a_pod(one)
    endpoint, network = pod["endpoint"]["ID"], pod["network"]["ID"]
    one.hns_call("GET", f"/endpoints/{endpoint.lower()}")
    one.hns_call("GET", f"endpointstats/{{{endpoint}}}".replace("{", "").replace("}", ""))
    elb = {"Type": "ELB", "InternalPort": 80, "ExternalPort": 80, "Protocol": 6, "VIPs": ["10.96.0.1"]}
    policies = one.hns_call("POST", "/policylists/", {"References": [f"/endpoints/{endpoint}"], "Policies": [elb]})
    found = one.hcn("HcnEnumerateNetworks", {**QUERY, "Filter": json.dumps({"ID": network})}).output
    handle = one.hcn("HcnOpenNetwork", object_id=json.loads(found or "")[0]).handle
    one.hcn("HcnQueryNetworkProperties", {**QUERY, "Flags": 1}, handle=handle)
    address = {"IpAddress": _second(pod["network"]["Subnets"][0]["GatewayAddress"])}
    made = one.hcn("HcnCreateEndpoint", {**QUERY, "IpConfigurations": [address]}, object_id=MINE, handle=handle)
    acl = {"Protocols": "6", "Action": "Block", "Direction": "In", "RemoteAddresses": "10.2.0.0/16", "Priority": 200}
    change = {"Policies": [{"Type": "ACL", "Settings": acl}]}
    request = {"ResourceType": "Policy", "RequestType": "Add", "Settings": change}
    one.hcn("HcnModifyEndpoint", request, handle=made.handle)
    one.hcn("HcnQueryEndpointProperties", QUERY, handle=made.handle)
    compartment = one.create_compute_system("web", namespace=pod["namespace"]["ID"].lower())
    assert compartment == pod["namespace"]["NamespaceId"]
    one.hns_call("GET", "/namespaces")
    one.hns_call("GET", "/endpoints/")
    one.delete_compute_system("web")
    one.hns_call("DELETE", f"/policylists/{policies['ID']}")
    one.invoke(Call("HNSCall", '{"Name": 5}', method="POST", path="/networks/"))
    one.invoke(Call("HNSCall", b"\xff{", method="POST", path="/networks/"))
    one.invoke(Call("HcnQueryNetworkProperties", handle=12345))
    one.invoke(Call("HcnCloseNetwork", handle=-1))
    one.invoke(Call("HcnOpenEndpoint", id="no id at all", client="other"))
    one.hcn("HcnCloseNetwork", handle=handle)


def _second(gateway: str) -> str:
    return gateway.rsplit(".", 1)[0] + ".77"
