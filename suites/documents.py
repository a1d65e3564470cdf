"""Documents as real clients send them, built from the few things that vary."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]
VERSION = {"Major": 2, "Minor": 0}


def policy(kind: str, **settings: Any) -> Document:
    """Return a v2 policy."""
    return {"Type": kind, "Settings": settings}


def network(kind: str, name: str, prefix: str = "", gateway: str = "", **more: Any) -> Document:
    """Return a v2 network with one subnet, or none (containernetworking/plugins, hcsshim's own tests)."""
    document: Document = {"Name": name, "Type": kind, "SchemaVersion": VERSION, **more}
    if prefix:
        routes = [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0"}] if gateway else []
        document["Ipams"] = [{"Type": "Static", "Subnets": [{"IpAddressPrefix": prefix, "Routes": routes}]}]
    return document


def flannel_vxlan(name: str, prefix: str, gateway: str, vni: int) -> Document:
    """Return the overlay network that flannel creates (flannel-io/flannel pkg/backend/vxlan)."""
    document = network("Overlay", name, prefix, gateway, Flags=8)
    document["Ipams"][0]["Subnets"][0]["Policies"] = [policy("VSID", IsolationId=vni)]
    return document


def flannel_host_gw(name: str, prefix: str, gateway: str) -> Document:
    """Return the v1 network that flannel creates (flannel-io/flannel pkg/backend/hostgw)."""
    subnet = {"AddressPrefix": prefix, "GatewayAddress": gateway}
    return {"Name": name, "Type": "L2Bridge", "DNSServerList": "", "Subnets": [subnet]}


def endpoint(
    name: str, address: str = "", gateway: str = "", policies: list[Document] | None = None, **more: Any
) -> Document:
    """Return a v2 endpoint as win-bridge sends it (containernetworking/plugins pkg/hns)."""
    return {
        "SchemaVersion": VERSION,
        "Name": name,
        "Dns": {},
        "IpConfigurations": [{"IpAddress": address}],
        "Routes": [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0" if gateway else "::/0"}],
        "Policies": policies or [],
        **more,
    }


def acl(action: str, direction: str, priority: int, **more: Any) -> Document:
    """Return a Switch ACL as Calico and Azure send it."""
    return policy(
        "ACL",
        Action=action,
        Direction=direction,
        Priority=priority,
        **{"RuleType": "Switch", "Protocols": "", **more},
    )


def add_policies(*policies: Document, request: str = "Add") -> Document:
    """Return a modify request about policies."""
    return {"ResourceType": "Policy", "RequestType": request, "Settings": {"Policies": list(policies)}}


NAMESPACE: Document = {"SchemaVersion": VERSION}
CONTAINERD_NAMESPACE: Document = {"SchemaVersion": {"Major": 0, "Minor": 0}}
