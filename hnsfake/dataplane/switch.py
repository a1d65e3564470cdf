"""The external vSwitch of a node's adapter: one bridge for all networks on it.

The first network moves the NIC into the switch, and a host vNIC takes over its MAC, address and routes; the
last one gives them back (MicrosoftDocs/Virtualization-Documentation container-networking/architecture).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address

from hnsfake.dataplane import ip_messages, messages, observe
from hnsfake.dataplane.fabric import DEFAULT_ROUTE
from hnsfake.dataplane.interface import EndpointWant, IPAddress, IPNetwork, vnic_alias
from hnsfake.dataplane.kernel import HOST_SETTINGS, NIC, Kernel
from hnsfake.dataplane.metrics import DHCP_ROUTE, ROUTE, VNIC
from hnsfake.dataplane.vfp import local_routed_vip
from hnsfake.documents.policies import PortMapping

BRIDGE, HOST_PORT, HOST_VNIC = 10, 11, 3
NIC_NAME, VNIC_NAME, HOST_PORT_NAME = "nic0", "vnic0", "host"
HOST_INTERFACES = (NIC, HOST_VNIC)
"""What has the node's address: the adapter, or with the switch the host's vNIC."""
_PORT_MAC = "02-00-00-00-00-02"  # the external port's own; on the wire frames have the host's


class ExternalSwitch:
    """The switch of one adapter, there while networks use it. Methods raise DataplaneError."""

    def __init__(self, kernel: Kernel, adapter: str, settle_wire: Callable[[], None]) -> None:
        self._kernel = kernel
        self._settle_wire = settle_wire
        self._adapter = adapter
        self._users: dict[str, int] = {}
        self._mtu = 0
        self._routes: dict[IPNetwork, IPAddress] = {}

    @property
    def host_alias(self) -> str:
        """Windows' name of the interface that has the node's address."""
        return self._vnic_alias if self._users else self._adapter

    @property
    def _vnic_alias(self) -> str:
        return vnic_alias(self._adapter)

    def boot(self) -> None:
        """Configure the adapter as the node's interface."""
        self._kernel.node.send(self._host_messages(NIC, self._adapter), "configure the adapter")
        self._settle_wire()

    def acquire(self, network_id: str, mtu: int = 0) -> None:
        """Use the switch for a network, during which the host's IP sends no larger packets than ``mtu``; 0: any."""
        if not self._users:
            self._build()
            self._lose_routes()
        self._kernel.transaction.undo(self._users.pop, network_id)
        self._users[network_id] = mtu
        self._limit(mtu or self._mtu)

    def release(self, network_id: str) -> None:
        """End a network's use of the switch."""
        mtu = self._users.pop(network_id)
        self._kernel.transaction.undo(self._users.__setitem__, network_id, mtu)
        self._limit(max(self._users.values(), default=0))
        if not self._users:
            self._kernel.transaction.undo(self._build_again)
            self._take_down()
            self._lose_routes()

    def _limit(self, mtu: int) -> None:
        """Have the host's vNIC send no larger packets than ``mtu``; 0: as large as it can."""
        before, self._mtu = self._mtu, mtu
        if mtu != before:
            self._kernel.transaction.undo(setattr, self, "_mtu", before)
            self._kernel.node.send(
                self._limits(HOST_VNIC, mtu), "set the MTU of the host vNIC", lambda: self._limits(HOST_VNIC, before)
            )

    def _limits(self, index: int, mtu: int) -> list[bytes]:
        default = ip_messages.route_via(DEFAULT_ROUTE, self._kernel.gateway, VNIC + DHCP_ROUTE, mtu)
        own = (ip_messages.route_via(prefix, hop, VNIC + ROUTE, mtu) for prefix, hop in self._routes.items())
        return [
            ip_messages.limit_on_link(index, self._kernel.interface, VNIC + ROUTE, mtu),
            *map(ip_messages.replacing, (default, *own)),
        ]

    def add_route(self, destination: IPNetwork, next_hop: IPAddress) -> None:
        """Add a route of the node's own stack; one through the host's interface goes with the interface.

        As on Windows: clients copy their routes to the host vNIC (ovn-org/ovn-kubernetes
        hybrid-overlay/pkg/controller/ho_node_windows.go).
        """
        request = ip_messages.route_via(destination, next_hop, observe.on_link_metric(next_hop), self._mtu)
        self._kernel.node.send([request], f"add the route {destination}")
        if next_hop in self._kernel.interface.network:
            self._routes[destination] = next_hop

    def delete_route(self, destination: IPNetwork, next_hop: IPAddress) -> None:
        """Remove a route of the node's own stack."""
        request = ip_messages.delete_route_via(destination, next_hop)
        self._kernel.node.send([request], f"remove the route {destination}")
        self._routes.pop(destination, None)

    def lead(self, old: Sequence[Element], new: Sequence[Element]) -> None:
        """Change what the external port leads to endpoints: addresses, mapped ports, blocks of ports."""
        self._kernel.switch.rules(change_script(TABLE, old, new), change_script(TABLE, new, old))

    def lead_node(self, before: EndpointWant | None, after: EndpointWant | None) -> None:
        """Change which of an endpoint's mappings the node itself reaches."""
        address = self._kernel.address
        old, new = (
            [] if e is None or "hostport-local-access" in self._kernel.quirks else local_routed_vip.elements(e, address)
            for e in (before, after)
        )
        self._kernel.node.rules(local_routed_vip.change_script(old, new), local_routed_vip.change_script(new, old))

    def _build(self) -> None:
        kernel = self._kernel
        kernel.switch.send(
            [messages.bridge("vswitch", BRIDGE), messages.vnic_up(BRIDGE)],
            "make the vSwitch",
            lambda: [messages.delete_link(BRIDGE)],
        )
        kernel.transaction.undo(self._give_back)
        kernel.node.send([messages.move(NIC, kernel.switch.netns.fd)], "move the adapter into the vSwitch")
        kernel.switch.send(
            [
                messages.set_mac(NIC, _PORT_MAC),
                messages.into_bridge(NIC, BRIDGE),
                messages.external_port(NIC),
                messages.veth(HOST_PORT_NAME, HOST_PORT, VNIC_NAME, HOST_VNIC, kernel.mac, kernel.node.netns.fd),
                messages.into_bridge(HOST_PORT, BRIDGE),
                messages.quiet_port(HOST_PORT),
                messages.forward_to_port(kernel.mac, HOST_PORT),
            ],
            "connect the host to the vSwitch",
            lambda: [messages.delete_link(HOST_PORT)],
        )
        kernel.node.send(self._host_messages(HOST_VNIC, self._vnic_alias), "configure the host vNIC")
        self._settle_wire()
        kernel.switch.send([messages.settled(port) for port in (NIC, HOST_PORT)], "settle the vSwitch")
        kernel.switch.rules(_external_rules(kernel), _REMOVAL)
        kernel.node.rules(local_routed_vip.RULESET, local_routed_vip.REMOVAL)

    def _take_down(self) -> None:
        kernel = self._kernel
        kernel.node.rules(local_routed_vip.REMOVAL)
        kernel.switch.rules(_REMOVAL)
        kernel.switch.send(
            [
                messages.delete_link(HOST_PORT),
                messages.delete_link(BRIDGE),
                messages.move(NIC, kernel.node.netns.fd),
            ],
            "take down the vSwitch",
        )
        kernel.node.send(self._adapter_messages(), "give the adapter back to the host")
        self._settle_wire()

    def _give_back(self) -> None:
        """Undo the adapter's move, whether it had been made or not."""
        self._kernel.switch.revert([messages.move(NIC, self._kernel.node.netns.fd)])
        self._kernel.node.revert([*self._adapter_messages(), *self._route_messages()])

    def _build_again(self) -> None:
        """Undo a take-down, whatever point it got to."""
        kernel = self._kernel
        kernel.node.rules(local_routed_vip.REMOVAL)
        kernel.switch.rules(_REMOVAL)
        kernel.switch.revert([messages.delete_link(HOST_PORT), messages.delete_link(BRIDGE)])
        self._give_back()
        self._build()
        kernel.node.revert(self._route_messages())

    def _lose_routes(self) -> None:
        self._kernel.transaction.undo(setattr, self, "_routes", self._routes)
        self._routes = {}

    def _host_messages(self, index: int, alias: str) -> list[bytes]:
        """Give an interface what makes it the node's: its address and default route."""
        return [
            messages.vnic_up(index, alias, settings=HOST_SETTINGS),
            ip_messages.address(index, self._kernel.interface, VNIC + ROUTE),
            ip_messages.route(DEFAULT_ROUTE, self._kernel.gateway, index, VNIC + DHCP_ROUTE),
        ]

    def _adapter_messages(self) -> list[bytes]:
        return [messages.set_mac(NIC, self._kernel.mac), *self._host_messages(NIC, self._adapter)]

    def _route_messages(self) -> list[bytes]:
        return [ip_messages.route_via(prefix, hop, VNIC + ROUTE, self._mtu) for prefix, hop in self._routes.items()]


