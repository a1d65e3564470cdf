"""PortMapping with LocalRoutedVip: the node itself reaches the mapped port on its own address.

Without the flag a packet from the node to its own address never leaves its TCP/IP stack; with it, a route
pushes it into the vSwitch (Azure/azure-container-networking#1863).
"""

from __future__ import annotations

from ipaddress import IPv4Address

from hnsfake.dataplane.interface import EndpointWant
from hnsfake.documents.policies.port_mapping import PortMapping, PortMappingFlags

_TABLE = "local_routed_vip"
RULESET = f"""
table inet {_TABLE} {{
  map mappings {{ type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }}
  chain OUTPUT {{
    type nat hook output priority -100; policy accept;
    meta l4proto {{ tcp, udp }} dnat ip to ip daddr . meta l4proto . th dport map @mappings
  }}
}}
"""
REMOVAL = f"table inet {_TABLE}\ndelete table inet {_TABLE}\n"


def elements(endpoint: EndpointWant, management_ip: IPv4Address) -> list[str]:
    """Return the map elements of an endpoint's flagged mappings."""
    target = next((i.ip for i in endpoint.addresses if isinstance(i.ip, IPv4Address)), None)
    return [
        f"{mapping.vip or management_ip} . {mapping.protocol} . {mapping.external_port}"
        f" : {target} . {mapping.internal_port}"
        for mapping in endpoint.policies
        if isinstance(mapping, PortMapping)
        and mapping.flags & PortMappingFlags.LOCAL_ROUTED_VIP
        and mapping.protocol in (6, 17)
        and (mapping.vip or management_ip).version == 4
        and target is not None
    ]


def change_script(old: list[str], new: list[str]) -> str:
    """Return the script that makes elements ``new`` of ``old``; for the node's namespace."""
    lines = [f"delete element inet {_TABLE} mappings {{ {e} }}\n" for e in old if e not in new]
    lines += [f"add element inet {_TABLE} mappings {{ {e} }}\n" for e in new if e not in old]
    return "".join(lines)
