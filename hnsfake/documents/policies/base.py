"""What all policies share: typed settings, and how a policy is written in v1 and in v2."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo


class InvalidPolicyError(ValueError):
    """A policy's settings can't be read; the service answers HCN_E_INVALID_POLICY or HCN_E_INVALID_JSON."""


class Policy(BaseModel):
    """Typed settings of one policy. Immutable, compared by value.

    ``v2_type`` and ``v1_type`` are the ``Type`` strings of the two faces. A v2 policy is
    ``{"Type", "Settings": {...}}``, a v1 policy has its settings beside ``Type``
    (microsoft/hcsshim hcn/hcnpolicy.go, internal/hns/hnspolicy.go). ``hnsfake.documents.translation`` lists all.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True, strict=True, extra="ignore")

    v2_type: ClassVar[str]
    v1_type: ClassVar[str]
    v1_names: ClassVar[Mapping[str, str]] = {}
    """What v1 calls a setting, by its name in v2, where that is another."""
    v1_notes: ClassVar[Mapping[str, str]] = {}
    """What else is different in v1 of a setting, by its name in v2, and ``v2_settings`` and ``v1_settings`` do."""

    @property
    def key(self) -> Hashable:
        """What a request finds one policy of this type by; None where policies of it have no name of their own."""
        return None

    @classmethod
    def from_v2(cls, settings: dict[str, Any]) -> Self:
        """Read v2 ``Settings``; raise InvalidPolicyError."""
        return cls._read(settings)

    @classmethod
    def from_v1(cls, settings: dict[str, Any]) -> Self:
        """Read a v1 policy object; raise InvalidPolicyError."""
        return cls._read(cls.v2_settings(settings))

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate a v1 policy object into v2 ``Settings``."""
        return renamed({key: value for key, value in v1.items() if key != "Type"}, _v2_names(cls))

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate v2 ``Settings`` into the fields of a v1 policy object (without ``Type``)."""
        return renamed(v2, cls.v1_names)

    @classmethod
    def shown_v2(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Return v2 ``Settings`` as HNS gives them back: by default just as they were sent."""
        return settings

    @classmethod
    def _read(cls, settings: dict[str, Any]) -> Self:
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise InvalidPolicyError(f"{cls.v2_type}: {where}: {first['msg']}") from error


def strangers(read: BaseModel, sent: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in ``sent`` that the model it was read by doesn't have; those inside its parts with a dot."""
    fields = {alias: name for name, field in type(read).model_fields.items() for alias in aliases(name, field)}
    for name, value in sent.items():
        if name not in fields:
            yield name
            continue
        part = getattr(read, fields[name])
        parts = part if isinstance(part, tuple) else (part,)
        values = value if isinstance(value, list) else [value]
        if len(parts) == len(values):
            for one, other in zip(parts, values, strict=True):
                if isinstance(one, BaseModel) and isinstance(other, dict):
                    yield from (f"{name}.{inner}" for inner in strangers(one, other))


def aliases(name: str, field: FieldInfo) -> list[str]:
    """Return the names that a field of a policy has in documents."""
    alias = field.validation_alias or field.alias
    if isinstance(alias, AliasChoices):
        return [choice for choice in alias.choices if isinstance(choice, str)]
    return [alias] if isinstance(alias, str) else [name]


@cache
def _v2_names(policy: type[Policy]) -> Mapping[str, str]:
    return {v1: v2 for v2, v1 in policy.v1_names.items()}


def renamed(source: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return ``source`` with its keys replaced where ``names`` has another name for them; order is kept."""
    return {names.get(key, key): value for key, value in source.items()}
