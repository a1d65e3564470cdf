"""A lab: nodes, the wire between them, and the outside world."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from hnsfake.dataplane.interface import HostAdapter, NodeDataplane
from hnsfake.dataplane.none import NoDataplane
from hnsfake.documents.macs import to_text
from hnsfake.node import Node, NoPacketsError
from hnsfake.releases import release as find_release
from hnsfake.service.faults import FaultRule, LabFaultRule
from hnsfake.service.hns import HnsService
from hnsfake.service.journal import Journal

if TYPE_CHECKING:
    from hnsfake.dataplane.fabric import Fabric
    from hnsfake.dataplane.node import LinuxNode
    from hnsfake.dataplane.sandbox import NetNs, Sandbox
    from hnsfake.workload import Compartment, Engine

DEFAULT_RELEASE = "ws2022"
DEFAULT_NODES = ("n1", "n2")
_WIRE = IPv4Interface("10.127.0.0/24")
_FIRST_NODE = 11
_ADAPTER = "Ethernet"


class LabError(ValueError):
    """A lab can't be made as asked; the text says what to change."""


@dataclass(frozen=True)
class NodeConfig:
    """A node to make: its name, its Windows release, and what shall go wrong on it.

    The release is "ws2019", "ws2022" or "ws2025", with other than current updates as "ws2022@20348.288"; ``quirks``
    of ``docs/limits.md`` are switched on or off beside those of its updates.
    """

    name: str
    release: str | None = None
    faults: Sequence[FaultRule] = ()
    quirks: Mapping[str, bool] = field(default_factory=dict)


class Lab:
    """Some nodes on one wire. A context manager; nothing of it outlives the process.

    ``dataplane="none"`` gives the API alone, in memory, on any operating system. ``state`` is a directory
    for the journals: a lab made again with the same directory and nodes finds its objects again. ``seed``
    fixes what HNS chooses by chance (ids aside). ``faults`` are rules for what goes wrong on several nodes.
    ``strict`` refuses fields, flags, policies, paths and functions that nobody here knows, which HNS ignores.
    ``record`` is a directory for a recording of each node's calls. ``quirks`` are switched on or off on all nodes.

    Raises LabError, UnknownReleaseError, UnknownQuirkError, JournalError, SandboxError, DataplaneError,
    FileExistsError; when it is closed RecordingError.
    """

    def __init__(
        self,
        nodes: Sequence[str | NodeConfig] = DEFAULT_NODES,
        *,
        release: str = DEFAULT_RELEASE,
        dataplane: Literal["linux", "none"] = "linux",
        state: Path | None = None,
        name: str = "default",
        seed: int | None = None,
        faults: Sequence[LabFaultRule] = (),
        strict: bool = False,
        record: Path | None = None,
        quirks: Mapping[str, bool] | None = None,
    ) -> None:
        configs = [node if isinstance(node, NodeConfig) else NodeConfig(node) for node in nodes]
        _check(configs)
        self.name = name
        self.nodes: dict[str, Node] = {}
        self._chooser = random.Random(seed)
        self._release = release
        self._state = state
        self._strict = strict
        self._record = record
        self._quirks = quirks or {}
        self._sandbox: Sandbox | None = None
        self._fabric: Fabric | None = None
        self._engine: Engine | None = None
        with ExitStack() as stack:
            if dataplane == "linux":
                self._open_fabric(stack)
            for number, config in enumerate(configs, _FIRST_NODE):
                self.nodes[config.name] = self._node(config, number, stack)
            self._inject(faults)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Take everything down; may be called twice."""
        self._stack.close()

    @property
    def outside(self) -> Compartment:
        """The host beyond the router: what pods and nodes reach as "outside"."""
        return self._place(self._packets().outside)

    @property
    def router(self) -> Compartment:
        """The nodes' default gateway."""
        return self._place(self._packets().router)

    @property
    def wire(self) -> Compartment:
        """The wire between the nodes: a place to capture on."""
        return self._place(self._packets().wire)

    @property
    def fabric(self) -> Fabric:
        """The wire, the router and the outside host themselves."""
        return self._packets()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open_fabric(self, stack: ExitStack) -> None:
        # Imported here: only this data plane needs Linux.
        from hnsfake.dataplane.fabric import Fabric
        from hnsfake.dataplane.sandbox import Sandbox
        from hnsfake.workload import Engine

        self._sandbox = stack.enter_context(Sandbox.open())
        self._fabric = Fabric(self._sandbox)
        stack.callback(self._fabric.close)
        self._engine = Engine(self._sandbox)
        stack.callback(self._engine.close)

    def _node(self, config: NodeConfig, number: int, stack: ExitStack) -> Node:
        release = find_release(config.release or self._release).switched({**self._quirks, **config.quirks})
        address = IPv4Interface(f"{_WIRE.network[number]}/{_WIRE.network.prefixlen}")
        mac = to_text(0x00155D7F0000 + number)
        linux = self._linux_node(config.name, address, mac, release.quirks)
        plane: NodeDataplane = linux or NoDataplane([HostAdapter(_ADAPTER, mac, (address,))])
        stack.callback(plane.close)
        chooser = random.Random(self._chooser.random())
        service = HnsService(config.name, release, plane, self._journal(config.name), chooser, self._strict)
        node = Node(config.name, release, IPv4Address(address.ip), service, linux, self._engine)
        stack.callback(node.close)
        for rule in config.faults:
            node.faults.add(rule)
        if self._record is not None:
            self._record.mkdir(parents=True, exist_ok=True)
            stack.enter_context(node.record(self._record / f"{node.name}.jsonl"))
        return node

    def _inject(self, rules: Sequence[LabFaultRule]) -> None:
        for rule in rules:
            meant = [node for node in self.nodes.values() if rule.is_for_node(node.name, node.release.name)]
            if not meant:
                raise LabError(f"a fault rule is for no node: node {rule.node}, release {rule.release}")
            for node in meant:
                node.faults.add(rule.on_a_node())

    def _linux_node(self, name: str, address: IPv4Interface, mac: str, quirks: frozenset[str]) -> LinuxNode | None:
        if self._sandbox is None or self._fabric is None:
            return None
        from hnsfake.dataplane.node import LinuxNode

        return LinuxNode(self._sandbox, self._fabric, name, address, mac, quirks)

    def _journal(self, node: str) -> Journal | None:
        if self._state is None:
            return None
        self._state.mkdir(parents=True, exist_ok=True)
        return Journal(self._state / f"{self.name}.sqlite", node)

    def _packets(self) -> Fabric:
        if self._fabric is None:
            raise NoPacketsError('this lab has no packets: make it with dataplane="linux"')
        return self._fabric

    def _place(self, netns: NetNs) -> Compartment:
        from hnsfake.workload import Compartment

        assert self._engine is not None
        return Compartment(self._engine, netns)


def _check(configs: Sequence[NodeConfig]) -> None:
    names = [config.name for config in configs]
    if not names:
        raise LabError("a lab needs at least one node")
    if len(set(names)) != len(names):
        raise LabError(f"two nodes have one name: {', '.join(sorted(names))}")
    for name in names:
        if not name or not all(character.isalnum() or character in "-_." for character in name):
            raise LabError(f"not a node name: {name!r} (letters, digits, dash, underscore and dot)")
    if len(names) > _WIRE.network.num_addresses - _FIRST_NODE - 1:
        raise LabError("too many nodes for one wire")
