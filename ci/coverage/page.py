"""The page, in Markdown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import PurePath

from hnsfake.documents.hresults import HResult
from hnsfake.documents.not_given import NOT_GIVEN
from hnsfake.releases import RELEASES

from .answers import NOT_RETURNED, PLACES, Touched, came_back, policy_came_back
from .contract import Field, FlagRow, PolicyRow, TypeRow, errors, fields, flags, network_types, policies
from .operations import REFUSED, Operation, Request, operations, requests

_HEAD = """# What of HNS's contract is covered

Made of the code's own tables and of what the tests touch (`tox run -e tests`, then `tox run -e coverage -- --write`).
A test is named by its file, with its folder where two files have the same name. Tests that draw their input by chance
are left out, as what they touch differs from run to run; so is what HNS does of itself.
"""
_OPERATIONS = """## Operations

*Errors*: the HRESULTs that a test got from it.
"""
_REQUESTS = """## Requests

What the functions that modify can be asked; all else is `HCN_E_REQUEST_UNSUPPORTED`.
"""
_FIELDS = """## Fields

Every field is refused where its type is another (`HCN_E_INVALID_JSON`). *Validated*: what is checked beyond that.
*Given back*: it is in an answer that a test got. *Enforced*: on the wire, where packets or what runs in a compartment
notice it; identity, where it names an object; by HNS, where it decides what this call or a later one does or answers;
shown only, where Windows' HNS does no more with it either.
"""
_FLAGS = """## Flags

What members called `Flags` may have; other bits are counted, kept and given back.
"""
_POLICIES = """## Policies

A policy is taken by the releases named, on networks of all types but those named; elsewhere it is
`HCN_E_INVALID_POLICY_TYPE`, or for a type `HCN_E_MAPPING_NOT_SUPPORTED`. One that nobody knows is kept and given back.
"""
_ERRORS = """## Errors

