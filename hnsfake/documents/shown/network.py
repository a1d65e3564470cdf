"""A network as HNS shows it.

v1's shape: outputs of Get-HnsNetwork published in rancher/rke2#3925 (Overlay) and microsoft/WSL#6457 (ICS).
v2's shape: microsoft/hcsshim hcn/hcnnetwork.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents.macs import to_text
from hnsfake.documents.network import DEFAULT_ROUTES, IpSubnet, Network, Subnet
from hnsfake.documents.shown.allocators import of_network
from hnsfake.documents.shown.extensions import NAMES, extension_states
from hnsfake.documents.shown.form import health, is_new, ordered, resources

_HNS_15 = 15 << 32
# What HNS counts of ICS: the first three in HNS 9, where NAT networks are ICS's too (moby/moby#40128), later all.
_COUNTED = ("Address", "Interface", "Route", "DHCP", "DNSCache", "DNS", "MacAddress", "Neighbor", "Xlat")


def network_v1(network: Network, endpoint_count: int, total_endpoints: int) -> dict[str, Any]:
    """Return HNSNetwork; the type is as it was sent."""
    traits = network.traits
    view: dict[str, Any] = {
        "ActivityId": network.activity_id,
        "AdditionalParams": dict(network.additional_params),
        "CurrentEndpointCount": endpoint_count,
        **network.dns.v1(),
        "Extensions": [
            {"Id": guid, "IsEnabled": enabled, "Name": NAMES[guid]}
            for guid, enabled in extension_states(network).items()
        ],
        "Flags": network.flags,
        "Health": _health_of_all(network),
        "ID": network.id,
        "IPv6": any(subnet.prefix is not None and subnet.prefix.version == 6 for subnet in network.subnets),
        "LayeredOn": network.layer_id,
        "MacPools": [dict(sorted(_mac_range(pair).items())) for pair in network.mac_ranges],
        "MaxConcurrentEndpoints": endpoint_count,
        "Name": network.name,
        "Policies": [policy.v1() for policy in network.policies],
        "Resources": _resources(network),
        "State": 1,
        "TotalEndpoints": total_endpoints,
        "Type": network.type,
        "Version": network.version,
    }
    optional = {
        "AutomaticDNS": network.automatic_dns,
        "DNSServerCompartment": network.dns_compartment or None,
        "DrMacAddress": network.dr_mac or None,
        "ManagementIP": network.management_ip or None,
        "GatewayMac": network.gateway_mac or None,
        "IsolateSwitch": True if network.gateway_mac else None,  # seen at ICS (microsoft/WSL#6457)
        "NatName": network.nat_name or None,
        "NetworkAdapterName": network.adapter or None,
        "SourceMac": network.source_mac or None,
        "Subnets": [_subnet_v1(subnet, network) for subnet in network.subnets] or None,
        "SwitchGuid": network.switch_id if _shows_switch(network) else None,
        "SwitchName": network.name if traits.own_switch else None,
    }
    view.update({key: value for key, value in optional.items() if value is not None})
    return ordered(view, network.version)


def network_v2(network: Network, detailed: bool) -> dict[str, Any]:
    """Return HostComputeNetwork; ``Health.Extra`` has the inner parts where details were asked for."""
    return {
        "ID": network.id,
        "Name": network.name,
        "Type": network.type,
        "Policies": [policy.v2() for policy in network.policies] + _supplied_policies(network),
        "MacPool": {"Ranges": [_mac_range(pair) for pair in network.mac_ranges]},
        "Dns": network.dns.v2(),
        "Ipams": _ipams(network),
        "Flags": network.flags,
        "Health": {"Extra": _extra(network)} if detailed else {},
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }


def _supplied_policies(network: Network) -> list[dict[str, Any]]:
    """Return the policies that HNS itself shows in v2, where the caller did not send one of the type.

    flannel polls for the first and reads the second (flannel-io/flannel pkg/backend/vxlan); v1 has them as
    ManagementIP and DrMacAddress, outside ``Policies`` (rancher/rke2#3925).
    """
    sent = {policy.type.lower() for policy in network.policies}
    supplied = (
        ("ProviderAddress", "ProviderAddress", network.provider_address),
        ("DrMacAddress", "Address", network.dr_mac),
    )
    return [
        {"Type": kind, "Settings": {name: value}}
        for kind, name, value in supplied
        if value and kind.lower() not in sent
    ]


def _ipams(network: Network) -> list[dict[str, Any]]:
    if not network.subnets and network.ipam_type.lower() != "dhcp":
        return []
    return [{"Subnets": [_subnet_v2(subnet) for subnet in network.subnets], "Type": network.ipam_type}]


def _subnet_v2(subnet: Subnet) -> dict[str, Any]:
    routes = [
        {"NextHop": route.next_hop, "DestinationPrefix": route.destination, "Metric": route.metric}
        for route in subnet.routes
    ]
    if not routes and subnet.gateway is not None:
        destination = DEFAULT_ROUTES[subnet.gateway.version == 6]
        routes = [{"NextHop": str(subnet.gateway), "DestinationPrefix": destination, "Metric": 0}]
    view: dict[str, Any] = {"IpAddressPrefix": str(subnet.prefix or ""), "Routes": routes}
    if subnet.policies:
        view["Policies"] = [policy.v2() for policy in subnet.policies]
    if subnet.flags:
        view["Flags"] = subnet.flags
    if [one.prefix for one in subnet.ip_subnets] != [subnet.prefix]:
        # unverified: whether v2 shows the one that every subnet has; hcsshim doesn't know them.
        view["IpSubnets"] = [
            {"ID": one.id, "IpAddressPrefix": str(one.prefix), "Flags": one.flags} for one in subnet.ip_subnets
        ]
    return view


def _subnet_v1(subnet: Subnet, network: Network) -> dict[str, Any]:
    view: dict[str, Any] = {
        "AdditionalParams": {},
        "AddressPrefix": str(subnet.prefix or ""),
        "GatewayAddress": str(subnet.gateway or ""),
        "Health": health(network.created),
        "ID": subnet.id,
        "Policies": [policy.v1() for policy in subnet.policies],
        "State": 0,
    }
    if is_new(network.version) or not network.traits.nat_name:  # moby/moby#40128
        view["ObjectType"] = 5
    if is_new(network.version):
        view.update({"Flags": subnet.flags, "IpSubnets": [_ip_subnet_v1(one, network) for one in subnet.ip_subnets]})
    return {name: view[name] for name in sorted(view)}


def _ip_subnet_v1(subnet: IpSubnet, network: Network) -> dict[str, Any]:
    return {
        "AdditionalParams": {},
        "Flags": subnet.flags,
        "Health": health(network.created),
        "ID": subnet.id,
        "IpAddressPrefix": str(subnet.prefix),
        "ObjectType": 6,
        "Policies": [],
        "State": 0,
    }


def _shows_switch(network: Network) -> bool:
    """Whether v1 shows SwitchGuid: not in HNS 9, and of NAT not in 13 (Masterwow3/docker-netrestore README).

    unverified: in 13 for other types; 15 shows it of Overlay and NAT, 11 of "Default Switch".
    """
    if network.traits.name == "NAT":
        return network.version >= _HNS_15
    return is_new(network.version) or network.traits.own_switch


def _health_of_all(network: Network) -> dict[str, Any]:
    """Return a network's Health: where ICS serves it, how many notifications were sent and missed."""
    new = is_new(network.version)
    served = network.traits.name == "ICS" or (network.traits.nat_name and not new)
    counted = (_COUNTED if new else _COUNTED[:3]) if served else ()
    counts = {f"{what}Notification{number}": 0 for what in counted for number in ("MissedCount", "SequenceNumber")}
    return dict(sorted({**health(network.created), **counts}.items()))


def _resources(network: Network) -> dict[str, Any]:
    allocators = of_network(network)
    return resources(network.activity_id, network.layer_id, network.created, network.version, allocators)


def _mac_range(pair: tuple[int, int]) -> dict[str, str]:
    return {"StartMacAddress": to_text(pair[0]), "EndMacAddress": to_text(pair[1])}


def _extra(network: Network) -> dict[str, Any]:
    return {
        "LayeredOn": network.layer_id,
        "Resources": _resources(network),
        "SwitchGuid": network.switch_id,
    }
