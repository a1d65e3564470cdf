"""The types of networks as data: what each lies on, what it hands out, and how it shows.

What is known of them: MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies and
architecture; the words: microsoft/SDN Kubernetes/windows/hns.v2.psm1 (which has ``Layered`` and ``Infiniband`` too,
of which nothing is published: they are refused like any other word).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NetworkType:
    """A type; ``name`` is the canonical ``Type``, which clients send in any case and get back as they sent it.

    ``external``: it lies on an adapter, and has a ManagementIP. ``shares_adapter``: other such networks may lie on
    the same one. ``vfp``: its ports have VFP's layers. ``chooses_prefix``: where none is asked for, HNS chooses a
    subnet. ``needs_subnets``: it gives no endpoint without a subnet; the others may do without, and endpoints then
    have no address of HNS's. ``ip_subnets``: subnets come and go after its creation. ``maps_ports``: it takes
    PortMapping. ``nat_name`` begins the name of its NAT instance. ``own_switch``: it shows a vSwitch of its own name.
    """

    name: str
    external: bool = False
    shares_adapter: bool = False
    vfp: bool = False
    chooses_prefix: bool = False
    needs_subnets: bool = True
    ip_subnets: bool = False
    maps_ports: bool = True
    nat_name: str = ""
    own_switch: bool = False


_ALL = (
    NetworkType("NAT", chooses_prefix=True, nat_name="NAT"),
    # "Default Switch" in microsoft/WSL#6457: NatName, GatewayMac, a switch of its name.
    NetworkType("ICS", chooses_prefix=True, nat_name="ICS", own_switch=True),
    # unverified, for these two: that they do without subnets, and what of a switch they show.
    NetworkType("Internal", needs_subnets=False, maps_ports=False, own_switch=True),
    NetworkType("Private", needs_subnets=False, maps_ports=False, own_switch=True),
    # Without a subnet containers ask DHCP on the wire; networks of this type in microsoft/SDN#269 show none.
    NetworkType("Transparent", external=True, needs_subnets=False, maps_ports=False),
    NetworkType("L2Bridge", external=True, shares_adapter=True, vfp=True, ip_subnets=True),
    NetworkType("L2Tunnel", external=True, shares_adapter=True, vfp=True, ip_subnets=True),
    NetworkType("Overlay", external=True, shares_adapter=True, vfp=True, ip_subnets=True),
)
TYPES: Mapping[str, NetworkType] = {kind.name.lower(): kind for kind in _ALL}
"""All types by their names in lower case."""
