"""A load balancer in both shapes.

v2's: HostComputeLoadBalancer (microsoft/hcsshim hcn/hcnloadbalancer.go). v1's: a policy list of ELBs, one for each
port, which all say the same of what is the load balancer's (internal/hns/hnspolicylist.go; an output of
Get-HnsPolicyList in projectcalico/calico#8465).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import (
    ELB,
    ElbPolicyV1,
    LoadBalancer,
    LoadBalancerFlags,
    LoadBalancerV2,
    PortMapping,
    PortMappingFlags,
    PortMappingV2,
)
from hnsfake.documents.network import IPAddress
from hnsfake.documents.policy_list import PolicyListV1
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.translation.codecs import AS_IS, constant, derived, each_v2, flag, ip, of_all, read_ip
from hnsfake.documents.translation.form import ordered
from hnsfake.documents.translation.policy_list import HEAD
from hnsfake.documents.translation.table import Around, Codec, Row, Table, about, at


def _read_vips(texts: list[str]) -> tuple[IPAddress, ...]:
    """Read VIPs; scripts send one empty VIP for none (microsoft/SDN Kubernetes/windows/hns.psm1)."""
    return tuple(address for address in map(_read_vip, texts) if address is not None)


def _show_elbs(balancer: LoadBalancer, around: Around) -> list[dict[str, Any]]:
    """Return an ELB for each port: what is the port's, and what is the load balancer's."""
    shared = SHARED.v1(balancer, around)
    return [ordered(PORT_MAPPING.v1(mapping, around) | shared, around.new) for mapping in balancer.port_mappings]


def _read_vip(text: str) -> IPAddress | None:
    return read_ip(text) if text else None


_VIP = ip(HResult.HCN_E_INVALID_IP)
_VIPS = Codec("each an address; empty text is none", _read_vips, lambda vips, _: [str(vip) for vip in vips])
_NOT_IN_V1 = "unverified: how v1 shows it; the published list has none"

PORT_MAPPING = Table(
    "load balancer's port",
    PortMapping,
    (
        Row("protocol", at("Protocol", AS_IS), at("Protocol", AS_IS)),
        Row("internal_port", at("InternalPort", AS_IS), at("InternalPort", AS_IS)),
        Row("external_port", at("ExternalPort", AS_IS), at("ExternalPort", AS_IS)),
        Row("distribution", v2=at("DistributionType", AS_IS), lost=_NOT_IN_V1),
        Row("flags", at("ILB", flag(PortMappingFlags.ILB)), at("Flags", AS_IS), lost="v1 has a word for one bit"),
        Row("", at("Type", constant(ELB))),
    ),
    v1=ElbPolicyV1,
    v2=PortMappingV2,
    inside=("Policies[].", "PortMappings[]."),
    source="microsoft/hcsshim hcn/hcnloadbalancer.go, internal/hns/hnspolicylist.go",
)
_IPV6 = Codec(
    f"{LoadBalancerFlags.IPV6.name} ({LoadBalancerFlags.IPV6.value}), where one is of IPv6",
    lambda vips: LoadBalancerFlags.IPV6.value * any(vip.version == 6 for vip in _read_vips(vips)),
)
_IN_ELBS = "v1 says it in each ELB, so of a load balancer without ports not at all"
# The v1 half of what every ELB of a list says.  # unverified: lists whose ELBs differ in it
SHARED = Table(
    "load balancer",
    LoadBalancer,
    (
        Row("source_vip", at("SourceVIP", _VIP), lost=_IN_ELBS),
        Row("vips", at("VIPs", _VIPS), lost=_IN_ELBS),
        Row("flags", at("IsDSR", flag(LoadBalancerFlags.DSR)) + at("VIPs", _IPV6), lost="v1 has a word for DSR"),
    ),
    v1=ElbPolicyV1,
    inside=("Policies[].", ""),
    source="microsoft/hcsshim internal/hns/hnspolicylist.go",
)
LOAD_BALANCER = Table(
    "load balancer",
    LoadBalancer,
    (
        *HEAD,
        Row("source_vip", v2=at("SourceVIP", _VIP)),
        Row("vips", v2=at("FrontendVIPs", _VIPS)),
        Row(
            "port_mappings",
            at("Policies", derived("an ELB for each; read with the rows of both", _show_elbs)),
            at("PortMappings", each_v2(PORT_MAPPING)),
            lost="what its own rows say",
        ),
        Row("flags", v2=at("Flags", AS_IS)),
        *of_all(),
    ),
    v1=PolicyListV1,
    v2=LoadBalancerV2,
    source="microsoft/hcsshim hcn/hcnloadbalancer.go, internal/hns/hnspolicylist.go",
)


def read_load_balancer(document: Mapping[str, Any], unknown: UnknownFields) -> LoadBalancer:
    """Read a load balancer's document in either shape: one with SchemaVersion is v2.

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_IP, HCN_E_GUID_CONVERSION_FAILURE, HCN_E_INVALID_POLICY.
    """
    parsed = LOAD_BALANCER.parse(document, unknown)
    if not isinstance(parsed, PolicyListV1):
        return LOAD_BALANCER.read(parsed)
    elbs = [ElbPolicyV1.read(policy, unknown) for policy in parsed.Policies]
    own = LOAD_BALANCER.attributes(parsed)
    shared = [SHARED.attributes(elb) for elb in elbs or [ElbPolicyV1()]]
    if any(one != shared[0] for one in shared):
        raise HnsError(HResult.HCN_E_INVALID_POLICY)
    ports = tuple(map(PORT_MAPPING.read, elbs))
    return LoadBalancer(**own, **shared[0], port_mappings=ports)


def load_balancer_v1(balancer: LoadBalancer) -> dict[str, Any]:
    """Return the load balancer's policy list, an ELB for each of its ports."""
    return LOAD_BALANCER.v1(balancer, about(balancer))


def load_balancer_v2(balancer: LoadBalancer) -> dict[str, Any]:
    """Return HostComputeLoadBalancer."""
    return LOAD_BALANCER.v2(balancer, about(balancer))
