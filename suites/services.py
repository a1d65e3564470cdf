"""Services of a node as kube-proxy makes them: remote endpoints, a source VIP, and a load balancer a port.

kubernetes/kubernetes pkg/proxy/winkernel: proxier.go, hns.go.
"""

from __future__ import annotations

import itertools
from ipaddress import ip_network
from typing import Any

from suites import documents
from suites.topology import SERVICES, NodeNetwork, Pod, Topology

_cluster_ips = itertools.count(10)


def cluster_ip() -> str:
    """Return an address for a service that was not handed out yet."""
    return str(ip_network(SERVICES)[next(_cluster_ips)])


class Proxy:
    """kube-proxy of one node. What it makes goes with the node's pods."""

    def __init__(self, net: Topology, node: NodeNetwork) -> None:
        self._net = net
        self._node = node
        self._remote: dict[str, str] = {}
        self._made: set[str] = set()
        self.source_vip = node.host.address if net.driver != "Overlay" else self._reserve_source_vip()

    def balance(
        self,
        *backends: Pod | str,
        vip: str = "",
        port: int = 0,
        target: int = 80,
        protocol: int = 6,
        dsr: bool = False,
        flags: int = 0,
        affinity: int = 0,
        source_vip: str = "",
    ) -> str:
        """Make a load balancer of pods, or of endpoints by id; without a VIP it is a node port. Return its id."""
        document = documents.service(
            [one if isinstance(one, str) else self.backend(one) for one in backends],
            vip,
            documents.service_port(protocol, target, port or target, flags, affinity),
            source_vip=source_vip or self.source_vip,
            dsr=dsr,
        )
        made = self._node.hns.create("LoadBalancer", document)
        self._made.add(made)
        self._node.undo(self.remove, made)
        return made

    def replace(self, balancer: str, *backends: Pod | str, **settings: Any) -> str:
        """Delete a load balancer and make it again with other backends, as kube-proxy does at every change."""
        self.remove(balancer)
        return self.balance(*backends, **settings)

    def remove(self, balancer: str) -> None:
        """Delete a load balancer, where it is still there."""
        if balancer in self._made:
            self._made.discard(balancer)
            self._node.hns.delete("LoadBalancer", balancer)

    def backend(self, pod: Pod) -> str:
        """Return the endpoint of a pod on this node: its own, or a remote one, made if need be."""
        if pod.host is self._node.host:
            return pod.endpoint
        if pod.address not in self._remote:
            provider = pod.host.address if self._net.driver == "Overlay" else ""
            self._remote[pod.address] = self._endpoint(documents.kube_proxy_remote(pod.address, provider))
        return self._remote[pod.address]

    def node_backend(self, address: str) -> str:
        """Return the remote endpoint of a process on a node (the API server's, say)."""
        provider = self._node.host.address if self._net.driver == "Overlay" else ""
        return self._endpoint(documents.kube_proxy_remote(address, provider))

    def _reserve_source_vip(self) -> str:
        address = self._node.address()
        self._endpoint(documents.kube_proxy_source_vip(address, self._node.host.mac))
        return address

    def _endpoint(self, document: documents.Document) -> str:
        made = self._node.hns.create("Endpoint", document, network=self._node.network)
        self._node.undo(self._delete_endpoint, made)
        return made

    def _delete_endpoint(self, endpoint: str) -> None:
        """Delete an endpoint, where a test has not done so."""
        if endpoint in self._node.hns.enumerate("Endpoint"):
            self._node.hns.delete("Endpoint", endpoint)
