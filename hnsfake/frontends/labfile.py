"""The YAML file that describes a lab."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from hnsfake.lab import DEFAULT_NODES, DEFAULT_RELEASE, NodeConfig
from hnsfake.releases import UnknownReleaseError, release


class LabFileError(ValueError):
    """The file can't be read; the text says in one line where and why."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NodeEntry(_Strict):
    """A node: its name, and its release if not the lab's."""

    name: str
    release: str | None = None

    @field_validator("release")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        return None if value is None else _known_release(value)


class LabFile(_Strict):
    """A lab: its name, the release of its nodes, and the nodes."""

    name: str = "default"
    release: str = DEFAULT_RELEASE
    dataplane: Literal["linux", "none"] = "linux"
    nodes: tuple[NodeEntry | str, ...] = DEFAULT_NODES

    @field_validator("release")
    @classmethod
    def _known(cls, value: str) -> str:
        return _known_release(value)

    def configs(self) -> list[NodeConfig]:
        """Return the nodes as the lab takes them."""
        return [
            NodeConfig(node) if isinstance(node, str) else NodeConfig(node.name, node.release) for node in self.nodes
        ]


def read_lab_file(path: Path) -> LabFile:
    """Read a lab file; raise LabFileError."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabFileError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise LabFileError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    return check_lab(content or {}, str(path))


def check_lab(content: object, where: str) -> LabFile:
    """Check a lab's description; raise LabFileError."""
    try:
        return LabFile.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise LabFileError(f"{where}: {place}: {first['msg']}") from error


def _known_release(value: str) -> str:
    try:
        return release(value).name
    except UnknownReleaseError as error:
        raise ValueError(str(error)) from error
