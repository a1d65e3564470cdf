"""The contract as rows: what there is of it, by the code's own tables."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntFlag
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from pydantic import BaseModel

import hnsfake.documents
from hnsfake.documents.endpoint import EndpointFlags
from hnsfake.documents.hresults import HResult
from hnsfake.documents.load_balancer import LoadBalancerFlags, PortMappingFlags
from hnsfake.documents.network import NetworkFlags
from hnsfake.documents.network_types import TYPES, NetworkType
from hnsfake.documents.policies import ENDPOINT_POLICIES, NETWORK_POLICIES, SUBNET_POLICIES, Policy, PortMapping
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.schema import Document
from hnsfake.releases import RELEASES, Feature
from hnsfake.service.field_support import EFFECTS, NOT_ENFORCED_FLAGS, Effect
from hnsfake.service.policy_support import FEATURES, NOT_ENFORCED

from .operations import since
from .validation import validated

_PATH = r"[\w-]+(?:/[\w.-]+)*/[\w.-]*\w"
_REPOSITORY = r"[A-Za-z][\w-]{2,}/[\w-]+(?:\.\w+)?"
_SOURCE = re.compile(rf"{_REPOSITORY}(?:#\d+| {_PATH}(?:(?:,| and) {_PATH})*)?|learn\.microsoft\.com")
_NOT_ON: Mapping[type[Policy], str] = {PortMapping: "maps_ports"}


@dataclass(frozen=True)
class Field:
    """A field of a document: the model that reads it, its name and type, what comes of it, where it is published."""

    model: str
    name: str
    type: str
    accepted: str
    validated: str
    enforced: str
    source: str

    @property
    def key(self) -> str:
        """The name that tables have it by."""
        return f"{self.model}.{self.name}"


@dataclass(frozen=True)
class PolicyRow:
    """A policy: both faces' names, what takes it, its settings, what happens to packets.

    ``releases`` take it, on networks of any type but those it is ``not_on``; ``attributes`` are the settings' names in
    the code.
    """

    v2: str
    v1: str
    of: str
    since: str
    releases: tuple[str, ...]
    not_on: tuple[str, ...]
    settings: tuple[str, ...]
    attributes: tuple[str, ...]
    enforced: str
    source: str


@dataclass(frozen=True)
class TypeRow:
    """A type of network, and what of it is not carried out."""

    traits: NetworkType
    lacking: str


@dataclass(frozen=True)
class FlagRow:
    """A flag: the class that has it, its name and value, and what happens instead of its effect."""

    kind: str
    name: str
    value: int
    lacking: str


_FLAGS: tuple[type[IntFlag], ...] = (EndpointFlags, LoadBalancerFlags, NetworkFlags, PortMappingFlags)
_MODIFY_SUBNETS = ", ".join(name for name, one in RELEASES.items() if one.modifies_subnets)
_ACCEPTED: Mapping[str, str] = {
    "ManagementMacV1": since(Feature.ACCELNET),
    "ManagementMacsV1": since(Feature.ACCELNET),
    "SubnetSettings": _MODIFY_SUBNETS,
    "IpSubnetSettings": _MODIFY_SUBNETS,
    "VmPort": f"read, then refused (`{HResult.HCN_E_REQUEST_UNSUPPORTED.name}`)",
    "EndpointV2.HostComputeNetwork": "always; the network of the handle counts",
    "PortMappingV2.DistributionType": f"{since(Feature.SESSION_AFFINITY)}; before, dropped",
}
"""By model or field, where it is not always."""


def fields() -> list[Field]:
    """Return the fields of all documents."""
    return [
        _field(model, name)
        for model in sorted(documents(), key=lambda model: (model.__module__, model.__name__))
        for name in listed_fields(model)
    ]


def listed_fields(model: type[Document]) -> list[str]:
    """Return the names of a document's fields, but of those that all objects have only what is of note in its own."""
    spoken_of = dict(EFFECTS[model.__name__].each()) if model.__name__ in EFFECTS else {}
    return [name for name in model.model_fields if name in model.__annotations__ or name in spoken_of]


def _field(model: type[Document], name: str) -> Field:
    key = f"{model.__name__}.{name}"
    effect = dict(EFFECTS[model.__name__].each())[name]
    return Field(
        model.__name__,
        name,
        _type(model.model_fields[name].annotation),
        _ACCEPTED.get(key, _ACCEPTED.get(model.__name__, "always")),
        validated(model, name),
        effect.value if isinstance(effect, Effect) else f"no: {effect}",
        _source(model),
    )


def flags() -> list[FlagRow]:
    """Return the flags that documents have."""
    return [
        FlagRow(kind.__name__, flag.name or "", flag.value, NOT_ENFORCED_FLAGS[kind.__name__].get(flag.name or "", ""))
        for kind in _FLAGS
        for flag in kind
    ]


def network_types() -> list[TypeRow]:
    """Return all types of networks."""
    return [TypeRow(traits, NOT_ENFORCED.get(traits.name, "")) for traits in TYPES.values()]


def policies() -> list[PolicyRow]:
    """Return all policies."""
    found = dict.fromkeys([*ENDPOINT_POLICIES, *NETWORK_POLICIES])
    return [_policy(model) for model in sorted(found, key=lambda model: model.v2_type.lower())]


def errors() -> list[HResult]:
    """Return all HRESULTs but success."""
    return [member for member in HResult if member is not HResult.S_OK]


def _policy(model: type[Policy]) -> PolicyRow:
    nouns = (("endpoint", ENDPOINT_POLICIES), ("network", NETWORK_POLICIES), ("subnet", SUBNET_POLICIES))
    names = {name: aliases(name, field) for name, field in model.model_fields.items()}
    own = {name: " or ".join(found) for name, found in names.items() if found != [name]}
    feature = FEATURES.get(model)
    trait = _NOT_ON.get(model)
    return PolicyRow(
        model.v2_type,
        model.v1_type,
        ", ".join(noun for noun, models in nouns if model in models),
        since(feature) if feature else "always",
        tuple(name for name, release in RELEASES.items() if feature is None or release.supports(feature)),
        tuple(kind.name for kind in TYPES.values() if trait and not getattr(kind, trait)),
        tuple(own.values()),
        tuple(own),
        NOT_ENFORCED.get(model.v2_type, ""),
        _source(model),
    )


def documents() -> Iterator[type[Document]]:
    """Yield the models that read documents."""
    for module in iter_modules(hnsfake.documents.__path__):
        for value in vars(import_module(f"hnsfake.documents.{module.name}")).values():
            ours = isinstance(value, type) and issubclass(value, Document) and value is not Document
            if ours and value.__module__.endswith(f".{module.name}"):
                yield value


def _type(annotation: Any) -> str:
    shown = getattr(annotation, "__name__", "") if isinstance(annotation, type) else str(annotation)
    return re.sub(r"\b(?:\w+\.)+", "", shown).replace(" | None", "")


def _source(model: type[BaseModel]) -> str:
    """Return what a model's own words, or those of its file, name as the source."""
    for words in (model.__doc__, inspect.getdoc(inspect.getmodule(model))):
        found = _SOURCE.search(words or "")
        if found:
            return " ".join(found[0].split())
    return ""
