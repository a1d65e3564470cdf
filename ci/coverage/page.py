"""The page, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from hnsfake.documents.hresults import HResult

from .contract import Field, PolicyRow, errors, fields, operations, policies

Touched = Mapping[tuple[str, ...], set[str]]

_HEAD = """# What of HNS's contract is covered

Made of the code's own tables and of what the tests touch (`tox run -e tests`, then `tox run -e coverage -- --write`).
Tests that draw their input by chance are left out of "tested by", as what they touch differs from run to run.
"""
_NOT_TESTED = "–"


def page(touched: Touched) -> str:
    """Return the page for what the tests touched."""
    parts = [
        _HEAD,
        "## Operations\n",
        *_table(
            ("operation", "tested by"), ((f"`{name}`", _tests(touched, "operation", name)) for name in operations())
        ),
        "## Fields\n",
        "Every field is accepted, and refused where its type is another (`HCN_E_INVALID_JSON`).\n",
        "*Given back*: it is in an answer that a test got.\n",
        *_table(
            ("document", "field", "type", "given back", "tested by", "source"),
            (_field_of(touched, field) for field in fields()),
        ),
        "## Policies\n",
        *_table(
            ("policy", "in v1", "of", "since", "settings", "given back", "on the wire", "tested by", "source"),
            (_policy_of(touched, policy) for policy in policies()),
        ),
        "## Errors\n",
        *_table(("code", "name", "text", "tested by"), (_error_of(touched, error) for error in errors())),
    ]
    return "\n".join(parts)


# In which answers the fields of a document come back; one that isn't here is a request's alone.
_ANSWERS = {
    "NetworkV1": ("v1 networks",),
    "SubnetV1": ("v1 networks",),
    "NetworkV2": ("v2 Network",),
    "IpamV2": ("v2 Network",),
    "SubnetV2": ("v2 Network",),
    "MacPoolV2": ("v2 Network",),
    "MacRange": ("v1 networks", "v2 Network"),
    "EndpointV1": ("v1 endpoints",),
    "EndpointV2": ("v2 Endpoint",),
    "IpConfigurationV2": ("v2 Endpoint",),
    "DnsObject": ("v2 Network", "v2 Endpoint"),
    "Route": ("v2 Network", "v2 Endpoint"),
    "PolicyDocument": ("v2 Network", "v2 Endpoint"),
    "DocumentVersion": ("v2 Network", "v2 Endpoint"),
    "NamespaceV1": ("v1 namespaces",),
    "NamespaceV2": ("v2 Namespace",),
    "PolicyListV1": ("v1 policylists",),
    "ElbPolicyV1": ("v1 policylists",),
    "LoadBalancerV2": ("v2 LoadBalancer",),
    "PortMappingV2": ("v2 LoadBalancer",),
    "SdnRouteV2": ("v2 SdnRoute",),
    "ManagementMacsV1": ("v1 accelnet",),
    "ManagementMacV1": ("v1 accelnet",),
}
_OF = {"endpoint": ("v1 endpoints", "v2 Endpoint"), "network": ("v1 networks", "v2 Network")}


def _operation(touched: Touched, name: str) -> Iterable[str]:
    return f"`{name}`", _tests(touched, "operation", name)


def _field_of(touched: Touched, field: Field) -> Iterable[str]:
    answers = _ANSWERS.get(field.model, ())
    back = any(touched.get(("returned", answer, field.name)) for answer in answers)
    return (
        f"`{field.model}`",
        f"`{field.name}`",
        f"`{field.type}`".replace("|", "or"),
        ("yes" if back else "no") if answers else "a request's",
        _tests(touched, "field", field.model, field.name),
        field.source,
    )


def _policy_of(touched: Touched, policy: PolicyRow) -> Iterable[str]:
    tests = {test for name in policy.attributes for test in touched.get(("policy", policy.v2, name), ())}
    places = [place for noun in policy.of.split(", ") for place in _OF[noun]]
    kinds = {f"Type {kind}" for kind in (policy.v1, policy.v2)}
    back = any(touched.get(("returned", place, kind)) for place in places for kind in kinds)
    return (
        f"`{policy.v2}`",
        f"`{policy.v1}`",
        policy.of,
        policy.since or "always",
        ", ".join(f"`{name}`" for name in policy.fields) or "none",
        "yes" if back else "no",
        f"no: {policy.enforced}" if policy.enforced else "yes",
        _named(tests),
        policy.source,
    )


def _error_of(touched: Touched, error: HResult) -> Iterable[str]:
    return f"`{int(error):#010x}`", f"`{error.name}`", error.text, _tests(touched, "error", error.name)


def _tests(touched: Touched, *row: str) -> str:
    return _named(touched.get(row, set()))


def _named(tests: set[str]) -> str:
    return ", ".join(sorted(PurePath(test).stem.removeprefix("test_") for test in tests)) or _NOT_TESTED


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    columns = list(head)
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]
