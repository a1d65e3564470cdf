"""Ours: endpoints in namespaces of their own on one L2Bridge network, through the v2 API in Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ci.bench.endpoints.lanes import ACL, GATEWAY, PREFIX, address, endpoints_asked, report
from hnsfake import Lab
from hnsfake.node import Node

_VERSION = {"Major": 2, "Minor": 0}
_ROUTES = [{"DestinationPrefix": "0.0.0.0/0", "NextHop": str(GATEWAY)}]
NETWORK = {
    "SchemaVersion": _VERSION,
    "Name": "bench",
    "Type": "L2Bridge",
    "Ipams": [{"Type": "Static", "Subnets": [{"IpAddressPrefix": str(PREFIX), "Routes": _ROUTES}]}],
}


@dataclass(frozen=True)
class Made:
    """An endpoint and its namespace: ids and handles."""

    endpoint: str
    namespace: str
    endpoint_handle: int | None
    namespace_handle: int | None


def main() -> None:
    """Make a lab, create, delete, and print what each took."""
    begun = perf_counter()
    with Lab() as lab:
        ready = perf_counter()
        node = next(iter(lab.nodes.values()))
        network = node.hcn("HcnCreateNetwork", NETWORK, object_id=guid(0, 0)).handle
        empty = resident()
        start = perf_counter()
        made = [create(node, network, number) for number in range(endpoints_asked())]
        created = perf_counter()
        full = resident()
        resumed = perf_counter()
        for one in made:
            delete(node, one)
        assert node.linux is not None
        node.linux.flush()
        deleted = perf_counter()
    report(
        lab=(ready - begun) * 1e3,
        create=(created - start) * 1e3,
        delete=(deleted - resumed) * 1e3,
        empty=empty,
        full=full,
    )


def create(node: Node, network: int | None, number: int) -> Made:
    """Make a namespace and an endpoint, and put the one into the other, as a CNI plugin's ADD does."""
    endpoint, namespace = guid(1, number), guid(2, number)
    document: dict[str, Any] = {
        "SchemaVersion": _VERSION,
        "Name": f"e{number}",
        "IpConfigurations": [{"IpAddress": str(address(number)), "PrefixLength": PREFIX.prefixlen}],
        "Routes": _ROUTES,
        "Policies": [{"Type": "ACL", "Settings": ACL}],
    }
    guest = {"SchemaVersion": _VERSION, "Type": "Guest"}
    made = Made(
        endpoint,
        namespace,
        node.hcn("HcnCreateEndpoint", document, object_id=endpoint, handle=network).handle,
        node.hcn("HcnCreateNamespace", guest, object_id=namespace).handle,
    )
    node.hcn("HcnModifyNamespace", _membership("Add", endpoint), handle=made.namespace_handle)
    return made


def delete(node: Node, made: Made) -> None:
    """Take the endpoint out of its namespace and delete both, as a CNI plugin's DEL does."""
    node.hcn("HcnModifyNamespace", _membership("Remove", made.endpoint), handle=made.namespace_handle)
    node.hcn("HcnCloseNamespace", handle=made.namespace_handle)
    node.hcn("HcnCloseEndpoint", handle=made.endpoint_handle)
    node.hcn("HcnDeleteEndpoint", object_id=made.endpoint)
    node.hcn("HcnDeleteNamespace", object_id=made.namespace)


def _membership(request: str, endpoint: str) -> dict[str, Any]:
    return {"ResourceType": "Endpoint", "RequestType": request, "Settings": {"EndpointId": endpoint}}


def guid(kind: int, number: int) -> str:
    """Return the id of an object: networks are of kind 0, endpoints 1, namespaces 2."""
    return f"be0c4000-0000-4000-800{kind}-{number:012x}"


def resident() -> float:
    """Return the process's resident memory, in KiB."""
    status = Path("/proc/self/status").read_text()
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


if __name__ == "__main__":
    main()
