"""A compartment's registry view: what Windows keeps of the interfaces in it, apart from every other compartment's.

A container has its name servers, suffixes, routes and metrics from there, and from no file; they are set through its
endpoints' documents (kubernetes/website windows-networking, dns-pod-service). Nothing is kept here: a view is made of
the objects that HNS has, so it follows an endpoint wherever it goes, over a restart of the service and of the node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any

from hnsfake.dataplane.interface import (
    HOST_COMPARTMENT,
    Driver,
    HostAdapter,
    IPInterface,
    RouteWant,
    vnic_alias,
)
from hnsfake.dataplane.metrics import INTERNAL_VNIC, VNIC
from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.network import Network
from hnsfake.service import wants
from hnsfake.service.state import State

_WITH_HOST = (Driver.NAT, Driver.ICS, Driver.INTERNAL)
"""The types of networks whose internal switch has a vNIC of the host's."""


class NoCompartmentError(LookupError):
    """There is no such compartment."""


@dataclass(frozen=True, slots=True)
class RegisteredInterface:
    """An interface: a vNIC of an endpoint, or one of the host's own.

    ``guid`` is that of the endpoint or network it is there for, and empty for an adapter.  # unverified: that Windows
    gives an interface no other
    """

    guid: str
    alias: str
    mac: str
    addresses: tuple[IPInterface, ...]
    metric: int
    dns: DnsSettings = field(default_factory=DnsSettings)
    routes: tuple[RouteWant, ...] = ()

    @property
    def suffix(self) -> str:
        """The connection-specific suffix: the domain, else the first of the search list.

        (`ipconfig /all` in a pod with three suffixes, kubernetes-sigs/sig-windows-tools#340.)
        """
        return self.dns.domain or next(iter(self.dns.search), "")

    def shown(self) -> dict[str, Any]:
        """Return it as JSON; of a route ``effective_metric`` is its own and the interface's together."""
        return {
            "guid": self.guid,
            "alias": self.alias,
            "mac": self.mac,
            "addresses": [str(address) for address in self.addresses],
            "metric": self.metric,
            "suffix": self.suffix,
            "name_servers": list(self.dns.servers),
            "routes": [
                {
                    "destination": str(route.destination),
                    "next_hop": str(route.next_hop or ""),
                    "metric": route.metric,
                    "effective_metric": self.metric + route.metric,
                }
                for route in self.routes
            ],
        }


@dataclass(frozen=True, slots=True)
class RegistryView:
    """What is registered in a compartment, the interface with the lowest metric first."""

    compartment: int
    interfaces: tuple[RegisteredInterface, ...]

    @property
    def dns(self) -> DnsSettings:
        """What names are resolved by: the settings of the first interface that has any.

        (openziti/desktop-edge-win#338: the interface with the lowest metric is asked.)
        """
        return next((one.dns for one in self.interfaces if one.dns != DnsSettings()), DnsSettings())

    def shown(self) -> dict[str, Any]:
        """Return the view as JSON."""
        return {
            "compartment": self.compartment,
            "search_list": list(self.dns.search),
            "interfaces": [interface.shown() for interface in self.interfaces],
        }


def registry_of(state: State, compartment: int, adapters: Sequence[HostAdapter]) -> RegistryView:
    """Return the view of a compartment; raise NoCompartmentError."""
    if compartment not in state.compartments():
        raise NoCompartmentError(compartment)
    found = [*_of_endpoints(state, compartment)]
    if compartment == HOST_COMPARTMENT:
        found = [*_of_adapters(state, adapters), *_of_gateways(state), *found]
    return RegistryView(compartment, tuple(sorted(found, key=lambda interface: interface.metric)))


def _of_endpoints(state: State, compartment: int) -> Iterator[RegisteredInterface]:
    for endpoint in state.endpoints.values():
        if endpoint.compartment == compartment:
            want = wants.endpoint(endpoint, state.networks[endpoint.network_id])
            alias, metric = vnic_alias(endpoint.name), want.interface_metric
            yield RegisteredInterface(endpoint.id, alias, want.mac, want.addresses, metric, endpoint.dns, want.routes)


def _of_adapters(state: State, adapters: Sequence[HostAdapter]) -> Iterator[RegisteredInterface]:
    """Yield the node's adapters, or the vNICs in their place. Their default route is DHCP's, and not registered."""
    switched = {network.layer_adapter for network in state.networks.values()}
    for adapter in adapters:
        alias = vnic_alias(adapter.name) if adapter.name in switched else adapter.name
        yield RegisteredInterface("", alias, adapter.mac, adapter.addresses, VNIC)


def _of_gateways(state: State) -> Iterator[RegisteredInterface]:
    """Yield the host's vNICs on internal switches."""
    for network in state.networks.values():
        if wants.driver_of(network) in _WITH_HOST:
            alias = vnic_alias(network.name)
            yield RegisteredInterface(network.id, alias, network.gateway_mac, _gateways(network), INTERNAL_VNIC)


def _gateways(network: Network) -> tuple[IPInterface, ...]:
    return tuple(
        ip_interface(f"{subnet.gateway}/{subnet.prefix.prefixlen}")
        for subnet in network.subnets
        if subnet.gateway is not None and subnet.prefix is not None
    )
