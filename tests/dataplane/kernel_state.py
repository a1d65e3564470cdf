"""What the kernel has in a namespace, in a form that compares: what an undone change must leave as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute

from hnsfake.dataplane import nftables
from hnsfake.dataplane.node import LinuxNode

AF_BRIDGE = 7
_PERMANENT = 0x80
_NOARP = 0x40
_VOLATILE = ("handle", "metainfo")

State = dict[str, list[str]]


def snapshot(node: LinuxNode) -> dict[str, State]:
    """Return the state of all namespaces of a node, once nothing is left to delete."""
    node.flush()
    places = {"switch": node._kernel.switch.netns}
    places |= {str(number): state.netns for number, state in node._compartments.items()}
    return {name: node.sandbox.run(netns, state) for name, netns in places.items()}


def difference(before: dict[str, State], after: dict[str, State]) -> list[str]:
    """Return what is there more ("+") and less ("-") afterwards."""
    lines = []
    for place in sorted(before.keys() | after.keys()):
        old, new = before.get(place, {}), after.get(place, {})
        for kind in sorted(old.keys() | new.keys()):
            was, is_ = old.get(kind, []), new.get(kind, [])
            lines += [f"- {place} {kind}: {line}" for line in was if line not in is_]
            lines += [f"+ {place} {kind}: {line}" for line in is_ if line not in was]
    return lines


def state() -> State:
    """Return the state of the calling thread's namespace."""
    with IPRoute() as route:
        found = {
            "links": [_link(link) for link in route.get_links()],
            "addresses": [
                f"{a['index']} {a.get_attr('IFA_ADDRESS')}/{a['prefixlen']}" for a in route.get_addr(family=2)
            ],
            "routes": [_route(r) for r in route.get_routes(family=2)],
            "neighbours": [
                f"{n['ifindex']} {n.get_attr('NDA_DST')} {n.get_attr('NDA_LLADDR')}"
                for n in route.get_neighbours(family=2)
                if n["state"] & _PERMANENT
            ],
            "fdb": [_fdb(n) for n in route.get_neighbours(family=AF_BRIDGE) if _chosen(n.get_attr("NDA_LLADDR"))],
            "ports": [_port(link) for link in route.get_links() if link.get_attr("IFLA_MASTER")],
        }
    found["settings"] = _settings()
    found["rules"] = _rules()
    return {name: sorted(lines) for name, lines in found.items()}


def _link(link: Any) -> str:
    kind = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_KIND")
    parts = {name: link.get_attr(f"IFLA_{name}") for name in ("IFNAME", "ADDRESS", "IFALIAS", "MTU", "MASTER", "GROUP")}
    parts["ADDRESS"] = parts["ADDRESS"] if _chosen(parts["ADDRESS"]) else "any"
    return f"{link['index']} {kind} up={link['flags'] & 1} {parts}"


def _chosen(mac: str) -> bool:
    """Whether a MAC is one we gave: the kernel gives ports a random one, which nobody sees."""
    return mac.startswith(("00:", "02:00:", "0e:2a:"))


def _port(link: Any) -> str:
    data = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_SLAVE_DATA")
    names = ("STATE", "LEARNING", "UNICAST_FLOOD", "MCAST_FLOOD", "BCAST_FLOOD", "NEIGH_SUPPRESS")
    values = {name: data.get_attr(f"IFLA_BRPORT_{name}") for name in names} if data else {}
    return f"{link['index']} {values}"


def _route(route: Any) -> str:
    names = ("DST", "GATEWAY", "OIF", "PRIORITY", "TABLE")
    parts = {name: route.get_attr(f"RTA_{name}") for name in names}
    return f"{route['dst_len']} {route['type']} {route['scope']} {parts}"


def _fdb(entry: Any) -> str:
    names = ("LLADDR", "DST", "MASTER", "VLAN")
    parts = {name: entry.get_attr(f"NDA_{name}") for name in names}
    return f"{entry['ifindex']} {entry['state']} {entry['flags']} {parts}"


def _settings() -> list[str]:
    names = ("forwarding", "rp_filter", "arp_ignore", "arp_announce", "accept_local")
    return [
        f"{directory.name} {name} {(directory / name).read_text().strip()}"
        for directory in Path("/proc/sys/net/ipv4/conf").iterdir()
        for name in names
    ]


def _rules() -> list[str]:
    return [
        json.dumps(_stable(entry), sort_keys=True)
        for entry in nftables.listing()["nftables"]
        if "metainfo" not in entry
    ]


def _stable(value: Any) -> Any:
    """Leave out what changes with every loading, and order the elements of sets and maps."""
    if isinstance(value, dict):
        return {
            key: sorted(map(json.dumps, map(_stable, inner)))
            if key == "elem" and isinstance(inner, list)
            else _stable(inner)
            for key, inner in value.items()
            if key not in _VOLATILE
        }
    return [_stable(inner) for inner in value] if isinstance(value, list) else value
