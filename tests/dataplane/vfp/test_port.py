"""The script of a port: it loads whatever the policies, and ports in one compartment do not meet."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv6Interface
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hnsfake.dataplane import messages, netlink, nftables
from hnsfake.dataplane.vfp import port
from hnsfake.documents.policies import Acl, OutboundNat, Policy, PortMapping, SdnRoute

from .cable import POD, WORLD, Cable

pytestmark = pytest.mark.ours("the script that our data plane makes of a port")

_prefixes = st.lists(
    st.one_of(st.ip_addresses().map(str), st.sampled_from(["10.0.0.0/8", "10.1.0.0/16", "::/0", "0.0.0.0/0"])),
    max_size=6,
).map(",".join)
_port = st.integers(0, 65535)
_ports = st.lists(
    st.one_of(_port.map(str), st.tuples(_port, _port).map(lambda ends: f"{min(ends)}-{max(ends)}")),
    max_size=4,
).map(",".join)
_address = st.one_of(st.just(""), st.ip_addresses().map(str))


def _policies(kind: type[Policy], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Policy]:
    return st.fixed_dictionaries({}, optional=fields).map(kind.from_v2)


_acl = st.fixed_dictionaries(
    {"Action": st.sampled_from(["Allow", "Block", "Pass"]), "Direction": st.sampled_from(["In", "Out"])},
    optional={
        "Id": st.text(max_size=200),
        "RuleType": st.sampled_from(["Host", "Switch"]),
        "Priority": _port,
        "Protocols": st.lists(st.integers(0, 256).map(str), max_size=4).map(",".join),
        "LocalAddresses": _prefixes,
        "RemoteAddresses": _prefixes,
        "LocalPorts": _ports,
        "RemotePorts": _ports,
    },
).map(Acl.from_v2)


def _sdn_routes(version: Literal[4, 6]) -> st.SearchStrategy[SdnRoute]:
    addresses = st.ip_addresses(v=version).map(str)
    fields = {"NextHop": st.just("") | addresses, "NeedEncap": st.booleans()}
    return st.fixed_dictionaries({"DestinationPrefix": addresses}, optional=fields).map(SdnRoute.from_v2)


_any_policy = st.one_of(
    _acl,
    _policies(OutboundNat, VirtualIP=_address, Exceptions=_prefixes, Destinations=_prefixes),
    _policies(PortMapping, Protocol=st.integers(0, 256), InternalPort=_port, ExternalPort=_port, VIP=_address),
    st.one_of(_sdn_routes(4), _sdn_routes(6)),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(policies=st.lists(_any_policy, max_size=6) | st.lists(_acl, min_size=10, max_size=20))
def test_any_policies_load(cable: Cable, policies: list[Policy]) -> None:
    cable.load(*policies)


def test_policies_load_at_a_port_that_has_ipv6_alone(cable: Cable) -> None:
    context = cable.with_policies([OutboundNat.from_v2({"Destinations": ["10.0.0.0/8"]}), OutboundNat()])
    alone = replace(context, endpoint=replace(context.endpoint, addresses=(IPv6Interface("fd00:1::10/64"),)))
    cable.sandbox.run(cable.pod, nftables.run, port.ruleset(alone))


def test_a_port_without_policies_needs_no_tables(cable: Cable) -> None:
    assert cable.script([]) == ""


def test_removal_leaves_nothing(cable: Cable) -> None:
    for policies in ([], [Acl.from_v2({"Action": "Block", "Direction": "Out"})]):
        cable.load(*policies)
        cable.sandbox.run(cable.pod, nftables.run, port.removal(cable.context))
        listed = cable.sandbox.run(cable.pod, nftables.listing)["nftables"]
        assert [entry for entry in listed if "metainfo" not in entry] == []


def test_another_port_of_the_compartment_is_left_alone(cable: Cable) -> None:
    other = replace(cable.with_policies([Acl.from_v2({"Action": "Block", "Direction": "Out"})]), interface="eth1")
    request = messages.veth("eth1", 20, "eth2", 21, "00-15-5D-01-00-20", cable.pod.fd)
    cable.sandbox.run(cable.pod, netlink.send, [request], "make a second vNIC")
    cable.load(OutboundNat())
    cable.sandbox.run(cable.pod, nftables.run, port.ruleset(other))
    receiver = cable.udp(cable.world, WORLD[0], 7000)
    cable.udp(cable.pod, POD).sendto(b"through", (WORLD[0], 7000))
    assert receiver.recv(16) == b"through"
