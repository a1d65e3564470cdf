"""WinNAT: translation of a NAT network behind the host's vNIC, in the node's own stack.

MicrosoftDocs/Virtualization-Documentation container-networking/architecture. Published ports answer on the
node's address from outside and, since Windows Server 2019, from the node itself (docker/for-win#458).
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network

from hnsfake.dataplane.interface import EndpointWant, IPNetwork
from hnsfake.documents.policies import PortMapping

_TRANSLATED = "{ tcp, udp, icmp }"  # WinNAT has ICMP sessions: Set-NetNat -IcmpQueryTimeout


class WinNat:
    """The nftables table of one NAT network in the node's namespace."""

    def __init__(self, table: str, interface: str, management_ip: IPv4Address, prefixes: Sequence[IPNetwork]) -> None:
        self._table = table
        self._interface = interface
        self._management_ip = management_ip
        self._prefixes = ", ".join(str(prefix) for prefix in prefixes if isinstance(prefix, IPv4Network))

    def ruleset(self) -> str:
        """Return the script that makes the table."""
        vnic, address = self._interface, self._management_ip
        # No IPv6 on the wire yet: a network of IPv6 alone has nothing to translate.
        match = f'ip saddr {{ {self._prefixes} }} oifname != "{vnic}" meta l4proto {_TRANSLATED}'
        translation = f"{match} snat ip to {address}" if self._prefixes else ""
        lookup = "dnat ip to ip daddr . meta l4proto . th dport map @mappings"
        return f"""
table inet {self._table} {{
  map mappings {{ type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }}
  chain PREROUTING {{
    type nat hook prerouting priority -100; policy accept;
    meta l4proto {{ tcp, udp }} {lookup}
  }}
  chain OUTPUT {{
    type nat hook output priority -100; policy accept;
    meta l4proto {{ tcp, udp }} {lookup}
  }}
  chain POSTROUTING {{
    type nat hook postrouting priority 100; policy accept;
    iifname "{vnic}" oifname "{vnic}" ct status dnat masquerade
    {translation}
  }}
  chain FORWARD {{
    type filter hook forward priority 0; policy accept;
    iifname "{vnic}" oifname "nat*" oifname != "{vnic}" drop
    iifname "{vnic}" oifname "internal*" drop
    iifname != "{vnic}" oifname "{vnic}" ct state new ct status and dnat == 0 drop
  }}
}}
"""

    def removal(self) -> str:
        """Return the script that removes the table, whether it is there or not."""
        return f"table inet {self._table}\ndelete table inet {self._table}\n"

    def mapping_script(self, before: EndpointWant | None, after: EndpointWant | None) -> str:
        """Return the script that makes the mappings of ``after`` of those of ``before``."""
        lines = [f"delete element inet {self._table} mappings {{ {e} }}\n" for e in self._elements(before)]
        lines += [f"add element inet {self._table} mappings {{ {e} }}\n" for e in self._elements(after)]
        return "".join(lines)

    def _elements(self, endpoint: EndpointWant | None) -> list[str]:
        """Return an endpoint's port mappings as elements of the map."""
        if endpoint is None:
            return []
        target = next((i.ip for i in endpoint.addresses if isinstance(i.ip, IPv4Address)), None)
        return [
            f"{mapping.vip or self._management_ip} . {mapping.protocol} . {mapping.external_port}"
            f" : {target} . {mapping.internal_port}"
            for mapping in endpoint.policies
            if isinstance(mapping, PortMapping)
            and mapping.protocol in (6, 17)
            and (mapping.vip or self._management_ip).version == 4
            and target is not None
        ]
