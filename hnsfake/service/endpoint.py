"""What HNS does with endpoints: checks, what it fills in, policies, attaching and detaching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.documents import guids
from hnsfake.documents.endpoint import (
    POLICIES,
    Endpoint,
    EndpointState,
)
from hnsfake.documents.errors import HnsError, NotFoundError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.modify import VmPort
from hnsfake.documents.namespace import Namespace
from hnsfake.documents.network import Network
from hnsfake.documents.policies.record import read_v2
from hnsfake.documents.translation.endpoint import endpoint_v1, endpoint_v2, read_endpoint
from hnsfake.service import claims, endpoint_addresses, endpoint_policies, policies, policy_support, pools
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

kind = Endpoint
not_found = HResult.HCN_E_ENDPOINT_NOT_FOUND
_POLICY = "EndpointPolicy"
DEFAULT_NAME = "Ethernet"
"""What an endpoint without a name is called (projectcalico/calico#4682)."""


def create(tx: Transaction, facts: NodeFacts, document: Mapping[str, Any], object_id: str | None) -> str:
    """Make an endpoint from its document, which names its network; return its id."""
    asked = read_endpoint(document, facts.unknown)
    policy_support.check(facts, _POLICY, asked.policies)
    network = _network_of(tx, asked)
    endpoint_addresses.check(facts, asked, network)
    endpoint_policies.check(facts, asked, network)
    endpoint = _identified(asked, object_id or asked.id or guids.new(), network, facts)
    _check_free(tx, endpoint, network)
    endpoint = endpoint_addresses.completed(tx, facts, endpoint, network)
    endpoint = _with_mac(tx, facts, endpoint, network)
    tx.put(endpoint_policies.completed(tx, facts, endpoint))
    return endpoint.id


def change_policies(
    change: policies.Change, tx: Transaction, facts: NodeFacts, endpoint: Endpoint, settings: dict[str, Any]
) -> None:
    """Add, remove, replace or keep policies (microsoft/hcsshim hcn/hcnendpoint.go)."""
    given = policies.read_settings(settings, facts.unknown, lambda p: read_v2(p.Type, p.Settings, POLICIES))
    policy_support.check(facts, _POLICY, given)
    _put_changed(tx, facts, replace(endpoint, policies=change(endpoint.policies, given)))


def add_port(_tx: Transaction, facts: NodeFacts, endpoint: Endpoint, settings: dict[str, Any]) -> None:
    """Refuse to make a switch port for a virtual machine: a node has none.  # unverified: the code of one not there."""
    VmPort.read(settings, facts.unknown)
    check_local(endpoint)
    raise HnsError(HResult.HCN_E_REQUEST_UNSUPPORTED)


def remove_port(tx: Transaction, _facts: NodeFacts, endpoint: Endpoint, _settings: dict[str, Any]) -> None:
    """Take an endpoint off its switch port (microsoft/SDN Kubernetes/windows/hns.v2.psm1 Remove-HnsEndpointVmPort)."""
    detach(tx, endpoint)


def update_v1(tx: Transaction, facts: NodeFacts, endpoint: Endpoint, document: Mapping[str, Any]) -> None:
    """Carry out POST /endpoints/{id}: a partial document.

    Policies given replace those of their types, the others stay: Felix posts ``{ID, Policies: [ACL…]}`` and
    counts on NAT and routes staying (projectcalico/calico felix/dataplane/windows).
    """
    given = read_endpoint(document, facts.unknown)
    policy_support.check(facts, _POLICY, given.policies)
    names = {key.lower() for key in document}
    changes: dict[str, Any] = {}
    if "policies" in names:
        changes["policies"] = policies.updated(endpoint.policies, given.policies)
    if names & {"dnssuffix", "dnsserverlist", "dnsdomain"}:
        changes["dns"] = given.dns
    if "name" in names and given.name:
        changes["name"] = given.name
    _put_changed(tx, facts, replace(endpoint, **changes))


def delete(tx: Transaction, endpoint: Endpoint) -> None:
    """Remove an endpoint, out of its namespace first."""
    if endpoint.namespace_id:
        endpoint = leave_namespace(tx, endpoint)
    tx.drop(endpoint)


def check_local(endpoint: Endpoint) -> None:
    """Refuse an endpoint that stands for one of another node; raise HnsError."""
    if endpoint.remote:
        raise HnsError(HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION)


def join_namespace(tx: Transaction, endpoint: Endpoint, namespace: Namespace) -> None:
    """Put an endpoint into a namespace: its vNIC appears in the compartment."""
    check_local(endpoint)
    if endpoint.namespace_id == namespace.id:
        # containernetworking/plugins' ADD may be repeated: it finds its endpoint and adds it again, and takes any error
        # for a failure (pkg/hns/endpoint_windows.go).  # unverified
        return
    if endpoint.namespace_id or endpoint.compartment is not None:
        raise HnsError(HResult.HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS)
    tx.put(replace(namespace, endpoints=(*namespace.endpoints, endpoint.id)))
    tx.put(
        replace(
            endpoint,
            namespace_id=namespace.id,
            compartment=namespace.compartment,
            state=EndpointState.ATTACHED_SHARING,
            containers=namespace.containers,
        )
    )


def leave_namespace(tx: Transaction, endpoint: Endpoint) -> Endpoint:
    """Take an endpoint out of its namespace; return it detached."""
    namespace = tx.find(Namespace, endpoint.namespace_id)
    detached = _detached(endpoint)
    tx.put(detached)
    if namespace is not None:
        tx.put(replace(namespace, endpoints=tuple(e for e in namespace.endpoints if e != endpoint.id)))
    return detached


def attach_host(tx: Transaction, endpoint: Endpoint, compartment: int) -> None:
    """Carry out v1's attach with SystemType Host (hcsshim internal/hns/hnsendpoint.go)."""
    check_local(endpoint)
    if endpoint.compartment is not None:
        raise HnsError(HResult.HCN_E_ENDPOINT_ALREADY_ATTACHED)
    number = compartment or HOST_COMPARTMENT
    if number not in tx.compartments():
        raise NotFoundError(HResult.ERROR_NOT_FOUND)
    tx.put(replace(endpoint, compartment=number, state=EndpointState.ATTACHED))


def attach_container(tx: Transaction, endpoint: Endpoint, compartment: int, container: str) -> None:
    """Give a container's compartment the endpoint's vNIC; raise HnsError where the container has outlived it."""
    if compartment not in tx.compartments():
        raise HnsError(HResult.HCN_E_NAMESPACE_ATTACH_FAILED)  # unverified: the code
    tx.put(replace(endpoint, compartment=compartment, state=EndpointState.ATTACHED, containers=(container,)))


def share(tx: Transaction, endpoint: Endpoint, container: str) -> None:
    """Let one more container have an endpoint that is attached already."""
    containers = (*endpoint.containers, container)
    tx.put(replace(endpoint, state=EndpointState.ATTACHED_SHARING, containers=containers))


def unshare(tx: Transaction, endpoint: Endpoint, container: str) -> None:
    """Take a container off an endpoint, which is detached when it was the last, unless a namespace has it."""
    left = tuple(one for one in endpoint.containers if one != container)
    tx.put(replace(endpoint, containers=left) if left or endpoint.namespace_id else _detached(endpoint))


def set_containers(tx: Transaction, namespace: Namespace, containers: tuple[str, ...]) -> None:
    """Change a namespace's containers; its endpoints show them as SharedContainers (prometheus windows_exporter)."""
    tx.put(replace(namespace, containers=containers))
    for endpoint_id in namespace.endpoints:
        endpoint = tx.find(Endpoint, endpoint_id)
        if endpoint is not None:
            tx.put(replace(endpoint, containers=containers))


def detach(tx: Transaction, endpoint: Endpoint) -> None:
    """Carry out v1's detach."""
    if endpoint.namespace_id:
        leave_namespace(tx, endpoint)
    elif endpoint.compartment is not None:
        tx.put(_detached(endpoint))
    else:
        raise HnsError(HResult.ERROR_NOT_FOUND)  # unverified: the code for an endpoint that isn't attached


def vacate(tx: Transaction, compartment: int) -> None:
    """Detach what is still in a compartment that is about to go."""
    if compartment == HOST_COMPARTMENT:
        return
    for endpoint in list(tx.all(Endpoint)):
        if endpoint.compartment == compartment:
            detach(tx, endpoint)


def show_v1(tx: Transaction, endpoint: Endpoint) -> dict[str, Any]:
    """Return the endpoint's v1 document."""
    return endpoint_v1(endpoint, tx.network(endpoint.network_id))


def show_v2(tx: Transaction, endpoint: Endpoint, detailed: bool) -> dict[str, Any]:
    """Return the endpoint's v2 document."""
    return endpoint_v2(endpoint, tx.network(endpoint.network_id), detailed)


def _put_changed(tx: Transaction, facts: NodeFacts, endpoint: Endpoint) -> None:
    endpoint_policies.check(facts, endpoint, tx.network(endpoint.network_id))
    endpoint_policies.check_free(tx, endpoint)
    tx.put(endpoint_policies.completed(tx, facts, endpoint))


def _check_free(tx: Transaction, endpoint: Endpoint, network: Network) -> None:
    """Refuse what another endpoint has: id, address, MAC, port."""
    if tx.find(Endpoint, endpoint.id) is not None:
        raise HnsError(HResult.ERROR_ALREADY_EXISTS)  # as for networks
    endpoint_addresses.check_free(tx, endpoint, network)
    if endpoint.mac and not endpoint.remote and tx.claimed(claims.mac(network.id, endpoint.mac)):
        raise HnsError(HResult.ERROR_OBJECT_ALREADY_EXISTS)  # unverified: the code for a duplicate MAC
    endpoint_policies.check_free(tx, endpoint)


def _detached(endpoint: Endpoint) -> Endpoint:
    return replace(endpoint, namespace_id="", compartment=None, containers=(), state=EndpointState.DETACHED)


def _network_of(tx: Transaction, asked: Endpoint) -> Network:
    """Find the network by id or, as Amazon's vpc-eni asks, by name alone."""
    network = tx.find(Network, asked.network_id) if asked.network_id else None
    if network is None and not asked.network_id and asked.network_name:
        network = next((other for other in tx.all(Network) if other.name == asked.network_name), None)
    if network is None:
        raise NotFoundError(HResult.HCN_E_NETWORK_NOT_FOUND)
    return network


def _identified(asked: Endpoint, endpoint_id: str, network: Network, facts: NodeFacts) -> Endpoint:
    return replace(
        asked,
        id=endpoint_id,
        name=asked.name or DEFAULT_NAME,
        network_id=network.id,
        network_name=network.name,
        namespace_id="",
        activity_id=guids.new(),
        version=facts.release.object_version,
        created=facts.now(),
    )


def _with_mac(tx: Transaction, facts: NodeFacts, endpoint: Endpoint, network: Network) -> Endpoint:
    def free(text: str) -> bool:
        return not tx.claimed(claims.mac(network.id, text))

    return endpoint if endpoint.mac else replace(endpoint, mac=pools.mac(network.mac_ranges, free, facts.chooser))
