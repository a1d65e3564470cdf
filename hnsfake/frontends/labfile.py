"""The small YAML file, and the flags, that describe a lab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hnsfake.documents.validation import first_problem
from hnsfake.lab import DEFAULT_NODES, DEFAULT_RELEASE, NodeConfig
from hnsfake.releases import UnknownQuirkError, UnknownReleaseError, release
from hnsfake.releases.quirks import switched
from hnsfake.service.faults import FaultRule, LabFaultRule


class LabFileError(ValueError):
    """The description can't be read; the text says in one line where and why."""


def _known_release(value: str) -> str:
    try:
        release(value)
    except UnknownReleaseError as error:
        raise ValueError(str(error)) from error
    return value


def _known_quirks(value: dict[str, bool]) -> dict[str, bool]:
    try:
        switched(frozenset(), value)
    except UnknownQuirkError as error:
        raise ValueError(str(error)) from error
    return value


def _mapping(value: object) -> object:
    """Read a node that is its name alone."""
    return {"name": value} if isinstance(value, str) else value


Quirks = Annotated[dict[str, bool], AfterValidator(_known_quirks)]
ReleaseName = Annotated[str, AfterValidator(_known_release)]
# It becomes part of a socket's name, which has 107 bytes.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$", max_length=40)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NodeEntry(_Strict):
    """A node: its name, its release if not the lab's, what shall go wrong on it, and quirks switched on or off."""

    name: Name
    release: ReleaseName | None = None
    faults: tuple[FaultRule, ...] = ()
    quirks: Quirks = {}


class LabFile(_Strict):
    """A lab: its name, its nodes' release, the nodes, what shall go wrong on them, where recordings of calls go.

    ``quirks`` are switched on or off on all nodes.
    """

    name: Name = "default"
    release: ReleaseName = DEFAULT_RELEASE
    dataplane: Literal["linux", "none"] = "linux"
    strict: bool = False
    nodes: tuple[Annotated[NodeEntry, BeforeValidator(_mapping)], ...] = tuple(
        NodeEntry(name=name) for name in DEFAULT_NODES
    )
    faults: tuple[LabFaultRule, ...] = ()
    record: Path | None = None
    quirks: Quirks = {}

    def configs(self) -> list[NodeConfig]:
        """Return the nodes as the lab takes them."""
        return [NodeConfig(node.name, node.release, node.faults, node.quirks) for node in self.nodes]


def describe(path: Path | None, flags: Mapping[str, object]) -> LabFile:
    """Return the lab that a file describes, or none, changed by flags; raise LabFileError and OSError."""
    content = {} if path is None else _read(path)
    _check(content, str(path))
    return _check({**content, **flags}, "the command line")


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise LabFileError(f"{path}: too deeply nested") from error
    except (yaml.YAMLError, ValueError) as error:
        raise LabFileError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise LabFileError(f"{path}: not a lab: it must have keys such as {', '.join(LabFile.model_fields)}")
    return content


def _check(content: Mapping[str, object], where: str) -> LabFile:
    try:
        return LabFile.model_validate(dict(content))
    except ValidationError as error:
        raise LabFileError(f"{where}: {first_problem(error)}") from error
