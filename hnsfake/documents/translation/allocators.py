"""Allocators: what an object has of the switch, of VFP and of NAT, as it shows inside its ``Resources``.

Shapes by release: outputs in rancher/rke2#3925 (Overlay, HNS 15), Masterwow3/docker-netrestore README (NAT, 13.3),
moby/moby#40128 and microsoft/hcsshim#675 (NAT, 9), mike-barber/wsl-subnet-utility#2 (ICS, 15), and of endpoints in
ovn-kubernetes/ovn-kubernetes#580, Azure/AKS#1367, projectcalico/calico#4682 (9), microsoft/Windows-Containers#616 (15).
Left out, as none of these says enough: those of L2Bridge networks, of routes and mapped ports (their Tag), of remote
endpoints and of policy lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Network
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.endpoint import Endpoint, EndpointState
from hnsfake.documents.network import Network, NetworkFlags
from hnsfake.documents.policies import Acl, OutboundNat, Vlan, Vsid
from hnsfake.documents.translation.form import health, is_new

View = dict[str, Any]

_ALLOCATED = 3  # an allocator's State
_HNS_15 = 15 << 32
_POOLS = 9 << 32 | 5  # the first version whose published output names an OutBoundNAT's pools
_HOST = 1
_FRIENDLY = 15  # as many characters of a name does a NIC have
_VLAN_ISOLATION = 3
_DEFAULT_RULES = tuple(
    {"Action": "Allow", "Direction": direction, "Priority": 65500, "Type": "ACL"} for direction in ("In", "Out")
)


def of_network(network: Network) -> list[View]:
    """Return a network's allocators in the order of their allocation."""
    if network.traits.name == "Overlay":
        return _numbered([_routing_domain(network)], network)
    if network.traits.nat_name:
        return _numbered([_host_vnic(network), *_address_translation(network)], network)
    return []


def of_endpoint(endpoint: Endpoint, network: Network) -> list[View]:
    """Return an endpoint's allocators: none before it is attached."""
    if endpoint.state not in (EndpointState.ATTACHED, EndpointState.ATTACHED_SHARING):
        return []
    return _numbered([_port(endpoint, network), *_isolation(network), *_policies(endpoint, network)], endpoint)


def _numbered(allocators: list[View], owner: Network | Endpoint) -> list[View]:
    """Add what every allocator has, and put the members into HNS's order."""
    numbered = []
    for number, allocator in enumerate(allocators):
        view: View = {
            "AdditionalParams": {},
            "AllocationOrder": number,
            "ID": guids.derived(owner.activity_id, f"allocator {number}"),
            "State": _ALLOCATED,
            **allocator,
            "Health": dict(sorted((health(owner.created) | allocator.get("Health", {})).items())),
        }
        if is_new(owner.version):
            view["Flags"] = 0
        numbered.append({name: view[name] for name in sorted(view)})
    return numbered


def _routing_domain(network: Network) -> View:
    isolations = [
        record.typed.isolation_id
        for subnet in network.subnets
        for record in subnet.policies
        if isinstance(record.typed, Vsid)
    ]
    return {
        "IsPolicy": False,
        **{f"Isolation_{number}": isolation for number, isolation in enumerate(isolations)},
        "PortId": guids.derived(network.activity_id, "port"),
        "RDID": network.id,
        "SwitchId": network.switch_id,
        "Tag": "RDID",
    }


def _host_vnic(network: Network) -> View:
    """Return the host's vNIC, the gateway of the network.

    Its MacAddress is left out: the network's document doesn't know it.
    """
    interface = nat_interface(network)
    shown = guids.derived(network.activity_id, "allocator 0")
    view = {
        **_nic(interface, network.activity_id, network.version),
        "CompartmendId": 0,
        "DevicelessNic": is_new(network.version),
        "IsolationId": _vlan(network) or 0,
        "ManagementPort": True,
        "NicFriendlyName": network.name[:_FRIENDLY],
        "PreferredPortFriendlyName": f"Container NIC {shown[:8].lower()}",
        "SwitchId": network.switch_id,
        "Tag": "Host Vnic",
    }
    if network.version >= _HNS_15:
        view |= {
            "DeviceInstanceID": "",
            "NetworkId": network.id,
            "PortFriendlyNamePrefix": "Host Vnic",
            "PreferredPortFriendlyName": f"Host Vnic {network.id}",
            "VmPort": False,
        }
    return view


def nat_interface(network: Network) -> str:
    """Return the id of the host's vNIC, by which the NAT instance is called."""
    return network.nat_name[-len(guids.ZERO) :]


