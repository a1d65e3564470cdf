"""A node of a lab: its HNS and, with a real data plane, its compartments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hnsfake import __version__
from hnsfake.dataplane.interface import HOST_COMPARTMENT
from hnsfake.documents.dns import DnsSettings
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.releases import Release
from hnsfake.service.call import Call, Reply
from hnsfake.service.faults import FaultRules
from hnsfake.service.hns import HnsService
from hnsfake.service.notifications import Subscription
from hnsfake.service.registry import NoCompartmentError, RegistryView

if TYPE_CHECKING:
    from hnsfake.dataplane.node import LinuxNode
    from hnsfake.dataplane.observe import RouteView
    from hnsfake.dataplane.sandbox import NetNs
    from hnsfake.workload import Compartment, Engine


class NoPacketsError(RuntimeError):
    """The lab was made with ``dataplane="none"``: there are no compartments to run anything in."""


class Node:
    """An emulated Windows node.

    ``invoke`` takes a call as the front ends give it; ``hns_call`` and ``hcn`` are the short ways for Python.
    """

    def __init__(
        self,
        name: str,
        release: Release,
        address: IPv4Address,
        service: HnsService,
        linux: LinuxNode | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.name = name
        self.release = release
        self.address = address
        self.service = service
        self.linux = linux
        self._engine = engine

    def invoke(self, call: Call) -> Reply:
        """Carry out one call to this node's HNS; raises AnswerLostError where ``faults`` say so, and nothing else."""
        return self.service.invoke(call)

    @property
    def faults(self) -> FaultRules:
        """What shall go wrong: ``with node.faults.inject(operation="HcnCreateEndpoint", fail="E_FAIL"): ...``."""
        return self.service.faults

    def hns_call(self, method: str, path: str, request: str | Mapping[str, Any] = "") -> Any:
        """Call HNSCall; return the envelope's ``Output``, raise HnsError where it says ``Success`` false."""
        text = request if isinstance(request, str) else json.dumps(request)
        reply = self.invoke(Call("HNSCall", text, method=method, path=path))
        envelope = json.loads(reply.output or "{}")
        if not envelope.get("Success"):
            raise HnsError(HResult.by_code(envelope["ErrorCode"]))
        return envelope.get("Output")

    def hcn(
        self,
        function: str,
        document: str | Mapping[str, Any] = "",
        *,
        object_id: str | None = None,
        handle: int | None = None,
    ) -> Reply:
        """Call a function of the v2 API; raise HnsError where its HRESULT isn't S_OK."""
        text = document if isinstance(document, str) else json.dumps(document)
        reply = self.invoke(Call(function, text, id=object_id, handle=handle))
        if not reply.ok:
            raise HnsError(HResult.by_code(reply.hresult), reply.record or "")
        return reply

    def compartments(self) -> dict[int, NetNs]:
        """Return the network namespace of each compartment, by number; 1 is the node's own."""
        linux = self._linux()
        return {number: linux.netns(number) for number in sorted(self.service.state.compartments())}

    def compartment(self, number: int = HOST_COMPARTMENT) -> Compartment:
        """Return a place to run workloads in."""
        from hnsfake.workload import Compartment

        linux = self._linux()
        assert self._engine is not None
        return Compartment(self._engine, linux.netns(number), lambda: self.dns(number))

    def create_compute_system(self, system_id: str, *, share_with: str = "", namespace: str = "") -> int:
        """Make a container as its runtime would; return its compartment. Raises HnsError.

        It runs in a compartment of its own, in that of the container ``share_with``, or in an HNS namespace. No
        process is started: run workloads in ``compartment(number)``.
        """
        networking = {"Namespace": namespace, "NetworkSharedContainerName": share_with}
        settings = {"Owner": "hnsfake", "Container": {"Networking": networking}}
        reply = self.hcn("HcsCreateComputeSystem", settings, object_id=system_id)
        self.hcn("HcsStartComputeSystem", handle=reply.handle)
        self.hcn("HcsCloseComputeSystem", handle=reply.handle)
        return self.service.state.systems[system_id].compartment

    def delete_compute_system(self, system_id: str) -> None:
        """Stop a container: its endpoints are detached, and it is gone. Raises HnsError."""
        reply = self.hcn("HcsOpenComputeSystem", object_id=system_id)
        self.hcn("HcsTerminateComputeSystem", handle=reply.handle)
        self.hcn("HcsCloseComputeSystem", handle=reply.handle)

    def restart_service(self) -> None:
        """Restart HNS: its objects are there again, handles and listeners are not, and packets go on."""
        self.service.restart()

    def crash_service(self) -> None:
        """Have HNS die and start again: as ``restart_service``, but for what the release's quirks lose."""
        self.service.crash()

    def reboot(self) -> None:
        """Reboot the node: containers, their namespaces and non-persistent networks are gone, endpoints detached.

        Workloads in compartments of their own end with these; those in the host's compartment go on.
        """
        self.service.reboot()

    def notifications(self, *, extended: bool = False) -> Subscription:
        """Return what HNS tells from now on: an iterator, which ends with its ``close``.

        With ``extended`` also what Windows doesn't tell (``EmulatorNotification``): load balancers, SDN routes, and
        endpoints that are made and deleted.
        """
        return self.service.notifications.subscribe(extended=extended)

    @contextmanager
    def record(self, path: Path | str) -> Iterator[None]:
        """Record all calls of the meantime, whoever makes them, and their answers: ``docs/recordings.md``.

        Raises FileExistsError, and at the end RecordingError where some could not be written.
        """
        from hnsfake.recording.lines import Header
        from hnsfake.recording.recorder import Recorder

        major, minor = self.release.hns
        date = datetime.now(UTC).isoformat(timespec="seconds")
        header = Header(self.name, self.release.name, f"{major}.{minor}", f"hnsfake {__version__}", date)
        recorder = Recorder(Path(path), header)
        self.service.observers.append(recorder)
        try:
            yield
        finally:
            self.service.observers.remove(recorder)
            recorder.close()

    def registry(self, number: int = HOST_COMPARTMENT) -> RegistryView:
        """Return what Windows has registered in a compartment: interfaces, metrics, DNS, routes.

        Raises NoCompartmentError.
        """
        return self.service.registry(number)

    def routes(self, number: int = HOST_COMPARTMENT) -> tuple[RouteView, ...]:
        """Return the active routes of a compartment, by which packets go; raise DataplaneError."""
        return self._linux().routes(number)

    def dns(self, number: int) -> DnsSettings:
        """Return what names are resolved by in a compartment; nothing where there is no such compartment."""
        try:
            return self.registry(number).dns
        except NoCompartmentError:
            return DnsSettings()

    def close(self) -> None:
        """Close the service."""
        self.service.close()

    def _linux(self) -> LinuxNode:
        if self.linux is None:
            raise NoPacketsError('this lab has no packets: make it with dataplane="linux"')
        return self.linux
