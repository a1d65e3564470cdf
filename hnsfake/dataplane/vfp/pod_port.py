"""Load balancing with DSR at a pod's port: as a client its packets go straight to a backend, as a backend it answers.

As a client: the packet's destination becomes a backend's, its source stays, and the port puts the VIP back into the
answer. As a backend: what arrives for the front end, from outside, becomes the pod's. A pod that is its own backend
gets no answer (projectcalico/calico#5522) unless an OutBoundNAT policy for its own address gives such packets another
source (Azure/AKS#2608, which calls it loopback).
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from hnsfake.dataplane.interface import EndpointWant, FrontEnd, LoadBalancerWant
from hnsfake.dataplane.map_elements import Element, packed, port
from hnsfake.dataplane.vfp.balancing import (
    FRONT_END,
    LOOKUP,
    MAPS,
    Content,
    balanced,
    front_end,
    ipv4_addresses,
    joined,
)
from hnsfake.dataplane.vfp.layers import elements
from hnsfake.documents.policies import OutboundNat

FAMILY = "inet"
OWN = "own"
"""At a backend: what arrives for a front end, and what becomes of it."""


def ruleset(endpoint: EndpointWant, vnic: str, apart_from: IPv4Network | None = None) -> str:
    """Return the script that makes the table of an endpoint's port anew, with nothing balanced yet.

    With the quirk l2bridge-kb5005619 the port loses what pods of other nodes send, ``apart_from`` being the nodes.
    """
    own = next((str(i.ip) for i in endpoint.addresses if isinstance(i, IPv4Interface)), "")
    hairpin = f'iifname "lo" ip daddr {own} ct status & (dnat | snat) == dnat counter drop' if own else ""
    return f"""{removal(vnic)}
table {FAMILY} {table(vnic)} {{
{MAPS}
  map {OWN} {{ type {FRONT_END} : ipv4_addr . inet_service; }}
  chain LB_DSR_OUT {{
    type nat hook output priority -100; policy accept;
    oifname != "{vnic}" accept
{LOOKUP}
  }}
  chain SLB_NAT_LAYER_IN {{
    type nat hook prerouting priority -100; policy accept;
    iifname != "{vnic}" accept
    dnat ip to ip daddr . meta l4proto . th dport map @{OWN}
  }}
  chain STRANGERS {{
    type filter hook prerouting priority -95; policy accept;
    {_strangers(endpoint, vnic, apart_from) if apart_from is not None else ""}
  }}
  chain LOOPBACK {{
    type filter hook input priority 0; policy accept;
    {hairpin}
  }}
}}
"""


def _strangers(endpoint: EndpointWant, vnic: str, nodes: IPv4Network) -> str:
    """Match what pods of other nodes send: what OutBoundNAT leaves alone, but for nodes and the pod's own subnet.

    # unverified: which end loses it, and how
    """
    own = [interface.network for interface in endpoint.addresses if interface.version == 4]
    left_alone = [
        prefix
        for policy in endpoint.policies
        if isinstance(policy, OutboundNat)
        for prefix in policy.exceptions
        if prefix.version == 4
    ]
    if not left_alone:
        return ""
    return f'iifname "{vnic}" ip saddr {elements(left_alone)} ip saddr != {elements([nodes, *own])} counter drop'


def removal(vnic: str) -> str:
    """Return the script that removes a port's table, whether it is there or not."""
    name = f"{FAMILY} {table(vnic)}"
    return f"table {name}\ndelete table {name}\n"


def content(balancer: LoadBalancerWant, endpoint: EndpointWant, management_ip: IPv4Address) -> Content:
    """Return what a load balancer with DSR puts into the table of an endpoint's port."""
    ends = balancer.front_ends(management_ip)
    return joined([balanced(ends, ipv4_addresses(balancer.backends)), _own(balancer, endpoint, ends)])


def _own(balancer: LoadBalancerWant, endpoint: EndpointWant, ends: Iterable[FrontEnd]) -> Content:
    """Return what makes an endpoint's port one of a backend.

    A front end that preserves the destination leaves it as it is (kubernetes/website windows-networking).
    """
    address = next(
        (b.address for b in balancer.backends if b.endpoint_id == endpoint.id and b.address.version == 4), None
    )
    if address is None:
        return Content()
    return Content(
        [
            Element(OWN, front_end(end), packed(address) + port(end.internal_port))
            for end in ends
            if end.external_port and not end.preserves_destination
        ]
    )


def table(vnic: str) -> str:
    """Return the name of the table that load balancers put their content into."""
    return f"lb_{vnic}"
