"""What the models of all documents share: strict types, names in any case, unknown fields counted."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from enum import IntFlag
from functools import cache, lru_cache
from threading import Lock
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from hnsfake.documents.errors import InvalidDocumentError

log = logging.getLogger("hnsfake.documents")


UInt16 = Annotated[int, Field(ge=0, le=0xFFFF)]
UInt64 = Annotated[int, Field(ge=0, lt=1 << 64)]
UInt32 = Annotated[int, Field(ge=0, le=0xFFFFFFFF)]
"""Flags and numbers that are DWORDs in Windows, and uint32 in microsoft/hcsshim, which can't read any other."""


class UnknownFields:
    """Counts what a node's callers sent and nobody here knows: fields, flags, policies, paths, functions.

    Each name is logged once. HNS ignores what it doesn't know; ``strict`` refuses it, so that a typo is found.
    ``lacking`` are fields and flags that are known and have no effect here, with what happens instead: each is logged
    at its first use.
    """

    def __init__(self, strict: bool = False, lacking: Mapping[str, str] = MappingProxyType({})) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()
        self._strict = strict
        self._untold: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for key, instead in lacking.items():
            where, _, name = key.partition(".")
            self._untold[where][name] = instead

    def note(self, where: str, names: Iterable[str]) -> None:
        """Count ``names`` of ``where``, which are ignored; raise InvalidDocumentError for the first if strict."""
        for key in self.count(where, names):
            if self._strict:
                raise InvalidDocumentError(f"hnsfake is strict: {key} is not known")

    def count(self, where: str, names: Iterable[str]) -> list[str]:
        """Count ``names`` of ``where``; return what they are counted as."""
        keys = []
        with self._lock:
            for name in names:
                key = f"{where}.{name[:80]}"
                keys.append(key)
                self._counts[key] += 1
                if self._counts[key] == 1:
                    # A caller chose the name: escaped, so that it can't forge lines of the log.
                    log.warning("not known here: %s", ascii(key))
        return keys

    def note_flags(self, where: str, value: int, known: type[IntFlag]) -> None:
        """Count the bits of ``value`` that no flag of ``known`` has; raise InvalidDocumentError if strict."""
        bits = value & ~_all_of(known)
        self.note(where, [hex(bits)] if bits else [])

    def untold(self, where: str) -> tuple[str, ...]:
        """Return the names of ``where`` that lack their effect here and were not used before."""
        return tuple(self._untold.get(where, ()))

    def use(self, where: str, names: Iterable[str]) -> None:
        """Log those of ``names`` that are ``untold``."""
        for name in names:
            with self._lock:
                instead = self._untold[where].pop(name, None)
            if instead is not None:
                log.warning("accepted, not enforced: %s.%s (%s)", where, name, instead)

    def counts(self) -> Mapping[str, int]:
        """Return how often each unknown field was met."""
        with self._lock:
            return dict(self._counts)


def known_flags(known: type[IntFlag]) -> AfterValidator:
    """Return a validator for a field of flags: the bits that ``known`` doesn't have are counted, and kept."""

    def check(value: int, info: ValidationInfo) -> int:
        if value and isinstance(info.context, UnknownFields):
            info.context.note_flags(known.__name__, value, known)
            info.context.use(known.__name__, _names_of(known, value))
        return value

    return AfterValidator(check)


@cache
def _all_of(known: type[IntFlag]) -> int:
    return sum(known)


# The same few values come again and again.
@lru_cache(maxsize=1024)
def _names_of(known: type[IntFlag], value: int) -> tuple[str, ...]:
    return tuple(flag.name or "" for flag in known if value & flag)


class Document(BaseModel):
    """A document, or a part of one.

    Types are strict: HNS refuses "5" for a number (HCN_E_INVALID_JSON). Null counts as absent: Go clients
    write null for empty lists. Field names are taken in any case.  # unverified: HNS's own rule for case.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", populate_by_name=True)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Return the document itself, which nothing changes: defaults need no copies."""
        return self

    @model_validator(mode="before")
    @classmethod
    def _canonical_names(cls, value: Any, info: ValidationInfo) -> Any:
        """Give the fields their names; tell the counter in ``info.context`` which there are, known and unknown."""
        if not isinstance(value, dict):
            raise ValueError("not an object")  # noqa: TRY004 - pydantic collects ValueErrors
        names = _names(cls)
        sent = {names.get(str(key).lower(), key): item for key, item in value.items() if item is not None}
        if isinstance(info.context, UnknownFields):
            info.context.note(cls.__name__, [key for key in value if str(key).lower() not in names])
            untold = info.context.untold(cls.__name__)
            info.context.use(cls.__name__, [name for name in untold if _says_something(cls, name, sent.get(name))])
        return sent

    @classmethod
    def read(cls, value: Mapping[str, Any], unknown: UnknownFields) -> Self:
        """Read a parsed JSON object; raise InvalidDocumentError where a field has a wrong type."""
        try:
            return cls.model_validate(value, context=unknown)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InvalidDocumentError(".".join(str(part) for part in first["loc"])) from error
        except RecursionError as error:
            raise InvalidDocumentError from error


def _says_something(model: type[Document], name: str, value: Any) -> bool:
    """Whether a field is neither empty nor what it would be if it were left out."""
    return bool(value) and value != model.model_fields[name].default


@cache
def _names(model: type[Document]) -> Mapping[str, str]:
    return {name.lower(): name for name in model.model_fields}


class DocumentVersion(Document):
    """The version of a v2 document. containerd sends 0.0, scripts 2.2 and, in queries, 1.0.

    (microsoft/hcsshim hcn/hcn.go)
    """

    Major: int = 2
    Minor: int = 0


class ObjectDocument(Document):
    """What all objects of v2 have: Base in MicrosoftDocs/Virtualization-Documentation hns_schema.

    All but the ids, names and versions is HNS's own: clients send whole documents back, and it has no effect there.
    """

    ID: str = ""
    Owner: str = ""  # unverified: where HNS shows it; no published output does
    Name: str = ""
    Version: UInt64 = 0
    AdditionalParams: dict[str, Any] = {}
    Health: dict[str, Any] = {}
    SchemaVersion: DocumentVersion = DocumentVersion()
    Telemetry: dict[str, Any] = {}
    State: UInt16 = 0


class DnsObject(Document):
    """DNS settings of a network or an endpoint (microsoft/hcsshim hcn/hcnnetwork.go)."""

    Domain: str = ""
    Search: list[str] = []
    ServerList: list[str] = []
    Options: list[str] = []


class Route(Document):
    """A route of a subnet or an endpoint (microsoft/hcsshim hcn/hcnnetwork.go)."""

    NextHop: str = ""
    DestinationPrefix: str = ""
    Metric: int = 0


class PolicyDocument(Document):
    """A v2 policy: the settings stay as they were sent, to be given back unchanged.

    (microsoft/hcsshim hcn/hcnpolicy.go)
    """

    Type: str
    Settings: dict[str, Any] = {}


class MacRange(Document):
    """A block of MAC addresses, both ends included (microsoft/hcsshim hcn/hcnnetwork.go)."""

    StartMacAddress: str
    EndMacAddress: str
