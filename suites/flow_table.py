"""The driver × flow table at the end of a run: ✔ holds, ✗ fails, – not on this driver or lane."""

from __future__ import annotations

import pytest

from suites.topology import ALONE, DRIVERS

_CELL = "flow"


def note(item: pytest.Item) -> None:
    """Remember the cell that a test fills; properties travel with its report, also between processes."""
    mark = item.get_closest_marker("flow")
    call = getattr(item, "callspec", None)
    driver = call.params.get("shared") if call is not None else None
    if mark is not None and driver is not None:
        item.user_properties.append((_CELL, f"{driver}|{mark.args[0]}"))


def write(reporter: pytest.TerminalReporter) -> None:
    """Write the table, where any test had a cell."""
    cells: dict[tuple[str, str], bool] = {}
    for outcome in ("passed", "failed", "error"):
        for report in reporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", []):
                if name == _CELL:
                    driver, _, flow = value.partition("|")
                    cells[driver, flow] = cells.get((driver, flow), True) and outcome == "passed"
    if not cells:
        return
    flows = sorted({flow for _, flow in cells})
    width = max(map(len, flows))
    reporter.write_sep("=", "driver × flow")
    drivers = (*DRIVERS, *ALONE)
    reporter.write_line(f"{'':{width}}  " + "  ".join(f"{driver:^8}" for driver in drivers))
    for flow in flows:
        signs = [{True: "✔", False: "✗", None: "–"}[cells.get((driver, flow))] for driver in drivers]
        row = (f"{sign:^{max(8, len(driver))}}" for sign, driver in zip(signs, drivers, strict=True))
        reporter.write_line(f"{flow:{width}}  " + "  ".join(row))
