"""Which policies a release takes, and which of them are taken without any packet noticing."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import LoadBalancer
from hnsfake.documents.policies import (
    AutomaticDns,
    Encryption,
    HostRoute,
    InterfaceConstraint,
    Iov,
    L2Driver,
    L4Proxy,
    L4WfpProxy,
    LayerConstraint,
    NetworkAcl,
    Policy,
    PortName,
    Qos,
    RemoteSubnetRoute,
    SetPolicy,
    SetType,
    SourceMacAddress,
    TierAcl,
    VSwitchExtension,
    VxlanPort,
)
from hnsfake.documents.policies.base import strangers
from hnsfake.documents.policies.record import PolicyRecord
from hnsfake.releases import Feature
from hnsfake.service.node_facts import NodeFacts

log = logging.getLogger("hnsfake.service")

FEATURES: Mapping[type[Policy], Feature] = {
    HostRoute: Feature.HOST_ROUTE,
    L4Proxy: Feature.L4_PROXY,
    L4WfpProxy: Feature.L4_WFP_PROXY,
    NetworkAcl: Feature.NETWORK_ACL,
    RemoteSubnetRoute: Feature.REMOTE_SUBNET,
    SetPolicy: Feature.SET_POLICY,
    TierAcl: Feature.TIER_ACL,
    VxlanPort: Feature.VXLAN_PORT,
}

DHCP = "DHCP"
"""What an endpoint of a network without subnets has to ask."""

_NOT_ENFORCED: Mapping[type | str, str] = {
    AutomaticDns: "endpoints get the name servers of their own document",
    Encryption: "nothing is encrypted",
    InterfaceConstraint: "the adapter is chosen by NetAdapterName, by address, or by the default route",
    Iov: "there is no SR-IOV",
    L2Driver: "there is no other driver",
    L4Proxy: "nothing is redirected",
    L4WfpProxy: "nothing is redirected",
    LayerConstraint: "the layer is that of the adapter",
    LoadBalancer: "nothing is balanced on networks whose ports have no VFP, and nothing of IPv6",
    PortName: "ports have names of the emulator's",
    Qos: "nothing is slowed down",
    SourceMacAddress: "the host's vNIC has the adapter's MAC",
    VSwitchExtension: "extensions don't switch anything on or off",
    # Types of networks, and what is not a policy.
    "ICS": "the host is gateway and translates; it has no DHCP or DNS server",
    DHCP: "an endpoint without an address stays without one until something in it takes one",
}


def _name(subject: type | str) -> str:
    if isinstance(subject, str):
        return subject
    return subject.v2_type if issubclass(subject, Policy) else subject.__name__


NOT_ENFORCED: dict[str, str] = {_name(subject): lack for subject, lack in _NOT_ENFORCED.items()}
"""What is accepted, kept and given back, but without its effect on packets: its name, and what happens instead."""


def check(facts: NodeFacts, where: str, records: Collection[PolicyRecord]) -> None:
    """Refuse policies that the release doesn't have; count what nobody knows.

    Raises HnsError (HCN_E_INVALID_POLICY_TYPE).  # unverified: the code of an older HNS for a newer type
    """
    typed = [record.typed for record in records if record.typed is not None]
    if not all(_supported(facts, policy) for policy in typed):
        raise HnsError(HResult.HCN_E_INVALID_POLICY_TYPE)
    facts.unknown.note(where, [record.type for record in records if record.typed is None])
    for record in records:
        if record.typed is not None:
            facts.unknown.note(_name(type(record.typed)), strangers(record.typed, record.settings))


def note_all(facts: NodeFacts, records: Collection[PolicyRecord]) -> None:
    """Say once what of policies that are taken has no effect."""
    for record in records:
        if record.typed is not None:
            note(facts, type(record.typed))


def note(facts: NodeFacts, subject: type | str) -> None:
    """Say at the first use of a policy, an object or a type of network on a node what packets won't notice of it."""
    if subject in _NOT_ENFORCED and subject not in facts.unenforced:
        facts.unenforced.add(subject)
        log.warning("accepted, not enforced: %s (%s)", _name(subject), _NOT_ENFORCED[subject])


def _supported(facts: NodeFacts, policy: Policy) -> bool:
    feature = FEATURES.get(type(policy))
    if feature is not None and not facts.release.supports(feature):
        return False
    nested = isinstance(policy, SetPolicy) and policy.type is SetType.NESTED_IPSET
    return not nested or facts.release.supports(Feature.NESTED_IP_SET)
