"""doctor: what this kernel and machine can and can't do, and the one command that mends it."""

from __future__ import annotations

from typing import Annotated

import typer

from hnsfake.frontends.probes import Finding, Verdict, examine

_SIGNS = {Verdict.GOOD: "ok", Verdict.LACKING: "lacks", Verdict.BROKEN: "FAILS"}


def doctor(
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Also what is in order.")] = False,
) -> None:
    """Say what works here; exit code 1 where a lab with packets can't run."""
    findings = examine()
    for finding in findings:
        if verbose or finding.verdict is not Verdict.GOOD:
            typer.echo(_line(finding))
    broken = [finding for finding in findings if finding.verdict is Verdict.BROKEN]
    remedy = next((finding.remedy for finding in broken if finding.remedy), "")
    good = sum(finding.verdict is Verdict.GOOD for finding in findings)
    typer.echo(f"{good} of {len(findings)} probes are good")
    if broken:
        typer.echo(f"labs with packets can't run here; mend it with: {remedy or 'a kernel that has the above'}")
        raise typer.Exit(1)
    typer.echo("labs run here")


def _line(finding: Finding) -> str:
    consequence = f": {finding.consequence}" if finding.verdict is not Verdict.GOOD else ""
    return f"{_SIGNS[finding.verdict]:<6} {finding.name}{consequence}"
