"""ACLs decide as a small model says, for generated rules and real datagrams; and the cases worth a name."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hnsfake.documents.policies import Acl
from hnsfake.documents.policies.acl import Action, Direction, RuleType

from .cable import ECHO, POD, SECOND_POD, WORLD, Cable

CALICO = "projectcalico/calico felix/dataplane/windows/policysets"
SILENT = "VFP drops at the port, behind the sender's stack"
TRACKED = "Firestone, VFP, NSDI 2017: flows are tracked"

UDP = 17
LOCAL, REMOTE = (POD, SECOND_POD), WORLD[:2]
LOCAL_PORTS = {Direction.IN: (1000, 1001), Direction.OUT: (2000, 2001)}
REMOTE_PORTS = (3000, 3001)
LAST = 9999
IP_RECVERR = 11

# The last datagram always gets through: whatever was sent before it has arrived by then, or never will.
LAST_WORD = [
    Acl.from_v2({"Action": "Allow", "Direction": str(way), "Protocols": "17", "RemotePorts": str(LAST), "Priority": 1})
    for way in Direction
]


@dataclass(frozen=True)
class Flow:
    direction: Direction
    local: str
    local_port: int
    remote: str
    remote_port: int


FLOWS = [
    Flow(direction, *ends)
    for direction in Direction
    for ends in product(LOCAL, LOCAL_PORTS[direction], REMOTE, REMOTE_PORTS)
]

_prefixes = st.sampled_from(
    [
        "",
        "203.0.113.1",
        "203.0.113.2/31",
        "203.0.113.0/25,203.0.113.1",
        "203.0.113.1,203.0.113.2,203.0.113.3",
        "10.1.0.10",
        "10.1.0.0/24",
        "10.1.0.10/31,2001:db8::/64",
        "2001:db8::1",
        "0.0.0.0/0",
    ]
)
_ports = st.sampled_from(["", "1000", "1001,2000", "2000-2001", "3000", "3000-3001,3001", "0-65535", "1-2999"])
_acls = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["", "calico-1", 'a"b} # {', "é" * 200]),
        "action": st.sampled_from(Action),
        "direction": st.sampled_from(Direction),
        "protocols": st.sampled_from(["", "256", "6", "17", "6,17", "1", "17,17"]),
        "local_addresses": _prefixes,
        "remote_addresses": _prefixes,
        "local_ports": _ports,
        "remote_ports": _ports,
        "priority": st.sampled_from([100, 200, 200, 300, 65500, 65501]),
    }
).map(lambda settings: Acl(**settings))


def allowed(acls: Iterable[Acl], flow: Flow) -> bool:
    """The model: what the documents say, in the fewest words."""
    valid = [acl for acl in acls if acl.priority <= 65500]
    for acl in sorted(valid, key=lambda acl: (acl.priority, acl.action is not Action.BLOCK)):
        if acl.action is not Action.PASS and _matches(acl, flow):
            return acl.action is Action.ALLOW
    return not valid


def _matches(acl: Acl, flow: Flow) -> bool:
    return (
        acl.direction is flow.direction
        and (not acl.protocols or UDP in acl.protocols)
        and _has(acl.local_addresses, flow.local)
        and _has(acl.remote_addresses, flow.remote)
        and _in(acl.local_ports, flow.local_port)
        and _in(acl.remote_ports, flow.remote_port)
    )


def _has(prefixes: Sequence[object], address: str) -> bool:
    return not prefixes or any(ip_address(address) in ip_network(str(prefix)) for prefix in prefixes)


def _in(ranges: Sequence[tuple[int, int]], port: int) -> bool:
    return not ranges or any(low <= port <= high for low, high in ranges)


class Datagrams:
    """One socket an end, and what has arrived at it."""

    def __init__(self, cable: Cable) -> None:
        pod_ports = [port for ports in LOCAL_PORTS.values() for port in ports]
        self.pod = {end: cable.udp(cable.pod, *end) for end in product(LOCAL, (*pod_ports, LAST))}
        self.world = {end: cable.udp(cable.world, *end) for end in product(REMOTE, (*REMOTE_PORTS, LAST))}

    def send(self, flow: Flow) -> None:
        source, destination = self._ends(flow)
        source.sendto(str(FLOWS.index(flow)).encode(), destination)

    def answer(self, flow: Flow) -> None:
        pod, world = (flow.local, flow.local_port), (flow.remote, flow.remote_port)
        payload = b"answer"
        if flow.direction is Direction.IN:
            self.pod[pod].sendto(payload, world)
        else:
            self.world[world].sendto(payload, pod)

    def arrived(self) -> set[Flow]:
        """Return the flows whose datagrams have arrived, once all that will come has come."""
        self.world[REMOTE[0], LAST].sendto(b"last", (POD, LAST))
        assert self.pod[POD, LAST].recv(16) == b"last"
        self.pod[POD, LAST].sendto(b"last", (REMOTE[0], LAST))
        assert self.world[REMOTE[0], LAST].recv(16) == b"last"
        ends = [*self.pod.values(), *self.world.values()]
        return {FLOWS[int(payload)] for end in ends for payload in _drain(end)}

    def _ends(self, flow: Flow) -> tuple[socket.socket, tuple[str, int]]:
        pod, world = (flow.local, flow.local_port), (flow.remote, flow.remote_port)
        return (self.world[world], pod) if flow.direction is Direction.IN else (self.pod[pod], world)


def _drain(end: socket.socket) -> list[bytes]:
    received = []
    end.setblocking(False)
    try:
        while True:
            received.append(end.recv(64))
    except BlockingIOError:
        return received


@pytest.mark.known("inferred", CALICO + ", microsoft/hcsshim#1059; ties are not published")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acls=st.lists(_acls, max_size=8) | st.lists(_acls, min_size=12, max_size=30))
def test_datagrams_pass_as_the_model_says(cable: Cable, one_cpu: None, acls: list[Acl]) -> None:
    everything = acls and [*acls, *LAST_WORD]
    cable.load(*everything)
    ends = Datagrams(cable)
    try:
        for flow in FLOWS:
            ends.send(flow)
        assert ends.arrived() == {flow for flow in FLOWS if allowed(everything, flow)}
    finally:
        for end in [*ends.pod.values(), *ends.world.values()]:
            end.close()


def acl(action: str, direction: str, priority: int = 100, **settings: str) -> Acl:
    return Acl.from_v2({"Action": action, "Direction": direction, "Priority": priority, **settings})


@pytest.fixture
def ends(cable: Cable, one_cpu: None) -> Datagrams:
    return Datagrams(cable)


@pytest.mark.known("documentation", TRACKED)
@pytest.mark.parametrize("direction", Direction)
def test_answers_of_an_allowed_flow_pass(cable: Cable, ends: Datagrams, direction: Direction) -> None:
    flow = next(flow for flow in FLOWS if flow.direction is direction)
    cable.load(acl("Allow", direction), *LAST_WORD)
    ends.send(flow)
    assert ends.arrived() == {flow}
    ends.answer(flow)
    begun_by = ends.world if direction is Direction.IN else ends.pod
    end = (flow.remote, flow.remote_port) if direction is Direction.IN else (flow.local, flow.local_port)
    begun_by[end].settimeout(5)
    assert begun_by[end].recv(16) == b"answer"


@pytest.mark.known("documentation", "Firestone, VFP, NSDI 2017: flows are reconciled")
def test_a_new_rule_holds_for_flows_that_are_there(cable: Cable, ends: Datagrams) -> None:
    """As VFP reconciles its flows (Firestone, VFP, NSDI 2017)."""
    flow = FLOWS[0]
    cable.load()
    ends.send(flow)
    assert ends.arrived() == {flow}
    cable.load(acl("Block", "In"), *LAST_WORD)
    ends.send(flow)
    assert ends.arrived() == set()
    cable.load()
    ends.send(flow)
    assert ends.arrived() == {flow}


@pytest.mark.known("inferred", "microsoft/Windows-Containers#616: any ACL makes an endpoint deny what none allows")
def test_the_other_direction_is_closed_by_a_rule_for_one(cable: Cable, ends: Datagrams) -> None:
    cable.load(acl("Block", "Out", RemoteAddresses="198.51.100.0/24"), *LAST_WORD)
    for flow in FLOWS:
        ends.send(flow)
    assert ends.arrived() == set()


@pytest.mark.known("inferred", SILENT)
@pytest.mark.parametrize("rule_type", ["Switch", "Host"])
def test_what_is_blocked_on_the_way_out_is_lost_without_a_word(cable: Cable, ends: Datagrams, rule_type: str) -> None:
    cable.load(acl("Block", "Out", RuleType=rule_type, RemotePorts="1-9000"), *LAST_WORD)
    for end in ends.pod.values():
        end.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)  # ask for every error there is
    for flow in FLOWS:
        if flow.direction is Direction.OUT:
            ends.send(flow)  # raises PermissionError, or "no buffer space", if the kernel tells
    assert ends.arrived() == set()


@pytest.mark.known("inferred", SILENT)
def test_ping_that_is_blocked_is_lost_without_a_word(cable: Cable) -> None:
    cable.load(acl("Block", "Out"), acl("Allow", "In", Protocols="1"))
    ping = cable.icmp(cable.pod)
    ping.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)  # as ping(8) does
    assert ping.sendto(ECHO, (WORLD[0], 0)) == len(ECHO)
    outside = cable.icmp(cable.world)
    outside.sendto(ECHO, (POD, 0))
    while True:
        packet, (source, _) = outside.recvfrom(256)
        if packet[20] == 0:
            assert source == POD
            return
        assert packet[20] == 8
        assert source != POD, "the blocked echo has arrived"


@pytest.mark.known("documentation", TRACKED)
def test_tcp_goes_out_and_answers_come_in(cable: Cable) -> None:
    cable.load(acl("Allow", "Out", Protocols="6", RemotePorts="443"))
    listener = cable.server(cable.world, WORLD[0], 443)
    client = cable.client(cable.pod, POD)
    client.connect((WORLD[0], 443))
    accepted, _ = listener.accept()
    with accepted:
        accepted.sendall(b"answer")
        assert client.recv(16) == b"answer"


@pytest.mark.known("client code", CALICO)
def test_host_rules_stand_behind_switch_rules(cable: Cable, ends: Datagrams) -> None:
    """Both must let a flow pass (projectcalico/calico felix adds Host rules beside its Switch rules)."""
    host = [acl("Block", "In", 0, RuleType="Host", LocalPorts="1000")]
    cable.load(acl("Allow", "In"), acl("Allow", "Out"), *host)
    for flow in FLOWS:
        ends.send(flow)
    assert ends.arrived() == {flow for flow in FLOWS if flow.local_port != 1000}
    cable.load(acl("Block", "In", LocalPorts="1001"), acl("Allow", "In", 200), acl("Allow", "Out"), *host)
    for flow in FLOWS:
        ends.send(flow)
    assert ends.arrived() == {flow for flow in FLOWS if flow.direction is Direction.OUT}


@pytest.mark.known("client code", CALICO + ": lists of up to 4000")
def test_thousands_of_addresses_in_one_rule(cable: Cable, ends: Datagrams) -> None:
    """Clients cut their lists at 4,000 (projectcalico/calico felix)."""
    many = [str(IPv4Address(0x0A000000 + 4 * number)) for number in range(3998)]
    cable.load(acl("Allow", "In", RemoteAddresses=",".join([*many, REMOTE[1]])), *LAST_WORD)
    for flow in FLOWS:
        ends.send(flow)
    assert ends.arrived() == {flow for flow in FLOWS if flow.direction is Direction.IN and flow.remote == REMOTE[1]}


@pytest.mark.known("inferred", "ovn-kubernetes/ovn-kubernetes#580: the default stands at 65500")
def test_a_rule_above_the_weakest_priority_is_none(cable: Cable, ends: Datagrams) -> None:
    cable.load(acl("Block", "In", 65501), acl("Block", "Out", 65535))
    for flow in FLOWS:
        ends.send(flow)
    assert ends.arrived() == set(FLOWS)
    assert RuleType.SWITCH is acl("Block", "In", 65501).rule_type
