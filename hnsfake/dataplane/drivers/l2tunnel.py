"""L2Tunnel: as L2Bridge, but what a pod sends goes up to the fabric first, also to a pod of the same node.

The fabric (in a cloud: the virtualization host, which applies its own policies) sends it back
(MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies). It has to know where pods
are, and to answer their ARP.  # unverified: that the node itself is reached by way of the fabric too
"""

from __future__ import annotations

from hnsfake.dataplane import messages
from hnsfake.dataplane.drivers.l2bridge import L2Bridge
from hnsfake.dataplane.interface import EndpointWant, NetworkWant
from hnsfake.dataplane.kernel import Kernel
from hnsfake.dataplane.switch import HOST_PORT_NAME, NIC_NAME, ExternalSwitch, element_script


class L2Tunnel(L2Bridge):
    """A network of type L2Tunnel; by the names of its ports the switch knows which frames have to go up."""

    def __init__(self, kernel: Kernel, switch: ExternalSwitch, network: NetworkWant) -> None:
        super().__init__(kernel, switch, network)
        self._number = next(kernel.indexes)

    def create(self) -> None:
        """Use the adapter's switch, and keep the network's ports from each other."""
        super().create()
        self._kernel.switch.rules(self._rules, self._no_rules)

    def delete(self) -> None:
        """Take that back."""
        self._kernel.switch.rules(self._no_rules, self._rules)
        super().delete()

    def port_name(self, index: int) -> str:
        """Return the port's kernel name."""
        return f"t{self._number}p{index}"

    def connect(self, endpoint: EndpointWant) -> None:
        """Let the endpoint's answers from load balancers come to it."""
        super().connect(endpoint)
        self._lead("add", "delete", endpoint)

    def disconnect(self, endpoint: EndpointWant) -> None:
        """Take that back."""
        self._lead("delete", "add", endpoint)
        super().disconnect(endpoint)

    def _lead(self, verb: str, opposite: str, endpoint: EndpointWant) -> None:
        mac = messages.mac_text(endpoint.mac)
        elements = [("endpoints", str(i.ip), mac) for i in endpoint.addresses if i.version == 4 and not endpoint.remote]
        self._kernel.switch.rules(*(element_script(word, self._table, elements) for word in (verb, opposite)))

    @property
    def _table(self) -> str:
        return f"tunnel{self._number}"

    @property
    def _rules(self) -> str:
        """Let ports exchange frames with the external port alone, and with the host's what policies hand to it.

        A policy's frame needs no ARP; without ARP a pod finds the node by way of the fabric, and the node the pod.
        What the host's load balancer sends back has a service's address, which the fabric wouldn't carry.
        """
        ports, host = f'"t{self._number}p*"', f'"{HOST_PORT_NAME}"'
        return f"""
table bridge {self._table} {{
  map endpoints {{ type ipv4_addr : ether_addr; }}
  chain BALANCED {{
    type filter hook prerouting priority -200; policy accept;
    iifname {host} ip saddr != {self._kernel.address} ether daddr set ip daddr map @endpoints
  }}
  chain FORWARD {{
    type filter hook forward priority 0; policy accept;
    iifname {ports} oifname "{NIC_NAME}" accept
    oifname {ports} iifname "{NIC_NAME}" accept
    iifname {ports} oifname {host} meta protocol != arp accept
    oifname {ports} iifname {host} meta protocol != arp accept
    iifname {ports} drop
    oifname {ports} drop
  }}
}}
"""

    @property
    def _no_rules(self) -> str:
        return f"table bridge {self._table}\ndelete table bridge {self._table}\n"
