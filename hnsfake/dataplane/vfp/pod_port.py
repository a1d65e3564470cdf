"""Load balancing with DSR at a pod's port: as a client its packets go straight to a backend, as a backend it answers.

As a client: the packet's destination becomes a backend's, its source stays, and the port puts the VIP back into the
answer. As a backend: what arrives for the front end, from outside, becomes the pod's. A pod that is its own backend
gets no answer (projectcalico/calico#5522) unless an OutBoundNAT policy for its own address gives such packets another
source (Azure/AKS#2608, which calls it loopback).
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address

from hnsfake.dataplane.interface import EndpointWant, FrontEnd, LoadBalancerWant
from hnsfake.dataplane.vfp.balancing import FRONT_END, LOOKUP, MAPS, Content, Element, balanced, ipv4_addresses, joined
from hnsfake.dataplane.vfp.layers import PortContext

OWN = "own"
"""At a backend: what arrives for a front end, and what becomes of it."""


def ruleset(context: PortContext) -> str:
    """Return the script that makes a port's tables anew, with nothing balanced yet."""
    vnic = context.interface
    own = f'iifname "lo" ip daddr {context.ipv4} ct status & (dnat | snat) == dnat counter drop'
    return f"""{removal(vnic)}
table {named_table(vnic)} {{
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
  chain LOOPBACK {{
    type filter hook input priority 0; policy accept;
    {own if context.ipv4 is not None else ""}
  }}
}}
"""


def removal(vnic: str) -> str:
    """Return the script that removes a port's tables, whether they are there or not."""
    name = named_table(vnic)
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
            Element(OWN, end.key, f"{address} . {end.internal_port}")
            for end in ends
            if end.external_port and not end.preserves_destination
        ]
    )


def named_table(vnic: str) -> str:
    """Return family and name of the table that load balancers put their content into."""
    return f"inet lb_{vnic}"
