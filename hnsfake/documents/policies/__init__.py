"""Policies: one file a type, all found through one table by the ``Type`` of either face."""

from __future__ import annotations

from hnsfake.documents.policies.acl import Acl
from hnsfake.documents.policies.base import InvalidPolicyError, Policy
from hnsfake.documents.policies.network_policies import DrMacAddress, HostRoute, NetAdapterName, VxlanPort
from hnsfake.documents.policies.outbound_nat import OutboundNat
from hnsfake.documents.policies.port_mapping import PortMapping
from hnsfake.documents.policies.provider_address import ProviderAddress
from hnsfake.documents.policies.remote_subnet_route import RemoteSubnetRoute
from hnsfake.documents.policies.sdn_route import SdnRoute
from hnsfake.documents.policies.vsid import Vlan, Vsid

ENDPOINT_POLICIES: tuple[type[Policy], ...] = (Acl, OutboundNat, PortMapping, ProviderAddress, SdnRoute)
NETWORK_POLICIES: tuple[type[Policy], ...] = (
    DrMacAddress,
    HostRoute,
    NetAdapterName,
    ProviderAddress,
    RemoteSubnetRoute,
    Vlan,
    Vsid,
    VxlanPort,
)
SUBNET_POLICIES: tuple[type[Policy], ...] = (Vlan, Vsid)

__all__ = [
    "ENDPOINT_POLICIES",
    "NETWORK_POLICIES",
    "SUBNET_POLICIES",
    "Acl",
    "DrMacAddress",
    "HostRoute",
    "InvalidPolicyError",
    "NetAdapterName",
    "OutboundNat",
    "Policy",
    "PortMapping",
    "ProviderAddress",
    "RemoteSubnetRoute",
    "SdnRoute",
    "Vlan",
    "Vsid",
    "VxlanPort",
]