*Not given*: no call gets it; a fault rule can still give it.
"""
_HCN_CODES = "MicrosoftDocs/Virtualization-Documentation HCN error codes"
_ERROR_SOURCES = {"HCN_": _HCN_CODES, "GCN_": _HCN_CODES, "HCS_": "microsoft/hcsshim internal/hcs/errors.go"}
_TYPES_SOURCE = "MicrosoftDocs/Virtualization-Documentation container-networking/network-drivers-topologies"


def page(touched: Touched) -> str:
    """Return the page for what the tests touched."""
    names = _Names({test for tests in touched.values() for test in tests})
    parts = [
        _HEAD,
        _OPERATIONS,
        *_table(
            ("operation", "taken by", "since", "returns", "errors", "tested by", "source"),
            (_operation(touched, names, one) for one in operations()),
        ),
        _REQUESTS,
        *_table(
            ("function", "resource", "request", "tested by", "source"),
            (_request(touched, names, one) for one in requests()),
        ),
        "## Types of networks\n",
        *_table(
            (
                *("type", "on an adapter", "shares it", "VFP", "subnet", "IP subnets", "PortMapping"),
                *("enforced", "tested by", "source"),
            ),
            (_network_type(touched, names, one) for one in network_types()),
        ),
        _FIELDS,
        *_table(
            (
                *("document", "field", "type", "accepted", "validated", "given back", "enforced"),
                *("tested by", "source"),
            ),
            (_field(touched, names, field) for field in fields()),
        ),
        _FLAGS,
        *_table(("flags", "flag", "enforced", "tested by"), (_flag(touched, names, flag) for flag in flags())),
        _POLICIES,
        *_table(
            (
                *("policy", "in v1", "of", "since", "releases", "not on", "settings", "given back", "on the wire"),
                *("tested by", "source"),
            ),
            (_policy(touched, names, policy) for policy in policies()),
        ),
        _ERRORS,
        *_table(("code", "name", "text", "tested by", "source"), (_error(touched, names, error) for error in errors())),
    ]
    return "\n".join(parts)


class _Names:
    """Short names of test files: the stem, with as many folders as tell it from the others."""

    def __init__(self, tests: Collection[str]) -> None:
        named: defaultdict[str, set[str]] = defaultdict(set)
        for test in tests:
            for name in self._of(test):
                named[name].add(test)
        self._short = {test: next(name for name in self._of(test) if len(named[name]) == 1) for test in tests}

    @staticmethod
    def _of(test: str) -> list[str]:
        path = PurePath(test)
        parts = [*path.parts[:-1], path.stem.removeprefix("test_")]
        return ["/".join(parts[at:]) for at in reversed(range(len(parts)))]

    def __call__(self, tests: Collection[str]) -> str:
        return ", ".join(sorted(self._short[test] for test in tests))


def _operation(touched: Touched, names: _Names, one: Operation) -> Iterable[str]:
    failures = sorted(row[2] for row in touched if row[:2] == ("failed", one.name))
    return (
        f"`{one.name}`",
        one.taker,
        one.since,
        one.returns,
        ", ".join(f"`{error}`" for error in failures) or "none",
        names(touched.get(("operation", one.name), ())),
        one.source,
    )


def _request(touched: Touched, names: _Names, one: Request) -> Iterable[str]:
    tests = names(touched.get(("request", one.function, one.resource, one.kind), ()))
    whole = "always refused" if one.function in REFUSED else "replaces the old one"
    return f"`{one.function}`", one.resource or "a whole new document", one.kind or whole, tests, one.source


def _network_type(touched: Touched, names: _Names, row: TypeRow) -> Iterable[str]:
    traits = row.traits
    subnet = "chosen" if traits.chooses_prefix else "needed" if traits.needs_subnets else "optional"
    marks = (traits.external, traits.shares_adapter, traits.vfp)
    return (
        f"`{traits.name}`",
        *map(_yes, marks),
        subnet,
        _yes(traits.ip_subnets),
        _yes(traits.maps_ports),
        f"in part: {row.lacking}" if row.lacking else "on the wire",
        names(touched.get(("network type", traits.name.lower()), ())),
        _TYPES_SOURCE,
    )


def _field(touched: Touched, names: _Names, field: Field) -> Iterable[str]:
    return (
        f"`{field.model}`",
        f"`{field.name}`",
        f"`{field.type}`".replace("|", "or"),
        field.accepted,
        field.validated,
        _given_back(touched, field),
        field.enforced,
        names(touched.get(("field", field.model, field.name), ())),
        field.source,
    )


def _flag(touched: Touched, names: _Names, flag: FlagRow) -> Iterable[str]:
    tests = names(touched.get(("flag", flag.kind, flag.name), ()))
    return f"`{flag.kind}`", f"{flag.value} {flag.name}", f"no: {flag.lacking}" if flag.lacking else "yes", tests


def _given_back(touched: Touched, field: Field) -> str:
    if field.model not in PLACES:
        return "a request's"
    return "yes" if came_back(touched, field.model, field.name) else f"no: {NOT_RETURNED.get(field.key, '')}"


def _policy(touched: Touched, names: _Names, policy: PolicyRow) -> Iterable[str]:
    return (
        f"`{policy.v2}`",
        f"`{policy.v1}`",
        policy.of,
        policy.since,
        "all" if len(policy.releases) == len(RELEASES) else ", ".join(policy.releases),
        ", ".join(policy.not_on) or "taken on all",
        ", ".join(f"`{name}`" for name in policy.settings) or "none",
        _yes(policy_came_back(touched, policy.of, {policy.v1, policy.v2})),
        f"no: {policy.enforced}" if policy.enforced else "yes",
        names(touched.get(("policy", policy.v2), ())),
        policy.source,
    )


def _error(touched: Touched, names: _Names, error: HResult) -> Iterable[str]:
    tests = names(touched.get(("error", error.name), ()))
    reason = f"not given: {NOT_GIVEN.get(error, '')}"
    source = _ERROR_SOURCES.get(error.name[:4], "golang.org/x/sys windows/zerrors_windows.go")
    return f"`{int(error):#010x}`", f"`{error.name}`", error.text, tests or reason, source


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    columns = list(head)
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]
