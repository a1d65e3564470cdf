"""The table of errors as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from hnsfake.documents.hresults import HResult
from hnsfake.documents.not_given import NOT_GIVEN
from tests.contract.errors.operations import BY_NOUN
from tests.contract.errors.table import INFERRED, RELEASES, Check, Operation

_HEAD = """# Errors

What each operation checks, in the order in which it does, and the HRESULT that a failed check answers with. Made by
`python -m ci.errors` of the table that the tests go by (`tests/contract/errors`).

Microsoft publishes the codes and their texts, and neither which call gives which nor the order. Where a public report,
a client's code or documentation has it, the source is named; the rest is inferred, from the texts and from its
neighbours. One rule gives the order everywhere, and is inferred itself:

1. arguments: ids, handles and the objects behind them; in v1, the object that the path names
2. whether the function, or the request, is one that the object and the release have
3. the document: JSON, the types of its members, then ids, addresses, MACs, routes and policies that can't be read
4. what it names: policies that the release has, networks, endpoints, containers
5. what the network and its type allow: subnets, addresses, policies
6. what others have: ids, names, addresses, MACs, ports
7. what there is a limited number of: addresses, ports, adapters

A v2 call that fails answers with the HRESULT and the record `{"Success":false,"Error":…,"ErrorCode":…}`, whose code is
unsigned and whose text is Windows' sentence, a blank, and what follows. v1 answers with the same as its envelope, and
only a POST returns the HRESULT as well. A call that fails changes nothing.
"""


_BARE = (INFERRED, "the text of the code")


def page() -> str:
    """Return docs/errors.md."""
    parts = [_HEAD]
    for noun, operations in BY_NOUN.items():
        parts.append(f"## {noun}\n")
        parts.extend("\n".join(_operation(operation)) for operation in operations)
    parts.append("## Not given\n\nHRESULTs of HNS that no call answers with, unless a fault rule does.\n")
    parts.append("\n".join(_not_given()))
    return "\n".join(parts)


def _operation(operation: Operation) -> Iterator[str]:
    releases = _only(operation.releases)
    yield f"### {operation.title}{releases}\n"
    yield "| | check | HRESULT | known by |"
    yield "|---|---|---|---|"
    for number, check in enumerate(operation.checks, 1):
        yield f"| {number} | {check.name}{_only(check.releases)} | {_code(check)} | {_known(check)} |"
    yield ""


def _code(check: Check) -> str:
    behind = f" “{check.detail}”" if check.detail else ""
    return f"`{check.hresult.name}`{behind}"


def _known(check: Check) -> str:
    how, source = check.known
    return INFERRED if (how, source) == _BARE else f"{how}: {source}"


def _only(releases: object) -> str:
    names = list(releases) if isinstance(releases, (list, tuple)) else []
    return "" if len(names) == len(RELEASES) else f" ({', '.join(names)})"


def _not_given() -> Iterator[str]:
    yield "| code | name | why |"
    yield "|---|---|---|"
    for hresult in HResult:
        if hresult in NOT_GIVEN:
            yield f"| `{int(hresult):#010x}` | `{hresult.name}` | {NOT_GIVEN[hresult]} |"
    yield ""
