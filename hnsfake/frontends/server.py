"""Serves a lab: every node on its sockets, by one web server in a thread."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import uvicorn

from hnsfake.frontends.http import application
from hnsfake.frontends.sockets import abstract_name, tcp_listener, unix_listener
from hnsfake.lab import Lab
from hnsfake.node import Node


class ServeError(RuntimeError):
    """A node's socket can't be had; the text says which and why."""


@dataclass(frozen=True)
class Address:
    """How to reach a node: its Unix socket (abstract ones are written with an @) and its TCP port."""

    unix: str
    tcp: int


class LabServer:
    """Serves the nodes of a lab until ``close``. A context manager."""

    def __init__(self, lab: Lab, tcp_port: int = 0, socket_dir: Path | None = None) -> None:
        self.lab = lab
        self.addresses: dict[str, Address] = {}
        self._paths: list[Path] = []
        self._servers: list[uvicorn.Server] = []
        self._listeners: list[list[socket.socket]] = []
        try:
            for number, node in enumerate(lab.nodes.values()):
                self._prepare(node, tcp_port + number if tcp_port else 0, socket_dir)
        except OSError as error:
            self._close_sockets()
            raise ServeError(f"can't serve node {node.name}: {error.strerror or error}") from error
        self._ready = Event()
        self._thread = Thread(target=self._run, name="hnsfake-http", daemon=True)
        self._thread.start()
        self._ready.wait()

    def close(self) -> None:
        """Stop serving; requests under way are answered."""
        for server in self._servers:
            server.should_exit = True
        self._thread.join()
        self._close_sockets()

    def __enter__(self) -> LabServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, node: Node, port: int, socket_dir: Path | None) -> None:
        name = abstract_name(self.lab.name, node.name)
        listeners = [unix_listener(name)]
        self._listeners.append(listeners)
        shown = "@" + name[1:]
        if socket_dir is not None:
            path = socket_dir / f"{node.name}.sock"
            listeners.append(unix_listener(str(path)))
            self._paths.append(path)
            shown = str(path)
        listeners.append(tcp_listener(port))
        self.addresses[node.name] = Address(shown, listeners[-1].getsockname()[1])
        app = application(node.name, node.invoke, lambda: node_status(self.lab, node, self.addresses))
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=3)
        self._servers.append(uvicorn.Server(config))

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        serving = [
            asyncio.ensure_future(server._serve(listeners))
            for server, listeners in zip(self._servers, self._listeners, strict=True)
        ]
        while not all(server.started for server in self._servers):
            await asyncio.sleep(0.005)
        self._ready.set()
        await asyncio.gather(*serving)

    def _close_sockets(self) -> None:
        for listeners in self._listeners:
            for listener in listeners:
                listener.close()
        for path in self._paths:
            path.unlink(missing_ok=True)


def node_status(lab: Lab, node: Node, addresses: dict[str, Address]) -> dict[str, Any]:
    """Return what other programs must know of a lab and one of its nodes."""
    state = node.service.state
    compartments = {}
    if node.linux is not None:
        compartments = {
            str(number): f"/proc/{os.getpid()}/fd/{netns.fd}" for number, netns in node.compartments().items()
        }
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
        "dns": {
            number: {
                "servers": list(node.dns(int(number)).servers),
                "search": list(node.dns(int(number)).search),
            }
            for number in compartments
        },
        "unknown_fields": dict(node.service.unknown_fields),
    }