TABLE = "external"
OWN_MACS = "own_macs"
"""The set of MACs that leave by the external port as they are."""

_REMOVAL = f"table bridge {TABLE}\ndelete table bridge {TABLE}\n"


def _external_rules(kernel: Kernel) -> str:
    """Return the rules of the external port; endpoints add elements to its maps.

    Out: every frame has the host's MAC, also as ARP's sender, but for those of Transparent networks. In: what
    is for the host's MAC goes to the endpoint whose address, mapped port or block of ports it is for, else to
    the host.
    """
    mac = messages.mac_text(kernel.mac)
    return f"""
table bridge {TABLE} {{
  map endpoints {{ type ipv4_addr : ether_addr; }}
  map mappings {{ type ipv4_addr . inet_proto . inet_service : ether_addr; }}
  map pools {{ type inet_service : ether_addr; }}
  set {OWN_MACS} {{ type ether_addr; }}
  chain IN {{
    type filter hook prerouting priority -200; policy accept;
    iifname "{NIC_NAME}" ether daddr {mac} jump EXTERNAL_IN
  }}
  chain EXTERNAL_IN {{
    meta protocol arp ether daddr set arp daddr ip map @endpoints accept
    ether daddr set ip daddr . ip protocol . th dport map @mappings accept
    ip daddr {kernel.address} ip protocol {{ tcp, udp }} jump POOLS
    ether daddr set ip daddr map @endpoints accept
  }}
  chain POOLS {{
    ether daddr set th dport and {BLOCK_MASK:#x} map @pools accept
  }}
  chain OUT {{
    type filter hook postrouting priority 200; policy accept;
    oifname "{NIC_NAME}" ether saddr @{OWN_MACS} accept
    oifname "{NIC_NAME}" ether saddr set {mac}
    oifname "{NIC_NAME}" meta protocol arp arp saddr ether set {mac}
  }}
}}
"""


