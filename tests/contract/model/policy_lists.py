"""Rules of load balancers and SDN routes, which the first face calls policy lists."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hnsfake.documents.hresults import HResult
from tests.contract.model.machine import FACES, IDS, PICKS, Machine, some
from tests.contract.model.reference import Balancer, Refusals, Route
from tests.contract.service import VERSION

VIPS = st.sampled_from(["", "10.96.0.1", "10.96.0.2"])
PORTS = st.sampled_from([8080, 8081])
BACKENDS = st.lists(PICKS, max_size=2, unique=True)


class PolicyListRules(Machine):
    """Load balancers and routes over endpoints, those that are there and those that aren't."""

    @rule(face=FACES, backends=BACKENDS, vip=VIPS, port=PORTS, object_id=IDS)
    def create_balancer(self, face: str, backends: list[int], vip: str, port: int, object_id: str) -> None:
        new = self._balancer(object_id, backends, vip, port)
        reply = (
            self.post("/policylists/", _balancer_v1(new))
            if face == "v1"
            else self.call("HcnCreateLoadBalancer", _balancer_v2(new))
        )
        refusals = self.reference.new_balancer(new)
        if not refusals:
            self.settle(refusals, reply)
            new.id = self.made("LoadBalancer", reply)["ID"].upper()
            self.reference.balancers[new.id] = new
        self.settle(refusals, reply)

    @rule(pick=PICKS, backends=BACKENDS, vip=VIPS, port=PORTS)
    def modify_balancer(self, pick: int, backends: list[int], vip: str, port: int) -> None:
        object_id = some(self.reference.balancers, pick)
        new = self._balancer(object_id, backends, vip, port)
        reply = self.through("LoadBalancer", object_id, "HcnModifyLoadBalancer", _balancer_v2(new))
        refusals: Refusals = {HResult.ERROR_NOT_FOUND}
        if object_id in self.reference.balancers:
            can = self.release == "ws2025"
            refusals = self.reference.new_balancer(new, apart_from=object_id) if can else {HResult.E_NOTIMPL}
        self.settle(refusals, reply)
        if not refusals:
            self.reference.balancers[object_id] = new

    @rule(face=FACES, backends=BACKENDS, prefix=st.sampled_from(["10.5.0.0/16", "10.6.0.0/16"]), object_id=IDS)
    def create_route(self, face: str, backends: list[int], prefix: str, object_id: str) -> None:
        new = Route(object_id, self._backends(backends), prefix)
        setting = {"DestinationPrefix": prefix, "NextHop": "10.1.0.3"}
        if face == "v1":
            references = [f"/endpoints/{endpoint}" for endpoint in new.endpoints]
            policies = [{"Type": "ROUTE", **setting}]
            reply = self.post("/policylists/", {"ID": object_id, "References": references, "Policies": policies})
        else:
            document = {
                "ID": object_id,
                "HostComputeEndpoints": list(new.endpoints),
                "Setting": [setting],
                "SchemaVersion": VERSION,
            }
            reply = self.call("HcnCreateSdnRoute", document)
        refusals = set()
        if object_id in self.reference.routes:
            refusals.add(HResult.ERROR_ALREADY_EXISTS)
        if not new.endpoints:
            refusals.add(HResult.HCN_E_INVALID_JSON_REFERENCE)
        if any(endpoint not in self.reference.endpoints for endpoint in new.endpoints):
            refusals.add(HResult.HCN_E_PORT_NOT_FOUND)
        if not refusals:
            self.settle(refusals, reply)
            new.id = self.made("SdnRoute", reply)["ID"].upper()
            self.reference.routes[new.id] = new
        self.settle(refusals, reply)

    @rule(face=FACES, pick=PICKS)
    def delete_balancer(self, face: str, pick: int) -> None:
        self._delete(face, "LoadBalancer", self.reference.balancers, pick)

    @rule(face=FACES, pick=PICKS)
    def delete_route(self, face: str, pick: int) -> None:
        self._delete(face, "SdnRoute", self.reference.routes, pick)

    def _delete(self, face: str, word: str, objects: dict[str, Any], pick: int) -> None:
        object_id = some(objects, pick)
        others = self.reference.routes if objects is self.reference.balancers else self.reference.balancers
        if object_id in others:
            face = "v2"  # the first face can't say which of the two it means
        self.settle(
            set() if object_id in objects else {HResult.ERROR_NOT_FOUND},
            self.delete(face, word, "policylists", object_id),
        )
        objects.pop(object_id, None)

    def _balancer(self, object_id: str, backends: list[int], vip: str, port: int) -> Balancer:
        endpoints = self._backends(backends)
        first = self.reference.endpoints.get(endpoints[0]) if endpoints else None
        return Balancer(object_id, first.network if first else "", endpoints, vip, port)

    def _backends(self, picks: list[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(some(self.reference.endpoints, pick) for pick in picks))


def _balancer_v1(balancer: Balancer) -> dict[str, Any]:
    policy = {
        "Type": "ELB",
        "Protocol": 6,
        "InternalPort": 80,
        "ExternalPort": balancer.port,
        "VIPs": [balancer.vip] if balancer.vip else [],
    }
    references = [f"/endpoints/{endpoint}" for endpoint in balancer.endpoints]
    return {"ID": balancer.id, "References": references, "Policies": [policy]}


def _balancer_v2(balancer: Balancer) -> dict[str, Any]:
    return {
        "ID": balancer.id,
        "HostComputeEndpoints": list(balancer.endpoints),
        "FrontendVIPs": [balancer.vip] if balancer.vip else [],
        "PortMappings": [{"Protocol": 6, "InternalPort": 80, "ExternalPort": balancer.port}],
        "SchemaVersion": VERSION,
    }
