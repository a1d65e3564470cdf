"""From HNS's objects to what the data plane must make of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_network

from hnsfake.dataplane.interface import (
    HOST_COMPARTMENT,
    BackendWant,
    CompartmentWant,
    Driver,
    EndpointWant,
    IPAddress,
    IPInterface,
    LoadBalancerWant,
    NetworkWant,
    RemoteSubnet,
    RouteWant,
    SubnetWant,
)
from hnsfake.dataplane.metrics import INTERNAL_VNIC, LOW_VNIC, NARROW_MTU, ROUTE, VNIC
from hnsfake.documents.compute_system import ComputeSystem
from hnsfake.documents.endpoint import Endpoint, EndpointFlags
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network, Subnet
from hnsfake.documents.policies import (
    EncapOverhead,
    HostRoute,
    InterfaceParameters,
    NetworkAcl,
    Policy,
    ProviderAddress,
    RemoteSubnetRoute,
    Vlan,
    Vsid,
    VxlanPort,
)
from hnsfake.documents.translation.endpoint import ENCAP_OVERHEAD
from hnsfake.service import address_sets

_LEAST_MTU = 576  # what Windows takes for IPv4
_ETHERNET_MTU = 1500


def driver_of(network: Network) -> Driver:
    """Return the driver of a network that was accepted."""
    return Driver(network.traits.name)


def network(noun: Network) -> NetworkWant:
    """Say what a network needs."""
    policies = _typed(noun)
    ports = [policy.port for policy in policies if isinstance(policy, VxlanPort)]
    return NetworkWant(
        id=noun.id,
        name=noun.name,
        driver=driver_of(noun),
        subnets=tuple(_subnet(subnet, isolation_id(policies)) for subnet in noun.subnets),
        adapter=noun.layer_adapter or None,
        gateway_mac=noun.gateway_mac or None,
        dr_mac=noun.dr_mac or None,
        remote_subnets=tuple(
            RemoteSubnet(p.destination_prefix, p.isolation_id, p.provider_address, p.dr_mac)
            for p in policies
            if isinstance(p, RemoteSubnetRoute)
        ),
        host_route=any(isinstance(policy, HostRoute) for policy in policies),
        vxlan_port=ports[0] if ports else 4789,
    )


def endpoint(noun: Endpoint, of: Network, shared: Iterable[Policy] = ()) -> EndpointWant:
    """Say what an endpoint needs; ``shared`` are policies it has together with others (SDN routes)."""
    own = (record.typed for record in noun.policies if record.typed is not None)
    policies = (*address_sets.spelled_out((*own, *network_acls(of)), of), *shared)
    providers = [policy.provider_address for policy in policies if isinstance(policy, ProviderAddress)]
    overlay = driver_of(of) is Driver.OVERLAY
    addresses = tuple(_interface(a.ip, a.prefix_length) for a in noun.addresses)
    return EndpointWant(
        id=noun.id,
        network_id=noun.network_id,
        name=noun.name,
        mac=noun.mac.upper().replace(":", "-"),
        addresses=addresses,
        # A route that is named twice is there once.
        routes=tuple(dict.fromkeys(_route(r.destination, r.next_hop, r.metric) for r in noun.routes)),
        policies=policies,
        compartment=noun.compartment,
        remote=noun.remote,
        provider_address=providers[0] if providers else None,
        pool=noun.pool,
        mtu=_mtu(policies, overlay),
        interface_metric=interface_metric(noun, of),
        ip_mtu=_ip_mtu(policies, of),
        vlan=_vlan(of, addresses) if of.traits.external and not overlay else None,
    )


def network_acls(noun: Network) -> list[NetworkAcl]:
    """Return the rules of a network that hold at each of its endpoints, by priority among their own ones.

    # unverified: that they are of one order with the endpoints' own
    """
    return [policy for policy in _typed(noun) if isinstance(policy, NetworkAcl)]


def _mtu(policies: Iterable[Policy], overlay: bool) -> int:
    """Return a vNIC's MTU: that of its parameters, or Ethernet's without what encapsulation takes."""
    given = [policy.mtu for policy in policies if isinstance(policy, InterfaceParameters) and policy.mtu]
    overheads = [policy.overhead for policy in policies if isinstance(policy, EncapOverhead)]
    overhead = overheads[0] if overheads else ENCAP_OVERHEAD if overlay else 0
    return max(given[0] if given else _ETHERNET_MTU - overhead, _LEAST_MTU)


def _ip_mtu(policies: Iterable[Policy], of: Network) -> int | None:
    """Return what IP sends at most, where that is less than the vNIC's MTU; a policy about the MTU has its way."""
    own = any(isinstance(policy, (InterfaceParameters, EncapOverhead)) for policy in policies)
    narrow = driver_of(of) in (Driver.L2BRIDGE, Driver.L2TUNNEL) and not own
    return NARROW_MTU if narrow else None