Element = tuple[str, str, str]

BLOCK_MASK = 0xFFC0
"""Which part of a port names its OutBoundNAT block: blocks have 64 ports and start at multiples of 64."""


def port_elements(endpoint: EndpointWant, management_ip: IPv4Address) -> list[Element]:
    """Return (map, key, MAC) of what leads from the node's address to an endpoint: ports, its block."""
    mac = messages.mac_text(endpoint.mac)
    elements = [
        ("mappings", f"{mapping.vip or management_ip} . {mapping.protocol} . {mapping.external_port}", mac)
        for mapping in endpoint.policies
        if isinstance(mapping, PortMapping)
        and (mapping.vip or management_ip).version == 4
        and mapping.protocol in (6, 17)
    ]
    if endpoint.pool is not None:
        elements.append(("pools", str(endpoint.pool[0]), mac))
    return elements


def element_script(verb: str, table: str, elements: Sequence[Element]) -> str:
    """Return the script that adds or deletes elements of maps, or of sets where the value is empty."""
    lines = []
    for name, key, value in elements:
        mapping = f" : {value}" if value else ""
        lines.append(f"{verb} element bridge {table} {name} {{ {key}{mapping} }}\n")
    return "".join(lines)


def change_script(table: str, old: Sequence[Element], new: Sequence[Element]) -> str:
    """Return the script that makes elements ``new`` of ``old``."""
    return element_script("delete", table, [e for e in old if e not in new]) + element_script(
        "add", table, [e for e in new if e not in old]
    )
