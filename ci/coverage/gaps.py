"""What the page may not say: rows that nobody tested and no reason explains, and reasons that are no longer true."""

from __future__ import annotations

from collections.abc import Iterator

from hnsfake.documents.not_given import NOT_GIVEN
from hnsfake.service.field_support import EFFECTS

from .answers import NOT_RETURNED, PLACES, Touched, came_back, policy_came_back
from .contract import documents, errors, fields, flags, listed_fields, network_types, policies
from .operations import operations, requests


def gaps(touched: Touched) -> list[str]:
    """Return one line for each row without a test or a reason, and for each reason that is stale."""
    return [*_unlisted(), *_of_operations(touched), *_of_fields(touched), *_of_policies(touched), *_of_errors(touched)]


def _unlisted() -> Iterator[str]:
    """Yield what the table of effects lacks of the documents, and what it has that they haven't."""
    there = {f"{model.__name__}.{name}" for model in documents() for name in model.model_fields}
    own = {f"{model.__name__}.{name}" for model in documents() for name in listed_fields(model)}
    listed = [f"{model}.{name}" for model, effects in EFFECTS.items() for name, _ in effects.each()]
    yield from (f"field {name}: in no class of field_support.EFFECTS" for name in sorted(own - set(listed)))
    yield from (f"field {name}: stale in field_support.EFFECTS" for name in sorted(set(listed) - there))
    twice = sorted({name for name in listed if listed.count(name) > 1})
    yield from (f"field {name}: in two classes of field_support.EFFECTS" for name in twice)
    yield from (f"field {name}: stale in answers.NOT_RETURNED" for name in sorted(set(NOT_RETURNED) - there))


def _of_operations(touched: Touched) -> Iterator[str]:
    for operation in operations():
        if not touched.get(("operation", operation.name)):
            yield f"operation {operation.name}: no test"
    for request in requests():
        if not touched.get(("request", request.function, request.resource, request.kind)):
            yield f"request {request.function} {request.kind} {request.resource}: no test"
    for flag in flags():
        if not touched.get(("flag", flag.kind, flag.name)):
            yield f"flag {flag.kind}.{flag.name}: no test"
    for row in network_types():
        if not touched.get(("network type", row.traits.name.lower())):
            yield f"network type {row.traits.name}: no test"


def _of_fields(touched: Touched) -> Iterator[str]:
    for field in fields():
        if not touched.get(("field", field.model, field.name)):
            yield f"field {field.key}: no test"
        if not field.source:
            yield f"field {field.key}: no source"
        if field.model not in PLACES:
            continue
        back = came_back(touched, field.model, field.name)
        if back and field.key in NOT_RETURNED:
            yield f"field {field.key}: given back, so its reason in answers.NOT_RETURNED is stale"
        if not back and field.key not in NOT_RETURNED:
            yield f"field {field.key}: no test got it back, and answers.NOT_RETURNED has no reason"


def _of_policies(touched: Touched) -> Iterator[str]:
    for policy in policies():
        if not touched.get(("policy", policy.v2)):
            yield f"policy {policy.v2}: no test"
        for name, setting in zip(policy.attributes, policy.settings, strict=True):
            if not touched.get(("policy", policy.v2, name)):
                yield f"policy {policy.v2}: no test of {setting}"
        if not policy.source:
            yield f"policy {policy.v2}: no source"
        if not policy_came_back(touched, policy.of, {policy.v1, policy.v2}):
            yield f"policy {policy.v2}: no test got it back"


def _of_errors(touched: Touched) -> Iterator[str]:
    for error in errors():
        tested = touched.get(("error", error.name))
        if tested and error in NOT_GIVEN:
            yield f"error {error.name}: given, so its reason in not_given.NOT_GIVEN is stale"
        if not tested and error not in NOT_GIVEN:
            yield f"error {error.name}: no test got it, and not_given.NOT_GIVEN has no reason"
