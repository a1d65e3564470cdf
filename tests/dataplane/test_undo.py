"""A change that fails at any step leaves the kernel as it was, and works when it is asked for again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from hnsfake.dataplane.interface import Change, DataplaneError, Driver
from hnsfake.documents.policies import Acl, OutboundNat, PortMapping, SdnRoute

from .faults import Faults
from .kernel_state import difference, snapshot
from .policies import sdn_route
from .world import (
    World,
    balancer,
    behind,
    compartments,
    create,
    endpoint,
    isolated,
    l2bridge,
    modify,
    nat,
    overlay,
    remote,
    remove,
    transparent,
)

pytestmark = pytest.mark.ours("how our data plane takes back what failed")

L2 = l2bridge("10.1.1.0/24")
OVERLAY = overlay("10.2.1.0/24")
NAT = nat("172.20.1.0/24")
TRANSPARENT = transparent("10.127.0.0/24")
INTERNAL = isolated(Driver.INTERNAL, "172.21.1.0/24")
PRIVATE = isolated(Driver.PRIVATE, "172.21.1.0/24")

ALLOW = Acl.model_validate({"Action": "Allow", "Direction": "In", "Priority": 100, "Protocols": "6"})
BLOCK = Acl.model_validate({"Action": "Block", "Direction": "Out", "Priority": 200})
EXCEPTIONS = OutboundNat.model_validate({"Exceptions": ["10.0.0.0/8"]})
MAPPING = PortMapping(Protocol=6, InternalPort=80, ExternalPort=8080, Flags=1)
OTHER_MAPPING = PortMapping(Protocol=6, InternalPort=80, ExternalPort=8081, Flags=1)
ROUTE = SdnRoute.model_validate({"DestinationPrefix": "10.96.0.0/12", "NeedEncap": True})
POLICIES = (ALLOW, BLOCK, EXCEPTIONS, MAPPING, ROUTE)

POD = endpoint(L2, "10.1.1.10", 2, *POLICIES, gateway="10.1.1.2", pool=40000 & ~63)
HOST_POD = endpoint(L2, "10.1.1.2", 1)
OVERLAY_POD = endpoint(OVERLAY, "10.2.1.10", 2, *POLICIES, pool=41024)
REMOTE = remote(OVERLAY, "10.2.2.10", "0E-2A-0A-02-02-0A", "10.127.0.12")
NAT_POD = endpoint(NAT, "172.20.1.10", 2, ALLOW, MAPPING)
OWN_MAC_POD = endpoint(TRANSPARENT, "10.127.0.50", 2, ALLOW, gateway="10.127.0.1")
NAT_POD_3 = endpoint(NAT, "172.20.1.11", 3, ALLOW)
THERE = overlay("10.2.2.0/24", node=2)
FAR = overlay("10.2.3.0/24", node=3)


@dataclass(frozen=True)
class Scenario:
    """``change`` is what fails; ``before`` is there already."""

    before: tuple[Change, ...]
    change: tuple[Change, ...]


def scenario(before: list[Change], change: list[Change]) -> Scenario:
    return Scenario(tuple(before), tuple(change))


ROUTED = replace(OVERLAY, remote_subnets=(behind(THERE, "10.127.0.12"),))
ROUTED_ELSEWHERE = replace(
    OVERLAY, host_route=False, remote_subnets=(behind(FAR, "10.127.0.13"), behind(THERE, "10.127.0.13"))
)
MORE = overlay("10.2.9.0/24").subnets[0]
TWO = compartments(2)
SCENARIOS = {
    "L2Bridge: the first network": scenario([], create(L2)),
    "L2Bridge: the last network goes": scenario(create(L2), remove(L2)),
    "L2Bridge: attach": scenario(create(L2), create(*TWO, POD)),
    "L2Bridge: attach to the host": scenario(create(L2), create(HOST_POD)),
    "L2Bridge: detach": scenario(create(L2, *TWO, POD), modify(POD, replace(POD, compartment=None))),
    "L2Bridge: another compartment": scenario(
        create(L2, *compartments(2, 3), POD), modify(POD, replace(POD, compartment=3))
    ),
    "L2Bridge: policies": scenario(create(L2, *TWO, POD), modify(POD, replace(POD, policies=(BLOCK, OTHER_MAPPING)))),
    "L2Bridge: remove": scenario(create(L2, *TWO, POD), remove(*TWO, POD)),
    "L2Bridge: detach from the host": scenario(
        create(L2, HOST_POD), modify(HOST_POD, replace(HOST_POD, compartment=None))
    ),
    "L2Bridge: one of two leaves a compartment": scenario(
        create(L2, NAT, *TWO, NAT_POD, POD), modify(POD, replace(POD, compartment=None))
    ),
    "L2Bridge: routes": scenario(
        create(L2, *TWO, POD), modify(POD, replace(POD, policies=(*POLICIES, sdn_route("10.97.0.0/16", "10.1.1.2"))))
    ),
    "Overlay: the first network": scenario([], create(ROUTED)),
    "Overlay: the last network goes": scenario(create(ROUTED), remove(ROUTED)),
    "Overlay: remote subnets": scenario(create(ROUTED), modify(ROUTED, ROUTED_ELSEWHERE)),
    "Overlay: subnets": scenario(create(ROUTED), modify(ROUTED, replace(ROUTED, subnets=(*ROUTED.subnets, MORE)))),
    "Overlay: attach": scenario(create(ROUTED), create(*TWO, OVERLAY_POD)),
    "Overlay: policies": scenario(
        create(OVERLAY, *TWO, OVERLAY_POD),
        modify(OVERLAY_POD, replace(OVERLAY_POD, policies=(BLOCK, OTHER_MAPPING))),
    ),
    "Overlay: remove": scenario(create(OVERLAY, *TWO, OVERLAY_POD), remove(*TWO, OVERLAY_POD)),
    "Overlay: remote endpoint": scenario(create(OVERLAY), create(REMOTE)),
    "Overlay: remote endpoint goes": scenario(create(OVERLAY, REMOTE), remove(REMOTE)),
    "NAT: network": scenario([], create(NAT)),
    "NAT: network goes": scenario(create(NAT), remove(NAT)),
    "NAT: attach": scenario(create(NAT), create(*TWO, NAT_POD)),
    "NAT: policies": scenario(
        create(NAT, *TWO, NAT_POD), modify(NAT_POD, replace(NAT_POD, policies=(BLOCK, OTHER_MAPPING)))
    ),
    "NAT: remove": scenario(create(NAT, *TWO, NAT_POD), remove(*TWO, NAT_POD)),
    "Transparent: attach": scenario(create(TRANSPARENT), create(*TWO, OWN_MAC_POD)),
    "Transparent: remove": scenario(create(TRANSPARENT, *TWO, OWN_MAC_POD), remove(*TWO, OWN_MAC_POD)),
    "Internal: network": scenario([], create(INTERNAL)),
    "Internal: network goes": scenario(create(INTERNAL), remove(INTERNAL)),
    "Private: network": scenario([], create(PRIVATE)),
    "Private: network goes": scenario(create(PRIVATE), remove(PRIVATE)),
    "L2Bridge: load balancers": scenario(
        create(L2, *TWO, POD, balancer(POD), balancer(POD, dsr=True)),
        create(balancer(POD, 2), balancer(POD, 3, dsr=True)),
    ),
    "L2Bridge: load balancers change": scenario(
        create(L2, *TWO, POD, balancer(POD), balancer(POD, 2, dsr=True)),
        [
            *modify(balancer(POD), balancer(POD, port=81)),
            *modify(balancer(POD, 2, dsr=True), balancer(POD, 2, port=81, dsr=True)),
        ],
    ),
    "L2Bridge: load balancers go": scenario(
        create(L2, *TWO, POD, balancer(POD), balancer(POD, 2, dsr=True)),
        remove(balancer(POD), balancer(POD, 2, dsr=True)),
    ),
    "L2Bridge: a backend goes": scenario(create(L2, *TWO, POD, balancer(POD, dsr=True)), remove(*TWO, POD)),
    "Overlay: load balancers": scenario(
        create(ROUTED, *TWO, OVERLAY_POD, balancer(OVERLAY_POD), balancer(OVERLAY_POD, dsr=True)),
        create(balancer(OVERLAY_POD, 2), balancer(OVERLAY_POD, 3, dsr=True)),
    ),
    "Overlay: load balancers go": scenario(
        create(ROUTED, *TWO, OVERLAY_POD, balancer(OVERLAY_POD), balancer(OVERLAY_POD, 2, dsr=True)),
        remove(balancer(OVERLAY_POD), balancer(OVERLAY_POD, 2, dsr=True)),
    ),
    "several changes": scenario(
        create(L2, NAT, *TWO, POD),
        [
            *modify(POD, replace(POD, policies=())),
            *create(*compartments(3), NAT_POD_3, HOST_POD),
            *modify(replace(POD, policies=()), replace(POD, policies=(), compartment=None)),
            *remove(*TWO),
            *create(OVERLAY),
        ],
    ),
}


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    faults = Faults()
    faults.install(monkeypatch)
    return faults


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_failure_at_any_step_changes_nothing(name: str, world: World, faults: Faults) -> None:
    node, asked = world.n1, SCENARIOS[name]
    node.apply(asked.before)
    before = snapshot(node)
    for step in range(1000):
        faults.arm(step)
        try:
            node.apply(asked.change)
        except DataplaneError:
            changed = difference(before, snapshot(node))
            assert not changed, f"step {step}: {faults.last}"
            continue
        assert not faults.last, f"passed over: {faults.last}"
        break
    assert step > 0
