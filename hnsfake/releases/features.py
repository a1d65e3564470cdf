"""Which HNS versions have which feature.

The ranges are those that clients go by (microsoft/hcsshim hcn/hcnglobals.go): each is (first, last), the
last one open at None.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

Version = tuple[int, int]
Range = tuple[Version, Version | None]


class Feature(StrEnum):
    """Features by their names in hcsshim's SupportedFeatures."""

    ACL = "Acl"
    API_V2 = "V2"
    REMOTE_SUBNET = "RemoteSubnet"
    HOST_ROUTE = "HostRoute"
    DSR = "DSR"
    SLASH_32 = "Slash32EndpointPrefixes"
    VXLAN_PORT = "VxlanPort"
    ACL_PROTOCOL_252 = "AclSupportForProtocol252"
    SESSION_AFFINITY = "SessionAffinity"
    IPV6_DUAL_STACK = "IPv6DualStack"
    SET_POLICY = "SetPolicy"
    L4_PROXY = "L4Proxy"
    L4_WFP_PROXY = "L4WfpProxy"
    TIER_ACL = "TierAcl"
    NETWORK_ACL = "NetworkACL"
    NESTED_IP_SET = "NestedIpSet"
    DISABLE_HOST_PORT = "DisableHostPort"
    MODIFY_LOAD_BALANCER = "ModifyLoadbalancer"
    ACCELNET = "Accelnet"


_MAX = 0xFFFF

RANGES: Mapping[Feature, tuple[Range, ...]] = {
    Feature.ACL: (((7, 2), None),),
    Feature.API_V2: (((9, 2), None),),
    Feature.REMOTE_SUBNET: (((9, 2), None),),
    Feature.HOST_ROUTE: (((9, 2), None),),
    Feature.DSR: (((9, 3), (9, _MAX)), ((10, 2), None)),
    Feature.SLASH_32: (((9, 3), (9, _MAX)), ((10, 4), None)),
    Feature.VXLAN_PORT: (((10, 3), None),),
    Feature.ACL_PROTOCOL_252: (((11, 0), None),),
    Feature.IPV6_DUAL_STACK: (((11, 10), None),),
    Feature.SESSION_AFFINITY: (((12, 0), None),),
    Feature.L4_PROXY: (
        ((9, 5), (9, _MAX)),
        ((10, 5), (10, _MAX)),
        ((11, 11), (11, _MAX)),
        ((12, 1), (12, _MAX)),
        ((13, 1), None),
    ),
    Feature.SET_POLICY: (((13, 0), None),),
    Feature.L4_WFP_PROXY: (((13, 2), None),),
    Feature.TIER_ACL: (((14, 0), None),),
    Feature.NETWORK_ACL: (((15, 0), None),),
    Feature.NESTED_IP_SET: (((15, 0), None),),
    Feature.DISABLE_HOST_PORT: (((15, 1), None),),
    Feature.MODIFY_LOAD_BALANCER: (((15, 4), None),),
    Feature.ACCELNET: (((15, 4), None),),
}


def supports(version: Version, feature: Feature) -> bool:
    """Whether an HNS of ``version`` has ``feature``."""
    return any(first <= version and (last is None or version <= last) for first, last in RANGES[feature])
