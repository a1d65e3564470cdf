"""A policy as a caller sent it, with its typed reading: what is given back, and what is enforced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from hnsfake.documents.policies.base import Policy


@dataclass(frozen=True)
class PolicyRecord:
    """One policy of an object.

    ``type`` is the caller's word; ``settings`` are v2 ``Settings``, keys and values as they were sent
    (clients compare them byte by byte: microsoft/windows-container-networking). ``typed`` is None for a
    type that this emulator does not know or does not enforce. ``sent_v1`` is the whole v1 policy where it
    came in that shape.
    """

    type: str
    settings: Mapping[str, Any]
    typed: Annotated[Policy | None, Field(exclude=True)] = None
    sent_v1: Mapping[str, Any] | None = None

    def v2(self) -> dict[str, Any]:
        """Return the v2 form."""
        settings = dict(self.settings)
        return {"Type": self.type, "Settings": self.typed.shown_v2(settings) if self.typed is not None else settings}

    def v1(self) -> dict[str, Any]:
        """Return the v1 form: the settings beside the type."""
        if self.sent_v1 is not None:
            return dict(self.sent_v1)
        if self.typed is None:
            return {"Type": self.type, **self.settings}
        model = type(self.typed)
        name = model.v1_type if self.type == model.v2_type else self.type
        return {"Type": name, **model.v1_settings(dict(self.settings))}


def table(models: Iterable[type[Policy]]) -> Mapping[str, type[Policy]]:
    """Return a table from ``Type``, lower case, of either face to the model."""
    names: dict[str, type[Policy]] = {}
    for model in models:
        names[model.v2_type.lower()] = model
        names[model.v1_type.lower()] = model
    return names


def read_v2(kind: str, settings: Mapping[str, Any], models: Mapping[str, type[Policy]]) -> PolicyRecord:
    """Read a v2 policy; raise InvalidPolicyError where its settings can't be read.

    A v1 type name is understood in a v2 document and given back as it was sent: Calico's CNI plug-in hands
    v1 policies of its configuration on with ``Type`` unchanged
    (projectcalico/calico cni-plugin/pkg/dataplane/windows).
    """
    model = models.get(kind.lower())
    return PolicyRecord(kind, settings, model.from_v2(dict(settings)) if model else None)


def read_v1(policy: Mapping[str, Any], models: Mapping[str, type[Policy]]) -> PolicyRecord:
    """Read a v1 policy object; raise InvalidPolicyError where its fields can't be read."""
    kind = str(policy.get("Type", ""))
    model = models.get(kind.lower())
    if model is None:
        return PolicyRecord(kind, {key: value for key, value in policy.items() if key != "Type"}, None, policy)
    settings = model.v2_settings(dict(policy))
    return PolicyRecord(model.v2_type, settings, model.from_v2(settings), policy)
