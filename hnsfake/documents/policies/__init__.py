"""Policies: one file a type, all found through one table by the ``Type`` of either face."""

from __future__ import annotations

from hnsfake.documents.policies.acl import Acl, NetworkAcl
from hnsfake.documents.policies.base import InvalidPolicyError, Policy
from hnsfake.documents.policies.encryption import Encryption
from hnsfake.documents.policies.interface_constraint import InterfaceConstraint
from hnsfake.documents.policies.network_policies import (
    AutomaticDns,
    DrMacAddress,
    HostRoute,
    LayerConstraint,
    NetAdapterName,
    SourceMacAddress,
    VSwitchExtension,
    VxlanPort,
)
from hnsfake.documents.policies.outbound_nat import OutboundNat
from hnsfake.documents.policies.port_mapping import PortMapping
from hnsfake.documents.policies.port_settings import EncapOverhead, InterfaceParameters, Iov, L2Driver, PortName
from hnsfake.documents.policies.provider_address import ProviderAddress
from hnsfake.documents.policies.proxy import L4Proxy, L4WfpProxy
from hnsfake.documents.policies.qos import Qos
from hnsfake.documents.policies.remote_subnet_route import RemoteSubnetRoute
from hnsfake.documents.policies.sdn_route import SdnRoute
from hnsfake.documents.policies.set_policy import SetPolicy, SetType
from hnsfake.documents.policies.tier_acl import TierAcl
from hnsfake.documents.policies.vsid import Vlan, Vsid

ENDPOINT_POLICIES: tuple[type[Policy], ...] = (
    Acl,
    EncapOverhead,
    Encryption,
    InterfaceConstraint,
    InterfaceParameters,
    Iov,
    L2Driver,
    L4Proxy,
    L4WfpProxy,
    OutboundNat,
    PortMapping,
    PortName,
    ProviderAddress,
    Qos,
    SdnRoute,
    TierAcl,
    Vlan,
)
NETWORK_POLICIES: tuple[type[Policy], ...] = (
    AutomaticDns,
    DrMacAddress,
    HostRoute,
    InterfaceConstraint,
    L4Proxy,
    LayerConstraint,
    NetAdapterName,
    NetworkAcl,
    ProviderAddress,
    RemoteSubnetRoute,
    SetPolicy,
    SourceMacAddress,
    VSwitchExtension,
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
    "AutomaticDns",
    "DrMacAddress",
    "EncapOverhead",
    "Encryption",
    "HostRoute",
    "InterfaceConstraint",
    "InterfaceParameters",
    "InvalidPolicyError",
    "Iov",
    "L2Driver",
    "L4Proxy",
    "L4WfpProxy",
    "LayerConstraint",
    "NetAdapterName",
    "NetworkAcl",
    "OutboundNat",
    "Policy",
    "PortMapping",
    "PortName",
    "ProviderAddress",
    "Qos",
    "RemoteSubnetRoute",
    "SdnRoute",
    "SetPolicy",
    "SetType",
    "SourceMacAddress",
    "TierAcl",
    "VSwitchExtension",
    "Vlan",
    "Vsid",
    "VxlanPort",
]
