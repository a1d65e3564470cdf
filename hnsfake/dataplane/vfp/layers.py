"""The layers of a port: what a policy type may add rules to, and in which order packets meet them.

OUT is from the vNIC to the switch, IN the other way round. Priorities are nftables'; on IN, addresses are
put right before the ACLs see them, on OUT after (MicrosoftDocs/Virtualization-Documentation, multi-subnet:
ACLs see pod addresses, not VIPs). Layer and group names are VFP's where it has one (microsoft/SDN
Kubernetes/windows/debug/networkhealth.ps1, microsoft/SdnDiagnostics): a trace shows the chain, which is
``<layer>_<direction>`` or the group's name, and the rule's comment, which is the VFP rule's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from ipaddress import IPv4Address, collapse_addresses

from hnsfake.dataplane.interface import EndpointWant, IPNetwork

BLOCKED = 0x484E5301
"""The packet mark of what a layer blocked on OUT; the port loses it at egress.

A verdict of drop tells the sender (EPERM; at egress ENOBUFS); Windows drops without a word.
"""

# The mark of a flow: what the host's port balanced it by, the number of the ACLs that judged it, and who let it pass.
PROFILE = 0x0000_0FFF
RULES = 0x3FFF_F000
PASSED_SWITCH = 0x4000_0000
PASSED_HOST = 0x8000_0000

_MAX_NAME = 120  # nftables takes comments of 128 bytes
_NOT_IN_A_NAME = re.compile(r"[^0-9A-Za-z_.:/ -]")


class Layer(Enum):
    """A layer in one direction: chain name, nftables chain type, hook and priority."""

    NAT_IN = ("SLB_NAT_LAYER_IN", "nat", "prerouting", -100)
    ACL_IN = ("FW_CONTROLLER_LAYER_IN", "filter", "prerouting", -90)
    HOST_IN = ("WFP_IN", "filter", "prerouting", -80)
    HOST_OUT = ("WFP_OUT", "filter", "postrouting", 80)
    ACL_OUT = ("FW_CONTROLLER_LAYER_OUT", "filter", "postrouting", 90)
    NAT_OUT = ("SLB_NAT_LAYER_OUT", "nat", "postrouting", 100)
    LOOPBACK_OUT = ("SLB_LOOPBACK_LAYER_OUT", "nat", "postrouting", 101)  # what the port turns back to its own vNIC


@dataclass(frozen=True, slots=True)
class PortContext:
    """A port: the vNIC's kernel name, its endpoint, and what the port must know of the node.

    ``host_mac`` is the MAC of the host's port, for traffic that a policy hands to the host; ``quirks`` are the node's.
    """

    interface: str
    endpoint: EndpointWant
    management_ip: IPv4Address | None = None
    host_mac: str | None = None
    quirks: frozenset[str] = frozenset()

    @property
    def ipv4(self) -> IPv4Address | None:
        """The endpoint's first IPv4 address."""
        addresses = (interface.ip for interface in self.endpoint.addresses)
        return next((address for address in addresses if isinstance(address, IPv4Address)), None)


@dataclass(slots=True)
class Rules:
    """Rules collected from the policies.

    ``layers`` has the statements of each layer, ``groups`` those of chains that layers jump to, ``sets`` what
    either look up, ``egress`` the stateless ones at the port's very end.
    """

    layers: dict[Layer, list[str]] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    sets: dict[str, str] = field(default_factory=dict)
    egress: list[str] = field(default_factory=list)

    def add(self, layer: Layer, *statements: str) -> None:
        """Append statements to a layer."""
        self.layers.setdefault(layer, []).extend(statements)


def elements(items: Iterable[IPNetwork]) -> str:
    """Write prefixes of one family, overlaps merged: the kernel refuses them in one set."""
    merged = collapse_addresses(items)  # type: ignore[type-var] # all of one family
    return any_of(map(str, merged))


def any_of(values: Iterable[str]) -> str:
    """Write values as an anonymous set; one alone as itself, which costs the kernel less."""
    listed = list(values)
    return listed[0] if len(listed) == 1 else "{ " + ", ".join(listed) + " }"


def named(statement: str, name: str) -> str:
    """Give a rule a name; what nftables can't have in one becomes an underscore."""
    return f'{statement} comment "{_NOT_IN_A_NAME.sub("_", name)[:_MAX_NAME]}"'
