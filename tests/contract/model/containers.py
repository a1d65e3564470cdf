"""Rules of namespaces and compute systems: where endpoints are attached."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hnsfake.documents.hresults import HResult
from hnsfake.service.call import Reply
from tests.contract.model.machine import FACES, IDS, PICKS, Machine, some
from tests.contract.model.picture import enumerated
from tests.contract.model.reference import ATTACHED, HOST, Endpoint, Namespace, Refusals, System
from tests.contract.service import VERSION

SYSTEMS = st.sampled_from(["web", "db", "pause"])


class ContainerRules(Machine):
    """Namespaces and compute systems come and go, and endpoints are attached to them."""

    @rule(face=FACES, object_id=IDS, kind=st.sampled_from(["Host", "Guest"]))
    def create_namespace(self, face: str, object_id: str, kind: str) -> None:
        reply = (
            self.post("/namespaces/", {"ID": object_id, "IsDefault": False})
            if face == "v1"
            else self.call("HcnCreateNamespace", {"ID": object_id, "Type": kind, "SchemaVersion": VERSION})
        )
        refusals: Refusals = {HResult.ERROR_ALREADY_EXISTS} if object_id in self.reference.namespaces else set()
        if not refusals:
            self.settle(refusals, reply)
            made = self.made("Namespace", reply)
            namespace = Namespace(made["ID"].upper(), made["NamespaceId"])
            self.reference.namespaces[namespace.id] = namespace
        self.settle(refusals, reply)

    @rule(face=FACES, pick=PICKS)
    def delete_namespace(self, face: str, pick: int) -> None:
        object_id = some(self._namespaces, pick)
        reply = self.delete(face, "Namespace", "namespaces", object_id)
        namespace = self.reference.namespaces.get(object_id)
        refusals: Refusals = set() if namespace else {HResult.ERROR_NOT_FOUND}
        if namespace is not None and namespace.containers:
            refusals = {HResult.HCN_E_REQUEST_UNSUPPORTED}
        self.settle(refusals, reply)
        if namespace is not None and not refusals:
            self.reference.delete_namespace(namespace)

    @rule(face=FACES, pick=PICKS, endpoint=PICKS, request=st.sampled_from(["Add", "Add", "Remove"]))
    def change_endpoints(self, face: str, pick: int, endpoint: int, request: str) -> None:
        """Endpoints join namespaces, the host's among them, and leave them."""
        object_id, endpoint_id = some(self.reference.namespaces, pick), some(self.reference.endpoints, endpoint)
        reply = self._change(face, object_id, request, "Endpoint", endpoint_id)
        namespace, subject = self._found(self.reference.namespaces, object_id, endpoint_id)
        if namespace is None:
            self.settle({HResult.ERROR_NOT_FOUND}, reply)
        elif subject is None:
            self.settle({HResult.HCN_E_ENDPOINT_NOT_FOUND}, reply)
        elif request == "Add":
            refusals = self.reference.join(subject, namespace)
            self.settle(refusals, reply)
            if not refusals:
                self.reference.joined(subject, namespace)
        else:
            inside = subject.namespace == namespace.id
            self.settle(set() if inside else {HResult.ERROR_NOT_FOUND}, reply)
            if inside:
                self.reference.leave_namespace(subject)

    @rule(face=FACES, pick=PICKS, name=SYSTEMS, request=st.sampled_from(["Add", "Remove"]))
    def change_containers(self, face: str, pick: int, name: str, request: str) -> None:
        object_id = some(self.reference.namespaces, pick)
        reply = self._change(face, object_id, request, "Container", name)
        namespace = self.reference.namespaces.get(object_id)
        if namespace is None or (request == "Remove" and name not in namespace.containers):
            self.settle({HResult.ERROR_NOT_FOUND}, reply)
            return
        self.settle(set(), reply)
        if request == "Remove":
            self.reference.set_containers(namespace, (c for c in namespace.containers if c != name))
        elif name not in namespace.containers:
            self.reference.set_containers(namespace, (*namespace.containers, name))

    @rule(pick=PICKS)
    def filter_by_namespace(self, pick: int) -> None:
        namespace = some(self.reference.namespaces, pick)
        found = [one.upper() for one in enumerated(self.bench, "Endpoint", NamespaceID=namespace.lower())]
        assert found == [e.id for e in self.reference.endpoints.values() if e.namespace == namespace]

    @rule(name=SYSTEMS, place=st.sampled_from(["own", "namespace", "shared"]), pick=PICKS, endpoint=PICKS)
    def create_system(self, name: str, place: str, pick: int, endpoint: int) -> None:
        reference = self.reference
        inside = some(self._namespaces, pick) if place == "namespace" else ""
        shared = some(reference.systems, pick) if place == "shared" else ""
        networking = {"Namespace": inside, "NetworkSharedContainerName": shared}
        reply = self.call("HcsCreateComputeSystem", {"Container": {"Networking": networking}}, id=name)
        refusals = set()
        if name in reference.systems:
            refusals.add(HResult.HCS_E_SYSTEM_ALREADY_EXISTS)
        if inside and inside not in reference.namespaces:
            refusals.add(HResult.ERROR_NOT_FOUND)
        if shared and shared not in reference.systems:
            refusals.add(HResult.HCS_E_SYSTEM_NOT_FOUND)
        self.settle(refusals, reply)
        if refusals:
            return
        assert self.call("HcsCloseComputeSystem", handle=reply.handle).ok
        compartment = self.bench.service.state.systems[name].compartment
        reference.systems[name] = System(name, compartment, inside, shared)
        if inside:
            namespace = reference.namespaces[inside]
            assert compartment == namespace.compartment
            if name not in namespace.containers:
                reference.set_containers(namespace, (*namespace.containers, name))

    @rule(name=SYSTEMS, verb=st.sampled_from(["Terminate", "Shutdown"]))
    def end_system(self, name: str, verb: str) -> None:
        system = self.reference.systems.get(name)
        reply = self._of_system(name, f"Hcs{verb}ComputeSystem")
        self.settle(set() if system else {HResult.HCS_E_SYSTEM_NOT_FOUND}, reply)
        if system is not None:
            self.reference.end(system)

    @rule(face=FACES, name=SYSTEMS, endpoint=PICKS)
    def attach(self, face: str, name: str, endpoint: int) -> None:
        endpoint_id = some(self.reference.endpoints, endpoint)
        if face == "v1":
            request = {"SystemType": "Container", "ContainerID": name}
            reply = self.post(f"/endpoints/{endpoint_id}/attach", request)
        else:
            request = {"ResourceType": "Network", "RequestType": "Add", "Settings": endpoint_id}
            reply = self._of_system(name, "HcsModifyComputeSystem", request)
        system, subject = self._found(self.reference.systems, name, endpoint_id)
        refusals = _missing(system, subject)
        if subject is not None and system is not None:
            refusals = self.reference.attach(subject, system)
        self.settle(refusals, reply)
        if subject is not None and system is not None and not refusals:
            self.reference.attached(subject, system)

    @rule(name=SYSTEMS, endpoint=PICKS)
    def detach(self, name: str, endpoint: int) -> None:
        endpoint_id = some(self.reference.endpoints, endpoint)
        request = {"ResourceType": "Network", "RequestType": "Remove", "Settings": endpoint_id}
        reply = self._of_system(name, "HcsModifyComputeSystem", request)
        system, subject = self._found(self.reference.systems, name, endpoint_id)
        refusals = _missing(system, subject)
        if subject is not None and system is not None and name not in subject.containers:
            refusals = {HResult.ERROR_NOT_FOUND}
        self.settle(refusals, reply)
        if subject is not None and not refusals:
            self.reference.unshare(subject, name)

    @rule(endpoint=PICKS, number=st.integers(0, 4))
    def attach_to_the_host(self, endpoint: int, number: int) -> None:
        """v1's attach of type Host names a compartment, whoever's it is."""
        endpoint_id = some(self.reference.endpoints, endpoint)
        reply = self.post(f"/endpoints/{endpoint_id}/attach", {"SystemType": "Host", "CompartmentID": number})
        subject = self.reference.endpoints.get(endpoint_id)
        refusals = set()
        if subject is None:
            refusals.add(HResult.HCN_E_ENDPOINT_NOT_FOUND)
        elif subject.remote:
            refusals.add(HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION)
        elif subject.compartment is not None:
            refusals.add(HResult.HCN_E_ENDPOINT_ALREADY_ATTACHED)
        elif (number or HOST) not in self.reference.compartments():
            refusals.add(HResult.ERROR_NOT_FOUND)
        self.settle(refusals, reply)
        if subject is not None and not refusals:
            subject.compartment, subject.state = number or HOST, ATTACHED

    @rule(endpoint=PICKS)
    def detach_from_all(self, endpoint: int) -> None:
        endpoint_id = some(self.reference.endpoints, endpoint)
        reply = self.post(f"/endpoints/{endpoint_id}/detach")
        subject = self.reference.endpoints.get(endpoint_id)
        if subject is None or subject.compartment is None:
            missing = HResult.HCN_E_ENDPOINT_NOT_FOUND if subject is None else HResult.ERROR_NOT_FOUND
            self.settle({missing}, reply)
            return
        self.settle(set(), reply)
        self.reference.leave_namespace(subject)
        subject.leave()

    @property
    def _namespaces(self) -> list[str]:
        """All but the host's, which comes back by itself."""
        return [object_id for object_id in self.reference.namespaces if object_id != self.default]

    def _change(self, face: str, namespace: str, request: str, kind: str, subject: str) -> Reply:
        if face == "v1":
            path = f"/namespaces/{namespace}/{request}resource"
            return self.post(path, {"Type": kind, "Data": {"Id": subject}})
        document = {"ResourceType": kind, "RequestType": request, "Settings": {f"{kind}Id": subject}}
        return self.through("Namespace", namespace, "HcnModifyNamespace", document)

    def _of_system(self, name: str, function: str, document: Any = "") -> Reply:
        opened = self.call("HcsOpenComputeSystem", id=name)
        if not opened.ok:
            return opened
        reply = self.call(function, document, handle=opened.handle)
        assert self.call("HcsCloseComputeSystem", handle=opened.handle).ok
        return reply

    def _found(self, objects: dict[str, Any], object_id: str, endpoint_id: str) -> tuple[Any, Endpoint | None]:
        return objects.get(object_id), self.reference.endpoints.get(endpoint_id)


def _missing(system: System | None, endpoint: Endpoint | None) -> Refusals:
    refusals = set()
    if system is None:
        refusals.add(HResult.HCS_E_SYSTEM_NOT_FOUND)
    if endpoint is None:
        refusals.add(HResult.HCN_E_ENDPOINT_NOT_FOUND)
    return refusals
