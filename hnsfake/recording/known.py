"""Differences that were looked at and are known: a reviewed file, each entry with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class KnownFileError(ValueError):
    """The file of known differences can't be read; the text says in one line where and why."""


class Known(BaseModel):
    """A known difference: where it is met, and why that is accepted. ``*`` stands for anything in both places."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operation: Text
    pointer: str
    reason: Text

    def covers(self, operation: str, pointer: str) -> bool:
        """Whether a difference is this one."""
        return fnmatchcase(operation, self.operation) and fnmatchcase(pointer, self.pointer)


_ENTRIES = TypeAdapter(tuple[Known, ...])


@dataclass(frozen=True)
class KnownDifferences:
    """The entries of a file; none where there is no file."""

    entries: tuple[Known, ...] = ()

    def find(self, operation: str, pointer: str) -> Known | None:
        """Return the first entry that covers a difference."""
        return next((entry for entry in self.entries if entry.covers(operation, pointer)), None)


def read_known(path: Path | None) -> KnownDifferences:
    """Read a YAML file of known differences; raise KnownFileError and OSError."""
    if path is None:
        return KnownDifferences()
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return KnownDifferences(_ENTRIES.validate_python(content or ()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise KnownFileError(f"{path}: {place or 'the file'}: {first['msg']}") from error
    except RecursionError as error:
        raise KnownFileError(f"{path}: too deeply nested") from error
    except (yaml.YAMLError, ValueError) as error:
        raise KnownFileError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
