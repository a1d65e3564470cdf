"""Serves a lab: every node on its sockets, by one web server in a thread."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hnsfake.dataplane.interface import DataplaneError
from hnsfake.documents.translation.dns import dns_v2
from hnsfake.frontends.carrier import INSIDE_PORT
from hnsfake.frontends.fault_routes import add_fault_routes
from hnsfake.frontends.http import HANG_UP, application, entrance
from hnsfake.frontends.registry_routes import add_registry_routes
from hnsfake.frontends.sockets import abstract_name, tcp_listener, unix_listener
from hnsfake.lab import Lab
from hnsfake.node import Node

_LAST_PORT = 65535


class ServeError(RuntimeError):
    """A node's socket can't be had; the text says which and why."""


@dataclass(frozen=True)
class Address:
    """How to reach a node: its Unix socket (abstract ones are written with an @) and its TCP port."""

    unix: str
    tcp: int


class _Protocol(HttpToolsProtocol):
    """HTTP whose connections an application can close without an answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, HANG_UP: transport.close}


class WebServer(uvicorn.Server):
    """Serves one application; ``ready`` is set when it takes requests."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        self.ready.set()


def web_server(app: ASGIApp) -> WebServer:
    """Return what serves a node's application."""
    config = uvicorn.Config(
        app,
        http=_Protocol,
        proxy_headers=False,
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=3,
    )
    return WebServer(config)


class LabServer:
    """Serves the nodes of a lab until ``close``. A context manager; raises ServeError.

    ``tcp_port`` is the first node's, the next node has the next; 0 lets the system choose. With ``socket_dir``
    every node has a socket file there as well.
    """

    def __init__(self, lab: Lab, tcp_port: int = 0, socket_dir: Path | None = None) -> None:
        self.lab = lab
        self.addresses: dict[str, Address] = {}
        self._files: list[Path] = []
        self._listeners: list[list[socket.socket]] = []
        self._servers: list[WebServer] = []
        for number, node in enumerate(lab.nodes.values()):
            try:
                self._prepare(node, tcp_port + number if tcp_port else 0, socket_dir)
            except OSError as error:
                self._close_sockets()
                raise ServeError(f"can't serve node {node.name}: {error.strerror or error}") from error
        self._thread = Thread(target=self._run, name="hnsfake-http", daemon=True)
        self._thread.start()
        for server in self._servers:
            server.ready.wait()

    def close(self) -> None:
        """Stop serving; requests under way are answered, delayed ones at once, streams of notifications end."""
        for node in self.lab.nodes.values():
            node.faults.interrupt()
            node.service.notifications.close()
        for server in self._servers:
            server.should_exit = True
        self._thread.join()
        self._close_sockets()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self, node: Node, port: int, socket_dir: Path | None) -> None:
        listeners: list[socket.socket] = []
        self._listeners.append(listeners)
        name = abstract_name(self.lab.name, node.name)
        listeners.append(unix_listener(name))
        shown = name.replace("\0", "@")
        if socket_dir is not None:
            file = socket_dir / f"{node.name}.sock"
            listeners.append(unix_listener(str(file)))
            self._files.append(file)
            shown = str(file)
        if port > _LAST_PORT:
            raise OSError(f"there is no port {port}")
        listeners.append(tcp_listener(port))
        self.addresses[node.name] = Address(shown, listeners[-1].getsockname()[1])
        if node.linux is not None:
            listeners.append(node.linux.sandbox.run(node.linux.netns(), tcp_listener, INSIDE_PORT))
        app = application(
            node.name,
            node.service,
            lambda: node_status(self.lab, node, self.addresses),
            {"restart-service": node.restart_service, "crash-service": node.crash_service, "reboot": node.reboot},
        )
        add_fault_routes(app, node.faults)
        add_registry_routes(app, node)
        self._servers.append(web_server(entrance(app, node.service)))

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            for server in self._servers:
                server.ready.set()

    async def _serve(self) -> None:
        pairs = zip(self._servers, self._listeners, strict=True)
        await asyncio.gather(*(server.serve(listeners) for server, listeners in pairs))

    def _close_sockets(self) -> None:
        for listener in (one for listeners in self._listeners for one in listeners):
            listener.close()
        for file in self._files:
            file.unlink(missing_ok=True)


def node_status(lab: Lab, node: Node, addresses: dict[str, Address]) -> dict[str, Any]:
    """Return what other programs must know of a lab and one of its nodes."""
    state = node.service.state
    compartments = _compartments(node)
    return {
        "lab": lab.name,
        "pid": os.getpid(),
        "nodes": {name: {"unix": address.unix, "tcp": address.tcp} for name, address in addresses.items()},
        "node": node.name,
        "release": node.release.name,
        "title": node.release.title,
        "build": node.release.build,
        "hns": list(node.release.hns),
        "address": str(node.address),
        "objects": {
            "networks": len(state.networks),
            "endpoints": len(state.endpoints),
            "namespaces": len(state.namespaces),
        },
        "compartments": compartments,
        "namespaces": {namespace.id: namespace.compartment for namespace in state.namespaces.values()},
        "systems": {system.id: system.compartment for system in state.systems.values()},
        "dns": {number: dns_v2(node.dns(int(number))) for number in compartments},
        "unknown_fields": dict(node.service.unknown_fields),
    }


def _compartments(node: Node) -> dict[str, str]:
    """Return where the namespace of each compartment can be opened, while this process lives."""
    if node.linux is None:
        return {}
    found = {}
    for number in sorted(node.service.state.compartments()):
        try:
            found[str(number)] = f"/proc/{os.getpid()}/fd/{node.linux.netns(number).fd}"
        except DataplaneError:
            continue  # it was deleted while we looked
    return found
