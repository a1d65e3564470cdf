"""A network in both shapes.

v2's: HostComputeNetwork (microsoft/hcsshim hcn/hcnnetwork.go). v1's: HNSNetwork (internal/hns/hnsnetwork.go); what HNS
adds to it: outputs of Get-HnsNetwork published in rancher/rke2#3925 (Overlay) and microsoft/WSL#6457 (ICS).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hnsfake.documents.macs import read_range, to_text
from hnsfake.documents.network import POLICIES, IpamV2, Network, NetworkV1, NetworkV2
from hnsfake.documents.policies import AutomaticDns, NetAdapterName, SourceMacAddress, VSwitchExtension
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.switch_extensions import extensions_v1, read_extensions
from hnsfake.documents.translation.allocators import of_network
from hnsfake.documents.translation.codecs import (
    AS_IS,
    GUID,
    IF_ANY,
    READ,
    SHOWN,
    SHOWN_IF_ANY,
    as_policy,
    constant,
    derived,
    each_v1,
    of_all,
    policies_v1,
    policies_v2,
    resources_of,
)
from hnsfake.documents.translation.dns import NETWORK_DNS, dns_places
from hnsfake.documents.translation.form import health
from hnsfake.documents.translation.subnet import SUBNET
from hnsfake.documents.translation.table import Around, Codec, Row, Table, about, at


def _read_subnets(ipams: list[IpamV2]) -> tuple[Any, ...]:
    return tuple(SUBNET.read(subnet) for ipam in ipams for subnet in ipam.Subnets)


def _show_ipams(network: Network, around: Around) -> list[dict[str, Any]]:
    if not network.subnets and network.ipam_type.lower() != "dhcp":
        return []
    return [{"Subnets": [SUBNET.v2(subnet, around) for subnet in network.subnets], "Type": network.ipam_type}]


def _supplied(kind: str, name: str) -> Codec:
    """Return the codec of a policy that HNS itself shows in v2, where the caller did not send one of the type.

    flannel polls for ProviderAddress and reads DrMacAddress (flannel-io/flannel pkg/backend/vxlan).
    """

    def show(value: str, around: Around) -> list[dict[str, Any]] | None:
        if not value or any(policy.type.lower() == kind.lower() for policy in around.of.policies):
            return None
        return [{"Type": kind, "Settings": {name: value}}]

    return Codec(f"the policy {kind}, where none was sent", None, show)


def _has_ipv6(network: Network, _: Around) -> bool:
    return any(subnet.prefix is not None and subnet.prefix.version == 6 for subnet in network.subnets)


def _switch_name(network: Network, _: Around) -> str | None:
    return network.name if network.traits.own_switch else None


def _switch_id(network: Network, around: Around) -> str | None:
    """Leave SwitchGuid out in HNS 9, and of NAT not by 13 (Masterwow3/docker-netrestore README).

    unverified: in 13 for other types; 15 shows it of Overlay and NAT, 11 of "Default Switch".
    """
    shown = network.version >= _HNS_15 if network.traits.name == "NAT" else around.new or network.traits.own_switch
    return network.switch_id if shown else None


def _health(network: Network, around: Around) -> dict[str, Any]:
    """Where ICS serves a network, its Health tells how many notifications were sent and missed."""
    served = network.traits.name == "ICS" or (network.traits.nat_name and not around.new)
    counted = (_COUNTED if around.new else _COUNTED[:3]) if served else ()
    counts = {f"{what}Notification{number}": 0 for what in counted for number in ("MissedCount", "SequenceNumber")}
    return dict(sorted({**health(network.created), **counts}.items()))


_HNS_15 = 15 << 32
# What HNS counts of ICS: the first three in HNS 9, where NAT networks are ICS's too (moby/moby#40128), later all.
_COUNTED = ("Address", "Interface", "Route", "DHCP", "DNSCache", "DNS", "MacAddress", "Neighbor", "Xlat")


_MACS = Codec(
    "each a range of MACs",
    lambda ranges: tuple(read_range(one.StartMacAddress, one.EndMacAddress) for one in ranges),
    lambda pairs, _: [{"StartMacAddress": to_text(first), "EndMacAddress": to_text(last)} for first, last in pairs],
)
_MACS_V1 = Codec(
    _MACS.name,
    _MACS.read,
    lambda pairs, _: [{"EndMacAddress": to_text(last), "StartMacAddress": to_text(first)} for first, last in pairs],
)
_RESOURCES = resources_of(lambda around: str(around.of.layer_id), lambda around: of_network(around.of))
_ENDPOINTS = Codec("number of endpoints", None, lambda _, around: around.endpoints)
_EVER = Codec("number of endpoints, ever", None, lambda _, around: around.total_endpoints)
_RKE2 = "rancher/rke2#3925"
_WSL = "microsoft/WSL#6457"
_FLANNEL = "flannel-io/flannel pkg/backend/vxlan"
_NO_MEMBER = "v2 has no member for it"
_NOT_AS_POLICY = "sent by v1, it is not shown as v2's policy; unverified"
_V1_DNS, _V2_DNS = dns_places(NETWORK_DNS)

NETWORK = Table(
    "network",
    Network,
    (
        Row("id", at("ID", GUID), at("ID", GUID)),
        Row("name", at("Name", AS_IS), at("Name", AS_IS)),
        Row("type", at("Type", AS_IS), at("Type", AS_IS)),
        Row("policies", at("Policies", policies_v1(POLICIES)), at("Policies", policies_v2(POLICIES))),
        Row(
            "provider_address",
            v2=at("Policies", _supplied("ProviderAddress", "ProviderAddress")),
            lost="the service fills it in; a v1 client sees management_ip",
            source=_FLANNEL,
        ),
        Row(
            "dr_mac",
            at("DrMacAddress", SHOWN_IF_ANY),
            at("Policies", _supplied("DrMacAddress", "Address")),
            lost="the service fills it in, of the policy where there is one",
            source=f"{_FLANNEL}, {_RKE2}",
        ),
        Row("mac_ranges", at("MacPools", _MACS_V1), at("MacPool.Ranges", _MACS)),
        Row("dns", _V1_DNS, _V2_DNS, lost="what its own rows say"),
        Row(
            "subnets",
            at("Subnets", each_v1(SUBNET).unless_empty()),
            at("Ipams", Codec("each a subnet, of all Ipams", _read_subnets, _show_ipams, whole=True)),
            lost="what its own rows say",
        ),
        Row(
            "ipam_type",
            v2=at("Ipams", Codec("Type of the first", lambda ipams: ipams[0].Type if ipams else "Static")),
            lost="v1 has no member for it; shown with the subnets",
        ),
        Row("flags", at("Flags", AS_IS), at("Flags", AS_IS)),
        Row("", v2=at("Health", constant({}, "empty but for details"))),
        Row("layer_id", at("LayeredOn", SHOWN), at("Health.Extra.LayeredOn", SHOWN.in_detail()), source=_RKE2),
        Row(
            "activity_id",
            at("ActivityId", SHOWN) + at("Resources", _RESOURCES),
            at("Health.Extra.Resources", _RESOURCES.in_detail()),
            source=_RKE2,
        ),
        Row(
            "switch_id",
            at("SwitchGuid", derived("as it is; not of every type and release", _switch_id)),
            at("Health.Extra.SwitchGuid", SHOWN.in_detail()),
            source=_RKE2,
        ),
        *of_all("Name", "AdditionalParams", "Health"),
        Row(
            "additional_params",
            at("AdditionalParams", Codec("object", AS_IS.read, lambda params, _: dict(params))),
            at("AdditionalParams", READ),
            lost="unverified: that v2 doesn't show it",
        ),
        Row(
            "adapter", at("NetworkAdapterName", IF_ANY), at("Policies", as_policy(NetAdapterName)), lost=_NOT_AS_POLICY
        ),
        Row("source_mac", at("SourceMac", IF_ANY), at("Policies", as_policy(SourceMacAddress)), lost=_NOT_AS_POLICY),
        Row("automatic_dns", at("AutomaticDNS", AS_IS), at("Policies", as_policy(AutomaticDns)), lost=_NOT_AS_POLICY),
        Row("management_ip", at("ManagementIP", IF_ANY), lost=_NO_MEMBER),
        Row("dns_compartment", at("DNSServerCompartment", IF_ANY), lost=_NO_MEMBER),
        Row(
            "extensions",
            at(
                "Extensions",
                Codec("each on or off, by id", read_extensions, lambda network, _: extensions_v1(network), whole=True),
            ),
            at("Policies", as_policy(VSwitchExtension)),
            lost=_NOT_AS_POLICY,
            source=_RKE2,
        ),
        Row("gateway_mac", at("GatewayMac", SHOWN_IF_ANY), source=_WSL),
        Row(
            "gateway_mac",
            at("IsolateSwitch", Codec("true at ICS", None, lambda mac, _: True if mac else None)),
            source=_WSL,
        ),
        Row("nat_name", at("NatName", SHOWN_IF_ANY), source=_WSL),
        Row("version", at("Version", SHOWN), source=_RKE2),
        Row(
            "created", at("Health", derived("health, and what ICS counts", _health)), source=f"{_RKE2}, moby/moby#40128"
        ),
        Row("", at("CurrentEndpointCount", _ENDPOINTS), source=_RKE2),
        Row("", at("MaxConcurrentEndpoints", _ENDPOINTS), source=_RKE2),
        Row("", at("TotalEndpoints", _EVER), source=_RKE2),
        Row("", at("IPv6", derived("whether a subnet is of IPv6", _has_ipv6)), source=_RKE2),
        Row("", at("State", constant(1)), source=_RKE2),
        Row("", at("SwitchName", derived("name, of a switch of its own", _switch_name)), source=_WSL),
    ),
    v1=NetworkV1,
    v2=NetworkV2,
    source="microsoft/hcsshim hcn/hcnnetwork.go, internal/hns/hnsnetwork.go",
)


def read_network(document: Mapping[str, Any], unknown: UnknownFields) -> Network:
    """Read a network's document in either shape: one with SchemaVersion is v2 (hcn/hcnv1schema_test.go).

    Raises HnsError: HCN_E_INVALID_JSON, HCN_E_INVALID_POLICY, HCN_E_INVALID_NETWORK.
    """
    return NETWORK.read(NETWORK.parse(document, unknown))


def network_v1(network: Network, endpoint_count: int, total_endpoints: int) -> dict[str, Any]:
    """Return HNSNetwork; the type is as it was sent."""
    return NETWORK.v1(network, about(network, endpoints=endpoint_count, total_endpoints=total_endpoints))


def network_v2(network: Network, detailed: bool) -> dict[str, Any]:
    """Return HostComputeNetwork; ``Health.Extra`` has the inner parts where details were asked for."""
    return NETWORK.v2(network, about(network, detailed=detailed))
