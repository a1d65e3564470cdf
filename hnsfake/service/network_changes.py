"""What can be changed of a network but its subnets: policies, name servers, extensions of its switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.network import POLICIES, ExtensionState, IPNetwork, Network
from hnsfake.documents.policies import RemoteSubnetRoute
from hnsfake.documents.policies.record import PolicyRecord, read_v2
from hnsfake.documents.schema import DnsObject
from hnsfake.documents.switch_extensions import available, extension_states, read_extensions
from hnsfake.documents.translation.dns import read_dns
from hnsfake.documents.translation.network import read_network
from hnsfake.service import network_checks, policies, policy_support
from hnsfake.service.node_facts import NodeFacts
from hnsfake.service.state import Transaction

Settings = dict[str, Any]


def change_policies(
    change: policies.Change, tx: Transaction, facts: NodeFacts, network: Network, settings: Settings
) -> None:
    """Add, remove, replace or keep policies (microsoft/hcsshim hcn/hcnnetwork.go)."""
    given = policies.read_settings(settings, facts.unknown, lambda p: read_v2(p.Type, p.Settings, POLICIES))
    policy_support.check(facts, "NetworkPolicy", given)
    after = change(network.policies, given)
    if change is policies.added:
        _check_new_routes(network, given)
    policy_support.note_all(facts, given)
    _put(tx, replace(network, policies=after))


def change_dns(
    change: Callable[[DnsSettings, DnsSettings], DnsSettings],
    tx: Transaction,
    facts: NodeFacts,
    network: Network,
    settings: Settings,
) -> None:
    """Change the name servers (microsoft/SDN Kubernetes/windows/hns.v2.psm1 Modify-HnsNetworkDNS)."""
    given = read_dns(DnsObject.read(settings, facts.unknown))
    _put(tx, replace(network, dns=change(network.dns, given)))


def change_extension(tx: Transaction, facts: NodeFacts, network: Network, settings: Settings) -> None:
    """Switch an extension on or off (microsoft/SDN Kubernetes/windows/hns.v2.psm1 Update-HnsNetworkExtension)."""
    asked = read_extensions([ExtensionState.read(settings, facts.unknown)])
    _put(tx, _with_extensions(tx, network, asked))


def update_v1(tx: Transaction, facts: NodeFacts, network: Network, document: Mapping[str, Any]) -> None:
    """Carry out POST /networks/{id}: a partial document; what it doesn't name stays.

    Antrea switches an extension on with nothing but ``Extensions`` (antrea-io/antrea pkg/agent/util).  # unverified:
    what HNS does with a changed type, prefix or adapter; here such members are read and have no effect
    """
    given = read_network(
        {key: value for key, value in document.items() if key.lower() != "schemaversion"}, facts.unknown
    )
    network_checks.check_release(facts, given)
    names = {key.lower() for key in document}
    changes: dict[str, Any] = {}
    if given.name:
        changes["name"] = given.name
    if "policies" in names:
        changes["policies"] = given.policies
    if names & {"dnssuffix", "dnsserverlist"}:
        changes["dns"] = given.dns
    if "additionalparams" in names:
        changes["additional_params"] = given.additional_params
    changed = _with_extensions(tx, replace(network, **changes), given.extensions)
    network_checks.check(changed)
    network_checks.check_name(tx, network.id, given.name)
    network_checks.note(facts, given)
    tx.put(changed)


def _put(tx: Transaction, network: Network) -> None:
    network_checks.check(network)
    tx.put(network)


def _with_extensions(tx: Transaction, network: Network, asked: tuple[tuple[str, bool], ...]) -> Network:
    before = extension_states(network)
    new = {extension: on for extension, on in asked if before.get(extension) is not on}
    if not set(new) <= available(network.version):
        raise HnsError(HResult.HCN_E_SWITCH_EXTENSION_NOT_FOUND)
    sharing = [other for other in tx.all(Network) if other.switch_id == network.switch_id]
    if new and len(sharing) > 1:
        raise HnsError(HResult.HCN_E_SHARED_SWITCH_MODIFICATION)  # unverified: that extensions are meant by its text
    return replace(network, extensions=tuple({**dict(network.extensions), **new}.items()))


def _check_new_routes(network: Network, given: tuple[PolicyRecord, ...]) -> None:
    known = {_route_key(record) for record in network.policies} - {None}
    if any(_route_key(record) in known for record in given):
        raise HnsError(HResult.HCN_E_POLICY_ALREADY_EXISTS)  # unverified: clients remove before they add


def _route_key(record: PolicyRecord) -> tuple[IPNetwork, int] | None:
    route = record.typed
    if not isinstance(route, RemoteSubnetRoute):
        return None
    return ip_network(route.destination_prefix), route.isolation_id
