"""The contract as rows: what there is of it, by the code's own tables."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from pydantic import BaseModel

import hnsfake.documents
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import ENDPOINT_POLICIES, NETWORK_POLICIES, Policy
from hnsfake.documents.policies.base import aliases
from hnsfake.documents.schema import Document
from hnsfake.service import hns_call
from hnsfake.service.pipeline import FUNCTIONS, V1_FUNCTION
from hnsfake.service.policy_support import FEATURES, NOT_ENFORCED

_SOURCE = re.compile(r"(?:[\w.-]+/[\w.-]+(?:#\d+)?|ComputeNetwork\.h|learn\.microsoft\.com)[^.;)]*")


@dataclass(frozen=True)
class Field:
    """A field of a document: the model that reads it, its name, its type, and where it is published."""

    model: str
    name: str
    type: str
    source: str


@dataclass(frozen=True)
class PolicyRow:
    """A policy: both faces' names, what takes it, the feature it came with, its fields, what happens to packets."""

    v2: str
    v1: str
    of: str
    since: str
    fields: tuple[str, ...]
    attributes: tuple[str, ...]
    enforced: str
    source: str


def operations() -> list[str]:
    """Return the names of all operations, v1 first."""
    v1 = ["/".join(filter(None, (f"{method} ", *words))) for method, *words in hns_call.ROUTES]
    return sorted(v1) + sorted(function for function in FUNCTIONS if function != V1_FUNCTION)


def fields() -> list[Field]:
    """Return the fields of all documents."""
    return [
        Field(model.__name__, name, _type(field.annotation), _source(model))
        for model in sorted(_documents(), key=lambda model: (model.__module__, model.__name__))
        for name, field in model.model_fields.items()
    ]


def policies() -> list[PolicyRow]:
    """Return all policies."""
    found = dict.fromkeys([*ENDPOINT_POLICIES, *NETWORK_POLICIES])
    return [_policy(model) for model in sorted(found, key=lambda model: model.v2_type.lower())]


def errors() -> list[HResult]:
    """Return all HRESULTs but success."""
    return [member for member in HResult if member is not HResult.S_OK]


def _policy(model: type[Policy]) -> PolicyRow:
    nouns = (("endpoint", ENDPOINT_POLICIES), ("network", NETWORK_POLICIES))
    names = {name: aliases(name, field) for name, field in model.model_fields.items()}
    own = {name: " or ".join(found) for name, found in names.items() if found != [name]}
    feature = FEATURES.get(model)
    return PolicyRow(
        model.v2_type,
        model.v1_type,
        ", ".join(noun for noun, models in nouns if model in models),
        feature.value if feature else "",
        tuple(own.values()),
        tuple(own),
        NOT_ENFORCED.get(model.v2_type, ""),
        _source(model),
    )


def _documents() -> Iterator[type[Document]]:
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
            return " ".join(found[0].split()).strip(" ,")
    return ""
