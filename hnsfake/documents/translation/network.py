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
from hnsfake.documents.translation.codecs import (
    AS_IS,
    GUID,
    HEALTH,
    SCHEMA_VERSION,
    as_policy,
    constant,
    derived,
    each_v1,
    policies_v1,
    policies_v2,
    resources_of,
)
from hnsfake.documents.translation.dns import NETWORK_DNS, dns_places
from hnsfake.documents.translation.subnet import SUBNET
from hnsfake.documents.translation.table import Around, Codec, Table, about, at, row


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


def _switch_id(network: Network, _: Around) -> str | None:
    return network.switch_id if network.traits.name != "NAT" else None


_MACS = Codec(
    "each a range of MACs",
    lambda ranges: tuple(read_range(one.StartMacAddress, one.EndMacAddress) for one in ranges),
    lambda pairs, _: [{"StartMacAddress": to_text(first), "EndMacAddress": to_text(last)} for first, last in pairs],
)
_RESOURCES = resources_of(lambda around: str(around.of.layer_id))
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
        row("id", v1=at("ID", GUID), v2=at("ID", GUID)),
        row("name", v1=at("Name", AS_IS), v2=at("Name", AS_IS)),
        row("type", v1=at("Type", AS_IS), v2=at("Type", AS_IS)),
        row("policies", v1=at("Policies", policies_v1(POLICIES)), v2=at("Policies", policies_v2(POLICIES))),
        row(
            "provider_address",
            v2=at("Policies", _supplied("ProviderAddress", "ProviderAddress")),
            lost="the service fills it in; a v1 client sees management_ip",
            source=_FLANNEL,
        ),
        row(
            "dr_mac",
            v1=at("DrMacAddress", AS_IS.only_shown().unless_empty()),
            v2=at("Policies", _supplied("DrMacAddress", "Address")),
            lost="the service fills it in, of the policy where there is one",
            source=f"{_FLANNEL}, {_RKE2}",
        ),
        row("mac_ranges", v1=at("MacPools", _MACS), v2=at("MacPool.Ranges", _MACS)),
        row("dns", v1=_V1_DNS, v2=_V2_DNS, lost="what its own rows say"),
        row(
            "subnets",
            v1=at("Subnets", each_v1(SUBNET).unless_empty()),
            v2=at("Ipams", Codec("each a subnet, of all Ipams", _read_subnets, _show_ipams, whole=True)),
            lost="what its own rows say",
        ),
        row(
            "ipam_type",
            v2=at("Ipams", Codec("Type of the first", lambda ipams: ipams[0].Type if ipams else "Static")),
            lost="v1 has no member for it; shown with the subnets",
        ),
        row("flags", v1=at("Flags", AS_IS), v2=at("Flags", AS_IS)),
        row("", v2=at("Health", constant({}, "empty but for details"))),
        row(
            "layer_id",
            v1=at("LayeredOn", AS_IS.only_shown()),
            v2=at("Health.Extra.LayeredOn", AS_IS.only_shown().in_detail()),
            source=_RKE2,
        ),
        row(
            "activity_id",
            v1=(at("ActivityId", AS_IS.only_shown()), at("Resources", _RESOURCES)),
            v2=at("Health.Extra.Resources", _RESOURCES.in_detail()),
            source=_RKE2,
        ),
        row(
            "switch_id",
            v1=at("SwitchGuid", derived("as it is, but for NAT", _switch_id)),
            v2=at("Health.Extra.SwitchGuid", AS_IS.only_shown().in_detail()),
            source=_RKE2,
        ),
        SCHEMA_VERSION,
        row(
            "additional_params",
            v1=at("AdditionalParams", Codec("object", AS_IS.read, lambda params, _: dict(params))),
            v2=at("AdditionalParams", AS_IS.only_read()),
            lost="unverified: that v2 doesn't show it",
        ),
        row(
            "adapter",
            v1=at("NetworkAdapterName", AS_IS.unless_empty()),
            v2=at("Policies", as_policy(NetAdapterName)),
            lost=_NOT_AS_POLICY,
        ),
        row(
            "source_mac",
            v1=at("SourceMac", AS_IS.unless_empty()),
            v2=at("Policies", as_policy(SourceMacAddress)),
            lost=_NOT_AS_POLICY,
        ),
        row(
            "automatic_dns",
            v1=at("AutomaticDNS", AS_IS),
            v2=at("Policies", as_policy(AutomaticDns)),
            lost=_NOT_AS_POLICY,
        ),
        row("management_ip", v1=at("ManagementIP", AS_IS.unless_empty()), lost=_NO_MEMBER),
        row("dns_compartment", v1=at("DNSServerCompartment", AS_IS.unless_empty()), lost=_NO_MEMBER),
        row(
            "extensions",
            v1=at(
                "Extensions",
                Codec("each on or off, by id", read_extensions, lambda network, _: extensions_v1(network), whole=True),
            ),
            v2=at("Policies", as_policy(VSwitchExtension)),
            lost=_NOT_AS_POLICY,
            source=_RKE2,
        ),
        row("gateway_mac", v1=at("GatewayMac", AS_IS.only_shown().unless_empty()), source=_WSL),
        row(
            "gateway_mac",
            v1=at("IsolateSwitch", Codec("true at ICS", None, lambda mac, _: True if mac else None)),
            source=_WSL,
        ),
        row("nat_name", v1=at("NatName", AS_IS.only_shown().unless_empty()), source=_WSL),
        row("version", v1=at("Version", AS_IS.only_shown()), source=_RKE2),
        row("created", v1=at("Health", HEALTH), source=_RKE2),
        row("", v1=at("CurrentEndpointCount", _ENDPOINTS), source=_RKE2),
        row("", v1=at("MaxConcurrentEndpoints", _ENDPOINTS), source=_RKE2),
        row("", v1=at("TotalEndpoints", _EVER), source=_RKE2),
        row("", v1=at("IPv6", derived("whether a subnet is of IPv6", _has_ipv6)), source=_RKE2),
        row("", v1=at("State", constant(1)), source=_RKE2),
        row("", v1=at("SwitchName", derived("name, of a switch of its own", _switch_name)), source=_WSL),
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
