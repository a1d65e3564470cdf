"""PortMapping with LocalRoutedVip: the node itself reaches the mapped port on its own address.

Without the flag a packet from the node to its own address never leaves its TCP/IP stack; with it, a route
pushes it into the vSwitch (Azure/azure-container-networking#1863).
"""

from __future__ import annotations

from ipaddress import IPv4Address

from hnsfake.dataplane.interface import EndpointWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.documents.policies.port_mapping import PortMapping, PortMappingFlags

TABLE = "local_routed_vip"
_SKELETON = f"""
table inet {TABLE} {{
  map mappings {{ type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }}
  chain OUTPUT {{
    type nat hook output priority -100; policy accept;
    meta l4proto {{ tcp, udp }} dnat ip to ip daddr . meta l4proto . th dport map @mappings
  }}
}}
"""


class LocalRoutedVips:
    """The mappings of one node that its own processes reach."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def add(self, endpoint: EndpointWant) -> None:
        """Add the flagged mappings of an endpoint."""
        self._change(_SKELETON_ONCE, "add", self._elements(endpoint))

    def remove(self, endpoint: EndpointWant) -> None:
        """Take ``add`` back."""
        self._change("", "delete", self._elements(endpoint))

    def update(self, before: EndpointWant, after: EndpointWant) -> None:
        """Change the mappings that differ."""
        old, new = self._elements(before), self._elements(after)
        self._change("", "delete", [element for element in old if element not in new])
        self._change(_SKELETON_ONCE, "add", [element for element in new if element not in old])

    def _change(self, before: str, verb: str, elements: list[str]) -> None:
        if elements:
            lines = [f"{verb} element inet {TABLE} mappings {{ {element} }}\n" for element in elements]
            self._kernel.node_rules(before + "".join(lines))

    def _elements(self, endpoint: EndpointWant) -> list[str]:
        target = next((i.ip for i in endpoint.addresses if isinstance(i.ip, IPv4Address)), None)
        return [
            f"{mapping.vip or self._kernel.address} . {mapping.protocol} . {mapping.external_port}"
            f" : {target} . {mapping.internal_port}"
            for mapping in endpoint.policies
            if isinstance(mapping, PortMapping)
            and mapping.flags & PortMappingFlags.LOCAL_ROUTED_VIP
            and mapping.protocol in (6, 17)
            and (mapping.vip or self._kernel.address).version == 4
            and target is not None
        ]


# Added again and again, rules would pile up: the chain is emptied first, in the same transaction.
_SKELETON_ONCE = f"""
table inet {TABLE} {{
  chain OUTPUT {{ type nat hook output priority -100; policy accept; }}
}}
flush chain inet {TABLE} OUTPUT
{_SKELETON}"""
