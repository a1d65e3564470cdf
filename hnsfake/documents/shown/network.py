"""A network as HNS shows it.

v1's shape: outputs of Get-HnsNetwork published in rancher/rke2#3925 (Overlay) and microsoft/WSL#6457 (ICS).
v2's shape: microsoft/hcsshim hcn/hcnnetwork.go.
"""

from __future__ import annotations

from typing import Any

from hnsfake.documents.macs import to_text
from hnsfake.documents.network import DEFAULT_ROUTES, Network, Subnet
from hnsfake.documents.shown.form import is_new, ordered, resources

# The three extensions of every switch; VFP is on where the driver uses it (rancher/rke2#3925).
_EXTENSIONS = (
    ("E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A", "Microsoft Windows Filtering Platform", False),
    ("F74F241B-440F-4433-BB28-00F89EAD20D8", "Microsoft Azure VFP Switch Extension", True),
    ("430BDADD-BAB0-41AB-A369-94B67FA5BE0A", "Microsoft NDIS Capture", True),
)
_VFP = "F74F241B-440F-4433-BB28-00F89EAD20D8"


def network_v1(network: Network, driver: str, endpoint_count: int, total_endpoints: int) -> dict[str, Any]:
    """Return HNSNetwork; ``driver`` is the canonical type, the document has it as it was sent."""
    view: dict[str, Any] = {
        "ActivityId": network.activity_id,
        "AdditionalParams": {},
        "CurrentEndpointCount": endpoint_count,
        **network.dns.v1(),
        "Extensions": _extensions(driver),
        "Flags": network.flags,
        "Health": _health(network),
        "ID": network.id,
        "IPv6": any(subnet.prefix is not None and subnet.prefix.version == 6 for subnet in network.subnets),
        "LayeredOn": network.layer_id,
        "MacPools": [_mac_range(pair) for pair in network.mac_ranges],
        "MaxConcurrentEndpoints": endpoint_count,
        "Name": network.name,
        "Policies": [policy.v1() for policy in network.policies],
        "Resources": resources(network.activity_id, network.layer_id, network.created, network.version),
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
        "NatName": f"NAT{network.switch_id}" if driver == "NAT" else None,
        "NetworkAdapterName": network.adapter or None,
        "SourceMac": network.source_mac or None,
        "Subnets": [_subnet_v1(subnet, network) for subnet in network.subnets] or None,
        "SwitchGuid": network.switch_id if driver != "NAT" else None,
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
    if not network.subnets:
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
    return view


def _subnet_v1(subnet: Subnet, network: Network) -> dict[str, Any]:
    view: dict[str, Any] = {
        "AdditionalParams": {},
        "AddressPrefix": str(subnet.prefix or ""),
        "GatewayAddress": str(subnet.gateway or ""),
        "Health": _health(network),
        "ID": subnet.id,
        "ObjectType": 5,
        "Policies": [policy.v1() for policy in subnet.policies],
        "State": 0,
    }
    if is_new(network.version):
        view.update({"Flags": subnet.flags, "IpSubnets": [_ip_subnet_v1(subnet, network)]})
    return {name: view[name] for name in sorted(view)}


def _ip_subnet_v1(subnet: Subnet, network: Network) -> dict[str, Any]:
    """Return the one IP subnet that HNS makes of a subnet; Flags 3 is broadcast and reserved network address."""
    return {
        "AdditionalParams": {},
        "Flags": 3,
        "Health": _health(network),
        "ID": subnet.ip_subnet_id,
        "IpAddressPrefix": str(subnet.prefix or ""),
        "ObjectType": 6,
        "Policies": [],
        "State": 0,
    }


def _extensions(driver: str) -> list[dict[str, Any]]:
    uses_vfp = driver not in ("NAT", "ICS", "Internal", "Private")
    return [
        {"Id": guid, "IsEnabled": enabled and (guid != _VFP or uses_vfp), "Name": name}
        for guid, name, enabled in _EXTENSIONS
    ]


def _health(network: Network) -> dict[str, Any]:
    return {"LastErrorCode": 0, "LastUpdateTime": network.created}


def _mac_range(pair: tuple[int, int]) -> dict[str, str]:
    return {"StartMacAddress": to_text(pair[0]), "EndMacAddress": to_text(pair[1])}


def _extra(network: Network) -> dict[str, Any]:
    return {
        "LayeredOn": network.layer_id,
        "Resources": resources(network.activity_id, network.layer_id, network.created, network.version),
        "SwitchGuid": network.switch_id,
    }
