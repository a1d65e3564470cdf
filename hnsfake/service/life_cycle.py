"""What outlives a restart of the service, and what a reboot of its node.

The objects of HNS are in its store and come back: load balancers after a restart (kubernetes/kubernetes#139519),
networks after a reboot (ovn-kubernetes/ovn-kubernetes#429), and endpoints of containers that the reboot ended, which
still hold their addresses (moby/moby#47576).
"""

from __future__ import annotations

from hnsfake.documents.compute_system import ComputeSystem
from hnsfake.documents.guest_network_service import GuestNetworkService, PortReservation
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.namespace import Namespace, NamespaceType
from hnsfake.documents.network import Network
from hnsfake.service import compute_system, guest_network_service, namespace, network
from hnsfake.service import endpoint as endpoints
from hnsfake.service.state import Transaction


def restart(tx: Transaction) -> None:
    """Forget what hangs on handles. Endpoints stay, though some clients' are gone (projectcalico/calico#5164)."""
    for reservation in list(tx.all(PortReservation)):
        tx.drop(reservation)


def crash(tx: Transaction) -> None:
    """Forget what hangs on handles, and load balancers: they don't come back (kubernetes/kubernetes#110849)."""
    restart(tx)
    for balancer in list(tx.all(LoadBalancer)):
        tx.drop(balancer)


def reboot(tx: Transaction) -> None:
    """Forget what ran: containers, virtual machines, and the compartments made for them.

    unverified: that namespaces go, as their compartments do; that endpoints attached to the host are still so.
    """
    restart(tx)
    for system in list(tx.all(ComputeSystem)):
        compute_system.end(tx, system)
    for service in list(tx.all(GuestNetworkService)):
        guest_network_service.delete(tx, service)
    for one in list(tx.all(Namespace)):
        if one.type is NamespaceType.HOST_DEFAULT:
            endpoints.set_containers(tx, one, ())
        else:
            namespace.delete(tx, one)
    for each in list(tx.all(Network)):
        if not each.persistent:
            network.delete(tx, each)
