"""Two nodes on a wire, and wants to give them: what tests of the data plane start from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from hnsfake.dataplane.fabric import Fabric
from hnsfake.dataplane.interface import (
    BackendWant,
    Change,
    CompartmentWant,
    Driver,
    EndpointWant,
    LoadBalancerWant,
    NetworkWant,
    RemoteSubnet,
    RouteWant,
    SubnetWant,
    Want,
)
from hnsfake.dataplane.node import LinuxNode
from hnsfake.dataplane.sandbox import Sandbox
from hnsfake.documents.load_balancer import PortMapping as BalancedPort
from hnsfake.documents.policies import Policy
from hnsfake.releases import release
from hnsfake.workload import Compartment, Engine

OUTSIDE = "203.0.113.10"
EVERYWHERE = IPv4Network("0.0.0.0/0")
HOST_MACS = ("00-15-5D-7F-00-0B", "00-15-5D-7F-00-0C")
NODES = ("10.127.0.11", "10.127.0.12")
ADAPTER = "Ethernet"
QUIRKS = release("ws2022").quirks


class World:
    """A fabric with two nodes, ``n1`` and ``n2``; workloads run in the places it gives."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._stack = ExitStack()
        self.sandbox = sandbox
        self.fabric = Fabric(sandbox)
        self._stack.callback(self.fabric.close)
        self.engine = Engine(sandbox)
        self._stack.callback(self.engine.close)
        self.nodes = tuple(
            LinuxNode(sandbox, self.fabric, f"n{number}", IPv4Interface(f"{address}/24"), mac, QUIRKS)
            for number, (address, mac) in enumerate(zip(NODES, HOST_MACS, strict=True), 1)
        )
        for node in self.nodes:
            self._stack.callback(node.close)

    @property
    def n1(self) -> LinuxNode:
        return self.nodes[0]

    @property
    def n2(self) -> LinuxNode:
        return self.nodes[1]

    @property
    def outside(self) -> Compartment:
        return Compartment(self.engine, self.fabric.outside)

    @property
    def wire(self) -> Compartment:
        return Compartment(self.engine, self.fabric.wire)

    def place(self, node: LinuxNode, number: int = 1) -> Compartment:
        return Compartment(self.engine, node.netns(number))

    def close(self) -> None:
        self._stack.close()


def create(*wants: Want) -> list[Change]:
    return [Change(None, want) for want in wants]


def remove(*wants: Want) -> list[Change]:
    return [Change(want, None) for want in reversed(wants)]


def modify(before: Want, after: Want) -> list[Change]:
    return [Change(before, after)]


def balancer(backend: EndpointWant, number: int = 1, port: int = 80, *, dsr: bool = False) -> LoadBalancerWant:
    """Return a load balancer of one backend, its source VIP an address of the backend's subnet."""
    (interface, *_) = backend.addresses
    return LoadBalancerWant(
        f"lb{number}{dsr}",
        backend.network_id,
        (BackendWant(backend.id, interface.ip, backend.remote),),
        (BalancedPort(6, 8080, port),),
        (IPv4Address("10.96.0.0") + 2 * number + dsr,),
        IPv4Interface(f"{interface.ip}/24").network[200],
        dsr,
    )


def l2bridge(prefix: str, name: str = "l2") -> NetworkWant:
    return NetworkWant(f"net-{name}", name, Driver.L2BRIDGE, (_subnet(prefix),), ADAPTER)


def nat(prefix: str, name: str = "nat") -> NetworkWant:
    return NetworkWant(f"net-{name}", name, Driver.NAT, (_subnet(prefix),))


def transparent(prefix: str) -> NetworkWant:
    return NetworkWant("net-transparent", "transparent", Driver.TRANSPARENT, (_subnet(prefix),), ADAPTER)


def isolated(driver: Driver, prefix: str) -> NetworkWant:
    return NetworkWant(f"net-{driver}", driver.value.lower(), driver, (_subnet(prefix),))


def overlay(
    prefix: str, vsid: int = 4097, node: int = 1, *, host_route: bool = True, name: str = "", port: int = 4789
) -> NetworkWant:
    return NetworkWant(
        f"net-{name or vsid}",
        name or f"vxlan{vsid}",
        Driver.OVERLAY,
        (_subnet(prefix, vsid),),
        ADAPTER,
        dr_mac=dr_mac(node, vsid),
        host_route=host_route,
        vxlan_port=port,
    )


def dr_mac(node: int, vsid: int = 4097) -> str:
    return f"00-15-5D-{node:02X}-{vsid >> 8 & 0xFF:02X}-{vsid & 0xFF:02X}"


def behind(network: NetworkWant, provider: str) -> RemoteSubnet:
    """Return the route that leads another node to ``network``."""
    subnet = network.subnets[0]
    assert subnet.isolation_id is not None
    assert network.dr_mac is not None
    return RemoteSubnet(subnet.prefix, subnet.isolation_id, IPv4Address(provider), network.dr_mac)


_endpoints = itertools.count(1)


def endpoint(
    network: NetworkWant,
    address: str,
    compartment: int | None,
    *policies: Policy,
    gateway: str | None = None,
    pool: int | None = None,
) -> EndpointWant:
    number = next(_endpoints)
    prefix = network.subnets[0].prefix
    hop = IPv4Address(gateway) if gateway else network.subnets[0].gateway
    return EndpointWant(
        f"{number:08x}-0000-4000-8000-000000000000",
        network.id,
        f"pod{number}",
        f"00-15-5D-AA-{number >> 8:02X}-{number & 0xFF:02X}",
        (IPv4Interface(f"{address}/{prefix.prefixlen}"),),
        (RouteWant(EVERYWHERE, hop),),
        policies,
        compartment,
        pool=(pool, 64) if pool is not None else None,
        mtu=1450 if network.driver is Driver.OVERLAY else 1500,
    )


def remote(network: NetworkWant, address: str, mac: str, provider: str) -> EndpointWant:
    plain = endpoint(network, address, None)
    return replace(plain, mac=mac, remote=True, provider_address=IPv4Address(provider), routes=())


def compartments(*numbers: int) -> list[CompartmentWant]:
    return [CompartmentWant(number, f"ns-{number}") for number in numbers]


def attach(node: LinuxNode, endpoints: Iterable[EndpointWant]) -> None:
    """Make endpoints' compartments and attach them."""
    for want in endpoints:
        assert want.compartment is not None
        known = want.compartment in node._compartments
        node.apply([*([] if known else create(*compartments(want.compartment))), *create(want)])


def _subnet(prefix: str, vsid: int | None = None) -> SubnetWant:
    network = IPv4Network(prefix)
    return SubnetWant(network, network[1], vsid)
