"""Documents as real clients send them, built from the few things that vary."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

Document = dict[str, Any]
VERSION = {"Major": 2, "Minor": 0}
NON_PERSISTENT = 8  # a network's flag
REMOTE = 1  # an endpoint's flag
DSR = 1  # a load balancer's flag
INTERNAL = 1  # flags of a load balancer's port
LOCAL_ROUTED = 2
PRESERVE_DESTINATION = 8
EXTERNAL_VIP = 16


def policy(kind: str, **settings: Any) -> Document:
    """Return a v2 policy."""
    return {"Type": kind, "Settings": settings}


def network(kind: str, name: str, prefix: str = "", gateway: str = "", **more: Any) -> Document:
    """Return a v2 network with one subnet, or none (containernetworking/plugins, hcsshim's own tests)."""
    document: Document = {"Name": name, "Type": kind, "SchemaVersion": VERSION, **more}
    if prefix:
        routes = [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0"}] if gateway else []
        document["Ipams"] = [{"Type": "Static", "Subnets": [{"IpAddressPrefix": prefix, "Routes": routes}]}]
    return document


def endpoint(
    name: str, address: str = "", gateway: str = "", policies: list[Document] | None = None, **more: Any
) -> Document:
    """Return a v2 endpoint as win-bridge sends it (containernetworking/plugins pkg/hns).

    Without an IPAM plug-in all three are empty, and the prefix is IPv6's: an empty address is not IPv4.
    """
    return {
        "SchemaVersion": VERSION,
        "Name": name,
        "Dns": {},
        "IpConfigurations": [{"IpAddress": address}],
        "Routes": [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0" if gateway else "::/0"}],
        "Policies": policies or [],
        **more,
    }


def load_balancer(endpoints: list[str], vip: str, port: int) -> Document:
    """Return a load balancer of one TCP port as kube-proxy sends it (microsoft/hcsshim hcn/hcnloadbalancer.go)."""
    return {
        "HostComputeEndpoints": endpoints,
        "SourceVIP": "",
        "FrontendVIPs": [vip],
        "PortMappings": [{"Protocol": 6, "InternalPort": port, "ExternalPort": port, "Flags": 0}],
        "SchemaVersion": VERSION,
        "Flags": 0,
    }


def win_bridge_v1(name: str, network_id: str, address: str, gateway: str, policies: list[Document]) -> Document:
    """Return a v1 endpoint as win-bridge sends it, with policies in v1's shape (plugins pkg/hns)."""
    return {
        "Name": name,
        "VirtualNetwork": network_id,
        "DNSServerList": "10.96.0.10,10.96.0.11",
        "DNSSuffix": "default.svc.cluster.local,svc.cluster.local",
        "GatewayAddress": gateway,
        "IPAddress": address,
        "Policies": policies,
    }


def win_overlay(
    name: str, address: str = "", gateway: str = "", policies: list[Document] | None = None, **more: Any
) -> Document:
    """Return a v2 endpoint as win-overlay sends it, its MAC made of its address (containernetworking/plugins)."""
    mac = "-".join(["0E-2A", *(f"{part:02x}" for part in IPv4Address(address).packed)])
    return endpoint(name, address, gateway, policies, **{"MacAddress": mac, **more})


def flannel_vxlan(name: str, prefix: str, gateway: str, vni: int, adapter: str = "") -> Document:
    """Return the overlay network that flannel creates (flannel-io/flannel pkg/backend/vxlan)."""
    document = network("Overlay", name, prefix, gateway, Flags=NON_PERSISTENT)
    document["Ipams"][0]["Subnets"][0]["Policies"] = [policy("VSID", IsolationId=vni)]
    if adapter:
        document["Policies"] = [policy("NetAdapterName", NetworkAdapterName=adapter)]
    return document


def flannel_lease(prefix: str, vni: int, provider_address: str, mac: str) -> Document:
    """Return flannel's route to another node's pods; Go prints a MAC in lower case with colons (pkg/backend/vxlan)."""
    return policy(
        "RemoteSubnetRoute",
        DestinationPrefix=prefix,
        IsolationId=vni,
        ProviderAddress=provider_address,
        DistributedRouterMacAddress=mac.lower().replace("-", ":"),
    )


def flannel_host_gw(name: str, prefix: str, gateway: str) -> Document:
    """Return the v1 network that flannel creates (flannel-io/flannel pkg/backend/hostgw)."""
    subnet = {"AddressPrefix": prefix, "GatewayAddress": gateway}
    return {"Name": name, "Type": "L2Bridge", "DNSServerList": "", "Subnets": [subnet]}


def azure_network(name: str, prefix: str, gateway: str, adapter: str) -> Document:
    """Return the v2 network of Azure CNI (Azure/azure-container-networking network/network_windows.go)."""
    policies = [policy("NetAdapterName", NetworkAdapterName=adapter)]
    return network("L2Bridge", name, prefix, gateway, Flags=NON_PERSISTENT, Policies=policies)


def azure_v1_network(name: str, prefix: str, gateway: str) -> Document:
    """Return the v1 network of Azure CNI, whose adapter is a vEthernet already (network/network_windows.go)."""
    subnet = {"AddressPrefix": prefix, "GatewayAddress": gateway}
    return {"Name": name, "Type": "l2bridge", "NetworkAdapterName": "", "Subnets": [subnet]}


def azure_endpoint(
    name: str, address: str, length: int, gateway: str, policies: list[Document], **more: Any
) -> Document:
    """Return the v2 endpoint of Azure CNI (Azure/azure-container-networking network/endpoint_windows.go).

    The suffix is split at commas even where it is empty, and the MAC is there even where it is not known.
    """
    return {
        "Name": name,
        "Dns": {"Search": [""], "ServerList": ["168.63.129.16"]},
        "MacAddress": "",
        "SchemaVersion": VERSION,
        "Routes": [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0"}],
        "IpConfigurations": [{"IpAddress": address, "PrefixLength": length}],
        "Policies": policies,
        **more,
    }


def nat_plugin_network(name: str) -> Document:
    """Return the network of the nat plug-in without IPAM (microsoft/windows-container-networking network)."""
    return {"Name": name, "Type": "NAT", "Ipams": [], "Dns": {}, "SchemaVersion": VERSION, "Policies": []}


def nat_plugin_endpoint(name: str, policies: list[Document]) -> Document:
    """Return the endpoint of the nat plug-in without IPAM: HNS chooses (microsoft/windows-container-networking)."""
    return {"Name": name, "Dns": {}, "IpConfigurations": [], "SchemaVersion": VERSION, "Policies": policies}


def gateway_endpoint(address: str) -> Document:
    """Return the endpoint that becomes the host's in a pod subnet (microsoft/windows-container-networking plugins)."""
    return {
        "Name": "GwEp",
        "SchemaVersion": VERSION,
        "IpConfigurations": [{"IpAddress": address, "PrefixLength": 0}],
        "Routes": [{"NextHop": "0.0.0.0", "DestinationPrefix": "0.0.0.0/0"}],
    }


def kube_proxy_source_vip(address: str, host_mac: str) -> Document:
    """Return kube-proxy's nameless local endpoint (kubernetes/kubernetes pkg/proxy/winkernel/hns.go)."""
    return {
        "IpConfigurations": [{"IpAddress": address}],
        "MacAddress": host_mac.lower().replace("-", ":"),
        "Flags": 0,
        "SchemaVersion": VERSION,
    }


def kube_proxy_remote(address: str, provider_address: str = "") -> Document:
    """Return kube-proxy's endpoint of a pod elsewhere (kubernetes/kubernetes pkg/proxy/winkernel/hns.go)."""
    return {
        "IpConfigurations": [{"IpAddress": address}],
        "MacAddress": "-".join(["02-11", *(f"{part:02x}" for part in IPv4Address(address).packed)]),
        "Flags": REMOTE,
        "Policies": [policy("ProviderAddress", ProviderAddress=provider_address)] if provider_address else [],
        "SchemaVersion": VERSION,
    }


def service(endpoints: list[str], vip: str, port: Document, *, source_vip: str = "", dsr: bool = False) -> Document:
    """Return kube-proxy's load balancer of a service's port (kubernetes/kubernetes pkg/proxy/winkernel/hns.go)."""
    return {
        "HostComputeEndpoints": endpoints,
        "SourceVIP": source_vip,
        "FrontendVIPs": [vip] if vip else [],
        "PortMappings": [port],
        "SchemaVersion": VERSION,
        "Flags": DSR if dsr else 0,
    }


def service_port(protocol: int, target: int, port: int, flags: int = 0, affinity: int = 0) -> Document:
    """Return the port of a load balancer; ``affinity`` is its DistributionType."""
    return {
        "Protocol": protocol,
        "InternalPort": target,
        "ExternalPort": port,
        "DistributionType": affinity,
        "Flags": flags,
    }


def kube_proxy_node_port(endpoints: list[str], port: int, node_port: int) -> Document:
    """Return kube-proxy's load balancer of a node port: without a VIP (kubernetes/kubernetes pkg/proxy/winkernel)."""
    mapping = {"Protocol": 6, "InternalPort": port, "ExternalPort": node_port, "Flags": LOCAL_ROUTED | EXTERNAL_VIP}
    return {**load_balancer(endpoints, "", port), "FrontendVIPs": [], "PortMappings": [mapping]}


def l2bridge_v1(name: str, prefix: str, gateway: str, **more: Any) -> Document:
    """Return a v1 network as Calico's and Amazon's plug-ins send it (vpc-bridge: with its type in lower case)."""
    subnet = {"AddressPrefix": prefix, "GatewayAddress": gateway}
    return {"Name": name, "Type": "L2Bridge", "Subnets": [subnet], **more}


def overlay_v1(name: str, prefix: str, gateway: str, vsid: int, **more: Any) -> Document:
    """Return a v1 overlay as Calico's plug-in, moby and the scripts of microsoft/SDN send it."""
    subnet = {"AddressPrefix": prefix, "GatewayAddress": gateway, "Policies": [{"Type": "VSID", "VSID": vsid}]}
    return {"Name": name, "Type": "Overlay", "Subnets": [subnet], **more}


def vpc_endpoint(name: str, network_name: str, address: str, length: int, policies: list[Document]) -> Document:
    """Return a v1 endpoint of Amazon's plug-ins: its network by name alone (aws/amazon-vpc-cni-plugins plugins)."""
    return {
        "Name": name,
        "VirtualNetworkName": network_name,
        "DNSSuffix": "default.svc.cluster.local",
        "DNSServerList": "10.100.0.10",
        "IPAddress": address,
        "PrefixLength": length,
        "Policies": policies,
    }


def antrea_network(name: str, prefix: str, gateway: str, node: str, adapter: str, mac: str) -> Document:
    """Return Antrea's network, which remembers the node's address and MAC (antrea-io/antrea pkg/agent/util)."""
    return {
        "Name": name,
        "Type": "Transparent",
        "NetworkAdapterName": adapter,
        "Subnets": [{"AddressPrefix": prefix, "GatewayAddress": gateway}],
        "ManagementIP": node,
        "SourceMac": mac.lower().replace("-", ":"),
    }


def ovn_network(name: str, prefix: str, gateway: str, vni: int, adapter: str, *, base: bool) -> Document:
    """Return a hybrid overlay network: the base one stays over a reboot (ovn-org/ovn-kubernetes hybrid-overlay)."""
    document = network("Overlay", name, prefix, gateway, Flags=0 if base else NON_PERSISTENT)
    document["Ipams"][0]["Subnets"][0]["Policies"] = [policy("VSID", IsolationId=vni)]
    document["Policies"] = [policy("NetAdapterName", NetworkAdapterName=adapter)] if base else []
    document["Policies"].append(policy("AutomaticDNS", Enable=not base))
    return document


def moby_endpoint(network_id: str, port: int) -> Document:
    """Return Docker's endpoint with a published port that HNS is to choose (moby/moby libnetwork/drivers/windows)."""
    mapping = {"Type": "NAT", "InternalPort": port, "Protocol": "tcp", "ExternalPortReserved": True}
    return {"VirtualNetwork": network_id, "Policies": [mapping], "EnableInternalDNS": True}


def moby_service(endpoint: str, vip: str) -> Document:
    """Return Docker's load balancer of a service: all ports of all protocols (moby/moby libnetwork service_windows)."""
    return {
        "References": [f"/endpoints/{endpoint}"],
        "Policies": [{"Type": "ELB", "SourceVIP": "", "VIPs": [vip], "ILB": True, "Protocol": 0}],
    }


def npm_set(name: str, values: str) -> Document:
    """Return Azure NPM's set of pods (Azure/azure-container-networking npm/pkg/dataplane/ipsets)."""
    return policy("SetPolicy", Id=f"azure-npm-{name}", Name=name, PolicyType="IPSET", Values=values)


def felix_rules(endpoint: str, *rules: Document) -> Document:
    """Return Felix's update of an endpoint's ACLs: nothing but these (projectcalico/calico felix/dataplane/windows)."""
    return {"ID": endpoint, "Policies": list(rules)}


def felix_rule(action: str, direction: str, priority: int, **more: Any) -> Document:
    """Return a v1 ACL as Felix writes it."""
    own = {"Type": "ACL", "Id": f"policy-{priority}", "Protocol": 256, "Action": action, "Direction": direction}
    return {**own, "RuleType": "Switch", "Priority": priority, **more}


def acl(action: str, direction: str, priority: int, **more: Any) -> Document:
    """Return a Switch ACL as Calico and Azure send it."""
    return policy(
        "ACL",
        Action=action,
        Direction=direction,
        Priority=priority,
        **{"RuleType": "Switch", "Protocols": "", **more},
    )


def add_policies(*policies: Document, request: str = "Add") -> Document:
    """Return a modify request about policies."""
    return {"ResourceType": "Policy", "RequestType": request, "Settings": {"Policies": list(policies)}}


NAMESPACE: Document = {"SchemaVersion": VERSION}
CONTAINERD_NAMESPACE: Document = {"SchemaVersion": {"Major": 0, "Minor": 0}}