def _nic(interface: str, owner: str, version: int) -> View:
    """Return what the host's vNIC and an endpoint's port have in common."""
    view: View = {
        "AdapterNetCfgInstanceId": f"{{{interface}}}",
        "Connected": True,
        "EndpointNicGuid": guids.derived(owner, "nic"),
        "EndpointPortGuid": guids.derived(owner, "port"),
        "InterfaceGuid": interface,
        "IsPolicy": False,
        "WaitForIpv6Interface": False,
        "nonPersistentPort": False,
    }
    if is_new(version):
        return view | {"DNSFirewallRules": True, "DhcpDisabled": True, "NcfHidden": False, "NlmHidden": True}
    return view | {"Hidden": False}


def _address_translation(network: Network) -> Iterator[View]:
    """Yield the NAT instance; before HNS 13 NAT networks are translated by ICS too."""
    if not network.subnets or (prefix := network.subnets[0].prefix) is None:
        return
    view: View = {
        "IsPolicy": False,
        "Prefix": prefix.prefixlen,
        "PrivateInterfaceGUID": nat_interface(network),
        "SubnetIPAddress": str(prefix.network_address),
    }
    new = is_new(network.version)
    if new and network.traits.name == "NAT":
        yield {**view, "Health": {"NATState": 2}, "Tag": "NAT"}
        return
    dhcp, dns = bool(network.flags & NetworkFlags.DHCP_SERVER), bool(network.flags & NetworkFlags.DNS_PROXY)
    view |= {
        "Dhcp": dhcp,
        "Dns": dns,
        "ExternalInterfaceConstraint": 0,
        "Health": {"DHCPState": 1 + dhcp, "DNSState": 1 + dns, "ICSState": 2},
        "ICSFlags": 0,
        "Tag": "ICS",
    }
    if new:
        view |= {"DisableSharing": False, "ICSDHCPFlags": 0}
    yield view


def _port(endpoint: Endpoint, network: Network) -> View:
    """Return the switch port. Clients look for its Tag, and read SwitchId, EndpointPortGuid and CompartmendId.

    (microsoft/hcsshim internal/vm/remotevm/network.go, microsoft/SDN Kubernetes/windows/debug; HNS spells it so.)
    """
    interface = guids.derived(endpoint.activity_id, "interface")
    return {
        **_nic(interface, endpoint.activity_id, endpoint.version),
        "CompartmendId": endpoint.compartment or 0,
        "DevicelessNic": endpoint.compartment != _HOST,
        "IsolationId": _vlan(network) or 0,
        "MacAddress": endpoint.mac,
        "ManagementPort": False,
        "NicFriendlyName": endpoint.name[:_FRIENDLY],
        "PreferredPortFriendlyName": endpoint.id,
        "SwitchId": network.switch_id,
        "Tag": "Endpoint Port",
    }


def _isolation(network: Network) -> Iterator[View]:
    vlan = _vlan(network)
    if vlan is not None and is_new(network.version):
        yield {
            "InDefaultIsolation": False,
            "IsPolicy": True,
            "IsolationID": vlan,
            "IsolationType": _VLAN_ISOLATION,
            "Tag": "Isolation Policy",
        }


def _policies(endpoint: Endpoint, network: Network) -> Iterator[View]:
    yield _acl(endpoint)
    if network.traits.vfp:
        for record in endpoint.policies:
            if isinstance(record.typed, OutboundNat):
                yield _outbound_nat(record.typed, endpoint, network)


def _acl(endpoint: Endpoint) -> View:
    """Return the ACLs: without any, all is allowed at the weakest priority.

    unverified: that an endpoint's own ACLs show in one allocator; the published one has none of its own.
    """
    rules = [record.v1() for record in endpoint.policies if isinstance(record.typed, Acl)]
    view: View = {"IsPolicy": True, "Rules": rules or [dict(rule) for rule in _DEFAULT_RULES], "Tag": "ACL Policy"}
    return {**view, "IsNetworkACL": False} if is_new(endpoint.version) else view


def _outbound_nat(nat: OutboundNat, endpoint: Endpoint, network: Network) -> View:
    view: View = {
        "IsPolicy": True,
        "LocalRoutedVip": False,
        **{f"NatExceptions_{number}": str(prefix) for number, prefix in enumerate(nat.exceptions)},
        "Tag": "VFP OutBound NAT Policy",
        "VIP": str(nat.virtual_ip or ""),
    }
    if endpoint.version >= _POOLS and endpoint.addresses:
        address, vip = endpoint.addresses[0].ip, nat.virtual_ip or network.management_ip.split("/")[0]
        name = f"{address}{vip}{guids.derived(endpoint.activity_id, 'pool')}0"
        view |= {f"{key}NatPool": f"SLB_NATPOOL_IPV4_{key.upper()}_{name}" for key in ("Tcp", "Udp")}
    if is_new(endpoint.version):
        view["IsIpv6"] = any(isinstance(prefix, IPv6Network) for prefix in nat.exceptions)
    return view


def _vlan(network: Network) -> int | None:
    records = (*network.policies, *(record for subnet in network.subnets for record in subnet.policies))
    return next((record.typed.isolation_id for record in records if isinstance(record.typed, Vlan)), None)
