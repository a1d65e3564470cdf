"""doctor: what this kernel and machine can and can't do, the one command that mends it, and what nothing mends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hnsfake.frontends.probes import Finding

_SIGNS = {"GOOD": "ok", "LACKING": "lacks", "BROKEN": "FAILS"}


def doctor(
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Also what is in order.")] = False,
) -> None:
    """Say what works here; exit code 1 where a lab with packets can't run.

    With -v also what no kernel would mend: policies, objects, types of networks, fields and flags that HNS takes here
    without their whole effect on packets.
    """
    from hnsfake.frontends.probes import Verdict, examine, remedy
    from hnsfake.service.field_support import NOT_ENFORCED_FIELDS
    from hnsfake.service.policy_support import NOT_ENFORCED

    as_root = os.geteuid() == 0  # in the sandbox everybody is
    findings = examine()
    for finding in findings:
        if verbose or finding.verdict is not Verdict.GOOD:
            typer.echo(_line(finding))
    if verbose:
        typer.echo("accepted, not enforced:")
        for name, instead in (NOT_ENFORCED | NOT_ENFORCED_FIELDS).items():
            typer.echo(f"       {name}: {instead}")
    good = sum(finding.verdict is Verdict.GOOD for finding in findings)
    typer.echo(f"{good} of {len(findings)} probes are good")
    mending = remedy(findings, as_root)
    if any(finding.verdict is Verdict.BROKEN for finding in findings):
        typer.echo(f"labs with packets can't run here; mend it with: {mending or 'a kernel that has the above'}")
        raise typer.Exit(1)
    typer.echo("labs run here" + (f"; for more: {mending}" if mending else ""))


def _line(finding: Finding) -> str:
    consequence = f": {finding.consequence}" if finding.consequence else ""
    return f"{_SIGNS[finding.verdict.name]:<6} {finding.name}{consequence}"
