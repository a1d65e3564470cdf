"""HcnModify…: what each kind of object can be asked, in one table.

Resource and request types: microsoft/hcsshim hcn/hcnnetwork.go, hcnendpoint.go, hcnnamespace.go, and
microsoft/SDN Kubernetes/windows/hns.v2.psm1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.endpoint import Endpoint
from hnsfake.documents.errors import HnsError, InvalidDocumentError
from hnsfake.documents.guest_network_service import GuestNetworkService
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.modify import ModifyRequest, read_modify
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.sdn_route import SdnRoute
from hnsfake.documents.text import read_object
from hnsfake.releases import Feature
from hnsfake.service import (
    endpoint,
    guest_network_service,
    load_balancer,
    namespace,
    network_changes,
    policies,
    subnets,
)
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Noun, Transaction

Handler = Callable[[Transaction, NodeFacts, Any, dict[str, Any]], None]
"""Changes an object as the settings of a request say; raises HnsError."""

REQUEST_TYPES = ("Add", "Remove", "Update", "Refresh")


def _nothing(_tx: Transaction, _facts: NodeFacts, _noun: Any, _settings: dict[str, Any]) -> None:
    """Refresh what is as it should be."""


_ON_POLICIES: Mapping[str, policies.Change] = {
    "Add": policies.added,
    "Remove": policies.removed,
    "Update": policies.updated,
    "Refresh": policies.refreshed,
}
_TABLE: Mapping[tuple[type[Noun], str, str], Handler] = {
    **{
        (Network, "Policy", request): partial(network_changes.change_policies, change)
        for request, change in _ON_POLICIES.items()
    },
    # The script has a function for Update alone, and one that takes any request type.  # unverified: what those do
    (Network, "DNS", "Add"): partial(network_changes.change_dns, DnsSettings.with_added),
    (Network, "DNS", "Remove"): partial(network_changes.change_dns, DnsSettings.without),
    (Network, "DNS", "Update"): partial(network_changes.change_dns, lambda _before, given: given),
    (Network, "DNS", "Refresh"): _nothing,
    (Network, "Extension", "Update"): network_changes.change_extension,
    (Network, "Subnet", "Add"): subnets.add,
    (Network, "Subnet", "Remove"): subnets.remove,
    (Network, "IPSubnet", "Add"): subnets.add_ip_subnets,
    (Network, "IPSubnet", "Remove"): subnets.remove_ip_subnets,
    **{
        (Endpoint, "Policy", request): partial(endpoint.change_policies, change)
        for request, change in _ON_POLICIES.items()
    },
    (Endpoint, "Port", "Add"): endpoint.add_port,
    (Endpoint, "Port", "Remove"): endpoint.remove_port,
    (Namespace, "Endpoint", "Add"): namespace.add_endpoint,
    (Namespace, "Endpoint", "Remove"): namespace.remove_endpoint,
    (Namespace, "Container", "Add"): namespace.add_container,
    (Namespace, "Container", "Remove"): namespace.remove_container,
    (GuestNetworkService, "State", "Update"): guest_network_service.set_state,
}
HANDLERS = {(kind, resource.lower(), request.lower()): handler for (kind, resource, request), handler in _TABLE.items()}
"""By kind of object, resource type and request type, both in lower case.  # unverified: that case is no matter"""

WHOLE: Mapping[type[Noun], Handler] = {LoadBalancer: load_balancer.replace_with}
"""Kinds that take a whole new document instead (microsoft/hcsshim hcn/hcnloadbalancer.go)."""

_SINCE: Mapping[type[Noun], Feature | None] = {
    # E_NOTIMPL tells kube-proxy to delete and create (microsoft/hcsshim hcn/hcnglobals.go, kubernetes/kubernetes
    # pkg/proxy/winkernel).
    LoadBalancer: Feature.MODIFY_LOAD_BALANCER,
    # unverified: no public client calls it; HcnModifyLoadBalancer was exported long before it was implemented.
    SdnRoute: None,
}
"""With what HNS came to implement functions that it had exported before; None: it never did."""


def modify(tx: Transaction, facts: NodeFacts, noun: Noun, document: bytes | str) -> None:
    """Carry out the request in ``document``; raise HnsError."""
    _check_implemented(facts, type(noun))
    whole = WHOLE.get(type(noun))
    if whole is not None:
        whole(tx, facts, noun, _unwrapped(read_object(document)))
        return
    request = read_modify(document, facts.unknown)
    _handler(type(noun), request)(tx, facts, noun, request.Settings)


def _check_implemented(facts: NodeFacts, kind: type[Noun]) -> None:
    since = _SINCE.get(kind)
    if kind in _SINCE and (since is None or not facts.release.supports(since)):
        raise HnsError(HResult.E_NOTIMPL)


def _handler(kind: type[Noun], request: ModifyRequest) -> Handler:
    try:
        return HANDLERS[kind, request.ResourceType.lower(), request.RequestType.lower()]
    except KeyError:
        pass
    resources = {resource for of, resource, _ in HANDLERS if of is kind}
    if request.ResourceType.lower() in resources and request.RequestType.lower() not in map(str.lower, REQUEST_TYPES):
        raise InvalidDocumentError("RequestType")  # unverified: that a word that is none is told from one that is
    raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)


def _unwrapped(document: dict[str, Any]) -> dict[str, Any]:
    """Return the new document of a request that is wrapped like the others' (hns.v2.psm1 Modify-HnsLoadBalancer)."""
    members = {key.lower(): value for key, value in document.items()}
    settings = members.get("settings")
    return settings if "requesttype" in members and isinstance(settings, dict) else document
