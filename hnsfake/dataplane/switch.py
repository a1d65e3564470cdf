"""The external vSwitch of a node's adapter: one bridge for all networks on it.

The first network moves the NIC into the switch, and a host vNIC takes over its MAC, address and routes; the
last one gives them back (MicrosoftDocs/Virtualization-Documentation container-networking/architecture).
"""

from __future__ import annotations

from contextlib import ExitStack
from ipaddress import IPv4Address

from hnsfake.dataplane import messages
from hnsfake.dataplane.fabric import DEFAULT_ROUTE
from hnsfake.dataplane.interface import EndpointWant
from hnsfake.dataplane.kernel import HOST_SETTINGS, NIC, Kernel
from hnsfake.dataplane.netlink import NO_DEVICE, NetlinkError
from hnsfake.documents.policies import PortMapping

BRIDGE, HOST_PORT, HOST_VNIC = 10, 11, 3
NIC_NAME, VNIC_NAME = "nic0", "vnic0"
_PORT_MAC = "02-00-00-00-00-02"  # the external port's own; on the wire frames have the host's


class ExternalSwitch:
    """The switch of one adapter, there while networks use it."""

    def __init__(self, kernel: Kernel, adapter: str) -> None:
        self._kernel = kernel
        self._adapter = adapter
        self._users: set[str] = set()
        self._forwarding_asked = False
        self._nat_networks: set[str] = set()

    @property
    def host_index(self) -> int:
        """The number of the interface that has the node's address."""
        return HOST_VNIC if self._users else NIC

    @property
    def host_alias(self) -> str:
        """Windows' name of the interface that has the node's address."""
        return f"vEthernet ({self._adapter})" if self._users else self._adapter

    def acquire(self, network_id: str) -> None:
        """Use the switch for a network; raise DataplaneError and leave all as it was."""
        if not self._users:
            with ExitStack() as undo:
                self._build(undo)
                undo.pop_all()
        self._users.add(network_id)

    def release(self, network_id: str) -> None:
        """End a network's use of the switch."""
        self._users.discard(network_id)
        if not self._users:
            self._take_down()

    def host_messages(self, index: int, alias: str) -> list[bytes]:
        """Give an interface what makes it the node's: its address and default route."""
        settings = {**HOST_SETTINGS, messages.FORWARDING: int(self.forwarding)}
        return [
            messages.vnic_up(index, alias, settings=settings),
            messages.address(index, self._kernel.interface),
            messages.route(DEFAULT_ROUTE, self._kernel.gateway, index),
        ]

    def set_forwarding(self, on: bool) -> None:
        """Let the node's stack forward what comes in by the host's interface, as Set-NetIPInterface does."""
        self._forwarding_asked = on
        self._apply_forwarding()

    def acquire_forwarding(self, network_id: str) -> None:
        """Forward for a NAT network, whose answers come in by the host's interface."""
        self._nat_networks.add(network_id)
        self._apply_forwarding()

    def release_forwarding(self, network_id: str) -> None:
        """End ``acquire_forwarding``."""
        self._nat_networks.discard(network_id)
        self._apply_forwarding()

    @property
    def forwarding(self) -> bool:
        """Whether the host's interface forwards."""
        return self._forwarding_asked or bool(self._nat_networks)

    def _apply_forwarding(self) -> None:
        self._kernel.in_node(
            [messages.configure(self.host_index, {messages.FORWARDING: int(self.forwarding)})],
            "set forwarding",
        )

    def _build(self, undo: ExitStack) -> None:
        kernel = self._kernel
        undo.callback(self._take_down)
        kernel.in_switch([messages.bridge("vswitch", BRIDGE), messages.vnic_up(BRIDGE)], "make the vSwitch")
        kernel.in_node([messages.move(NIC, kernel.switch.fd)], "move the adapter into the vSwitch")
        kernel.in_switch(
            [
                messages.set_mac(NIC, _PORT_MAC),
                messages.into_bridge(NIC, BRIDGE),
                messages.external_port(NIC),
                messages.veth("host", HOST_PORT, VNIC_NAME, HOST_VNIC, kernel.mac, kernel.node.fd),
                messages.into_bridge(HOST_PORT, BRIDGE),
                messages.quiet_port(HOST_PORT),
                messages.forward_to_port(kernel.mac, HOST_PORT),
            ],
            "connect the host to the vSwitch",
        )
        kernel.in_node(self.host_messages(HOST_VNIC, f"vEthernet ({self._adapter})"), "configure the host vNIC")
        kernel.switch_rules(_external_rules(kernel))

    def _take_down(self) -> None:
        """Reverse of ``_build``, from whatever point it got to."""
        kernel = self._kernel
        kernel.switch_rules(f"table bridge {TABLE}\ndelete table bridge {TABLE}\n")
        for index in (HOST_PORT, BRIDGE):
            _if_there(kernel, messages.delete_link(index))
        _if_there(kernel, messages.move(NIC, kernel.node.fd))
        kernel.in_node(
            [
                messages.set_mac(NIC, kernel.mac),
                *self.host_messages(NIC, self._adapter),
            ],
            "give the adapter back to the host",
        )


TABLE = "external"


def _external_rules(kernel: Kernel) -> str:
    """Return the rules of the external port; endpoints add elements to its maps.

    Out: every frame has the host's MAC, also as ARP's sender. In: what is for the host's MAC goes to the
    endpoint whose address, mapped port or block of ports it is for, else to the host.
    """
    mac = messages.mac_text(kernel.mac)
    return f"""
table bridge {TABLE} {{
  map endpoints {{ type ipv4_addr : ether_addr; }}
  map mappings {{ type ipv4_addr . inet_proto . inet_service : ether_addr; }}
  map pools {{ type inet_service : ether_addr; }}
  chain IN {{
    type filter hook prerouting priority -200; policy accept;
    iifname "{NIC_NAME}" ether daddr {mac} jump EXTERNAL_IN
  }}
  chain EXTERNAL_IN {{
    ether type arp ether daddr set arp daddr ip map @endpoints accept
    ether daddr set ip daddr . ip protocol . th dport map @mappings accept
    ip daddr {kernel.address} ip protocol {{ tcp, udp }} jump POOLS
    ether daddr set ip daddr map @endpoints accept
  }}
  chain POOLS {{
    ether daddr set th dport and {BLOCK_MASK:#x} map @pools accept
  }}
  chain OUT {{
    type filter hook postrouting priority 200; policy accept;
    oifname "{NIC_NAME}" ether saddr set {mac}
    oifname "{NIC_NAME}" ether type arp arp saddr ether set {mac}
  }}
}}
"""


BLOCK_MASK = 0xFFC0
"""Which part of a port names its OutBoundNAT block: blocks have 64 ports and start at multiples of 64."""


def port_elements(endpoint: EndpointWant, management_ip: IPv4Address) -> list[tuple[str, str, str]]:
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


def element_script(verb: str, table: str, elements: list[tuple[str, str, str]]) -> str:
    """Return the script that adds or deletes elements of maps, or of sets where the value is empty."""
    lines = []
    for name, key, value in elements:
        mapping = f" : {value}" if value else ""
        lines.append(f"{verb} element bridge {table} {name} {{ {key}{mapping} }}\n")
    return "".join(lines)


def _if_there(kernel: Kernel, message: bytes) -> None:
    """Send a message whose object may be gone already."""
    try:
        kernel.in_switch([message], "take down the vSwitch")
    except NetlinkError as error:
        if error.number != NO_DEVICE:
            raise
