"""Everything that HNS shows, asked for in every way; and what of it the reference knows too."""

from __future__ import annotations

import json
from typing import Any

from hnsfake.documents import guids
from tests.contract.model.reference import Reference, same_mac
from tests.contract.service import VERSION, Bench

Documents = dict[str, Any]
WORDS = ("Network", "Endpoint", "Namespace", "LoadBalancer", "SdnRoute")
PATHS = ("networks", "endpoints", "namespaces", "policylists")


def documents(bench: Bench) -> Documents:
    """Return all documents of both faces; what enumerations list is what queries show, one by one."""
    shown: Documents = {}
    for path in PATHS:
        listed = bench.v1("GET", f"/{path}/")["Output"]
        assert listed == [bench.v1("GET", f"/{path}/{one['ID']}")["Output"] for one in listed]
        shown[path] = listed
    for word in WORDS:
        shown[word] = [_query(bench, word, one) for one in enumerated(bench, word)]
    shown["systems"] = json.loads(bench.invoke("HcsEnumerateComputeSystems").output or "")
    return shown


def enumerated(bench: Bench, word: str, **conditions: Any) -> list[str]:
    """Return the ids that HcnEnumerate lists, under a filter."""
    query = {"SchemaVersion": VERSION, "Filter": json.dumps(conditions) if conditions else ""}
    ids: list[str] = json.loads(bench.invoke(f"HcnEnumerate{word}s", query).output or "")
    return ids


def _query(bench: Bench, word: str, object_id: str) -> dict[str, Any]:
    handle = bench.handle(word, object_id)
    document = bench.shown(word, handle)
    assert bench.invoke(f"HcnClose{word}", handle=handle).ok
    assert document["ID"].lower() == object_id.lower()
    return document


def seen_v2(shown: Documents) -> dict[str, list[Any]]:
    """Return what the second face shows, as the reference would say it."""
    return {
        "networks": [(n["ID"].upper(), n["Name"], n["Type"], *_prefixes_v2(n)) for n in shown["Network"]],
        "endpoints": [_endpoint_v2(endpoint) for endpoint in shown["Endpoint"]],
        "namespaces": [_namespace(n, "NamespaceId", "Resources") for n in shown["Namespace"]],
        "balancers": [_balancer_v2(balancer) for balancer in shown["LoadBalancer"]],
        "routes": [
            (r["ID"].upper(), _upper(r["HostComputeEndpoints"]), r["Setting"][0]["DestinationPrefix"])
            for r in shown["SdnRoute"]
        ],
        "systems": [system["Id"] for system in shown["systems"]],
    }


def seen_v1(shown: Documents) -> dict[str, list[Any]]:
    """Return what the first face shows, as the reference would say it."""
    lists = [(one, one["Policies"][0]) for one in shown["policylists"]]
    return {
        "networks": [
            (n["ID"].upper(), n["Name"], n["Type"], *(s["AddressPrefix"] for s in n["Subnets"]))
            for n in shown["networks"]
        ],
        "endpoints": [_endpoint_v1(endpoint) for endpoint in shown["endpoints"]],
        "namespaces": [_namespace(n, "CompartmentId", "ResourceList") for n in shown["namespaces"]],
        "balancers": [
            (one["ID"].upper(), _references(one), (elb["VIPs"] or [""])[0], elb["ExternalPort"])
            for one, elb in lists
            if elb["Type"] == "ELB"
        ],
        "routes": [
            (one["ID"].upper(), _references(one), route["DestinationPrefix"])
            for one, route in lists
            if route["Type"] == "ROUTE"
        ],
        "systems": [system["Id"] for system in shown["systems"]],
    }


def attachments(shown: Documents) -> dict[str, Any]:
    """Return state and containers of each endpoint, as the first face shows them."""
    return {e["ID"].upper(): (e["State"], tuple(e["SharedContainers"])) for e in shown["endpoints"]}


def expected(reference: Reference) -> dict[str, list[Any]]:
    """Return what the reference says."""
    return {
        "networks": [(n.id, n.name, n.kind, n.prefix) for n in reference.networks.values()],
        "endpoints": [
            (e.id, e.network, e.address, same_mac(e.mac), e.remote, e.namespace, e.mappings)
            for e in reference.endpoints.values()
        ],
        "namespaces": [(n.id, n.compartment, tuple(n.endpoints), n.containers) for n in reference.namespaces.values()],
        "balancers": [(b.id, b.endpoints, b.vip, b.port) for b in reference.balancers.values()],
        "routes": [(r.id, r.endpoints, r.prefix) for r in reference.routes.values()],
        "systems": list(reference.systems),
    }


def _endpoint_v2(shown: dict[str, Any]) -> Any:
    (configuration,) = shown["IpConfigurations"]
    settings = [policy["Settings"] for policy in shown["Policies"] if policy["Type"] == "PortMapping"]
    mappings = tuple((s["Protocol"], s["InternalPort"], s["ExternalPort"], s.get("VIP", "")) for s in settings)
    return (
        shown["ID"].upper(),
        shown["HostComputeNetwork"].upper(),
        configuration["IpAddress"],
        same_mac(shown["MacAddress"]),
        bool(shown["Flags"] & 1),
        shown["HostComputeNamespace"].upper(),
        mappings,
    )


_NUMBERS = {"TCP": 6, "UDP": 17}


def _endpoint_v1(shown: dict[str, Any]) -> Any:
    policies = [policy for policy in shown.get("Policies", []) if policy["Type"] == "NAT"]
    mappings = tuple(
        (_NUMBERS[p["Protocol"]], p["InternalPort"], p["ExternalPort"], p.get("VIP", "")) for p in policies
    )
    return (
        shown["ID"].upper(),
        shown["VirtualNetwork"].upper(),
        shown["IPAddress"],
        same_mac(shown["MacAddress"]),
        shown.get("IsRemoteEndpoint", False),
        shown.get("Namespace", {}).get("ID", "").upper().replace(guids.ZERO, ""),  # HNS 9 writes none as zeros
        mappings,
    )


def _namespace(shown: dict[str, Any], number: str, resources: str) -> Any:
    def of(kind: str) -> tuple[str, ...]:
        return tuple(one["Data"]["Id"] for one in shown[resources] if one["Type"] == kind)

    return shown["ID"].upper(), shown[number], _upper(of("Endpoint")), of("Container")


def _balancer_v2(shown: dict[str, Any]) -> Any:
    vip = (shown["FrontendVIPs"] or [""])[0]
    return shown["ID"].upper(), _upper(shown["HostComputeEndpoints"]), vip, shown["PortMappings"][0]["ExternalPort"]


def _prefixes_v2(shown: dict[str, Any]) -> list[str]:
    return [subnet["IpAddressPrefix"] for ipam in shown["Ipams"] for subnet in ipam["Subnets"]]


def _references(shown: dict[str, Any]) -> tuple[str, ...]:
    return _upper(reference.rsplit("/", 1)[1] for reference in shown["References"])


def _upper(ids: Any) -> tuple[str, ...]:
    return tuple(one.upper() for one in ids)