def interface_metric(noun: Endpoint, of: Network) -> int:
    """Return the metric of an endpoint's vNIC."""
    if noun.flags & EndpointFlags.ENABLE_LOW_METRIC:
        return LOW_VNIC
    return VNIC if of.traits.external else INTERNAL_VNIC


def is_balanced(of: Network) -> bool:
    """Whether load balancers of a network have an effect: its ports have a VFP."""
    return driver_of(of) in (Driver.L2BRIDGE, Driver.L2TUNNEL, Driver.OVERLAY)


def load_balancer(noun: LoadBalancer, of: Network, backends: Iterable[Endpoint]) -> LoadBalancerWant:
    """Say what a load balancer needs; a backend without addresses is none."""
    return LoadBalancerWant(
        id=noun.id,
        network_id=noun.network_id,
        driver=driver_of(of),
        backends=tuple(BackendWant(one.id, item.ip, one.remote) for one in backends for item in one.addresses[:1]),
        mappings=noun.port_mappings,
        vips=noun.vips,
        source_vip=noun.source_vip,
        dsr=noun.dsr,
        ipv6=noun.ipv6,
    )


# The same few texts come again and again, and reading an address is what costs most here.
@lru_cache(maxsize=4096)
def _interface(ip: IPAddress, prefix_length: int | None) -> IPInterface:
    # From a number, as text costs several times as much to read.
    kind = IPv4Interface if ip.version == 4 else IPv6Interface
    return kind((int(ip), ip.max_prefixlen if prefix_length is None else prefix_length))


@lru_cache(maxsize=4096)
def _route(destination: str, next_hop: str, metric: int) -> RouteWant:
    on_link = next_hop in ("", "0.0.0.0", "::")
    hop = None if on_link else ip_address(next_hop)
    return RouteWant(ip_network(destination, strict=False), hop, metric or ROUTE)


def compartment(noun: Namespace) -> CompartmentWant | None:
    """Say what a namespace needs; the host's own compartment is always there."""
    if noun.compartment == HOST_COMPARTMENT:
        return None
    return CompartmentWant(noun.compartment, noun.id)


def system(noun: ComputeSystem) -> CompartmentWant | None:
    """Say what a compute system needs: a compartment, where it is in nobody else's."""
    return CompartmentWant(noun.compartment, noun.id) if noun.has_own_compartment else None


def isolation_id(policies: tuple[Policy, ...]) -> int | None:
    """Return the VSID or VLAN among ``policies``."""
    return next((policy.isolation_id for policy in policies if isinstance(policy, (Vsid, Vlan))), None)


def _vlan(of: Network, addresses: tuple[IPInterface, ...]) -> int | None:
    """Return the VLAN of the subnet that an endpoint's addresses are of, or of the network."""
    shared = isolation_id(_typed(of))
    subnets = [_subnet(subnet, shared) for subnet in of.subnets]
    own = (s.isolation_id for address in addresses for s in subnets if address.ip in s.prefix)
    return next(own, shared)


def _subnet(subnet: Subnet, network_wide: int | None) -> SubnetWant:
    assert subnet.prefix is not None
    own = isolation_id(tuple(record.typed for record in subnet.policies if record.typed is not None))
    return SubnetWant(subnet.prefix, subnet.gateway, own if own is not None else network_wide)


def _typed(noun: Network) -> tuple[Policy, ...]:
    return tuple(record.typed for record in noun.policies if record.typed is not None)
