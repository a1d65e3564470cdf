"""Our Go programs on Microsoft's libraries, on each release: every test of theirs is one here."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from hnsfake.lab import NodeConfig

from .programs import MODULE, Go
from .world import world

PATIENCE = 300
RELEASES = ("ws2019", "ws2022", "ws2025")
_TEST = re.compile(r"^func (Test\w+)\(t \*testing\.T\)", re.MULTILINE)
_EXPORTED = re.compile(r"^func (?:\(\w+ \*?(?P<type>[A-Z]\w*)\) )?(?P<name>[A-Z]\w*)\(", re.MULTILINE)


class Library(NamedTuple):
    """A library, and what of its source is about HNS."""

    package: str
    files: str = "*.go"
    methods_only: bool = False


# Each folder of Go tests, and what it has to use in full. The v1 API's types stand in an internal package.
LIBRARIES = {
    "hcn": (Library("github.com/Microsoft/hcsshim/hcn"),),
    "hns": (
        Library("github.com/Microsoft/hcsshim", "hns*.go"),
        Library("github.com/Microsoft/hcsshim/internal/hns", "hns*.go", methods_only=True),
    ),
    "hnslib": (
        Library("github.com/Microsoft/hnslib/hcn"),
        Library("github.com/Microsoft/hnslib", "hns*.go"),
    ),
}


def _tests_of(folder: str) -> list[str]:
    return [name for file in sorted((MODULE / folder).glob("*_test.go")) for name in _TEST.findall(file.read_text())]


@pytest.mark.known("client code", "microsoft/hcsshim hcn, internal/hns; microsoft/hnslib")
@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder in LIBRARIES for name in _tests_of(folder)])
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.timeout(2 * PATIENCE)
def test_go(go: Go, release: str, folder: str, name: str) -> None:
    ends = _run(go, folder)[release]
    action, printed = ends.get(name, ("missing", ends[""][1]))
    assert action == "pass", printed


@pytest.mark.ours("how much our Go tests call")
@pytest.mark.parametrize("folder", LIBRARIES)
def test_every_exported_function_is_called(go: Go, folder: str) -> None:
    ours = "\n".join(file.read_text() for file in (MODULE / folder).glob("*_test.go"))
    exported = {
        found["name"]
        for library in LIBRARIES[folder]
        for file in go.sources(library.package)
        if file.match(library.files)
        for found in _EXPORTED.finditer(file.read_text())
        if found["type"] or not library.methods_only
    }
    assert exported, "the libraries' sources are not where they were"
    assert {name for name in exported if not re.search(rf"\.{name}\b", ours)} == set()


def _run(go: Go, folder: str) -> dict[str, dict[str, list[str]]]:
    """Run a folder's tests, once a test run; return by release how each ended and what it printed."""

    def run(new: Path) -> None:
        program = go.tests(folder)
        with world(*(NodeConfig(release, release) for release in RELEASES)) as served:

            def on(release: str) -> dict[str, list[str]]:
                options = ("-test.v=test2json", "-test.shuffle=on")
                done = served.wine(served.lab.nodes[release], program, *options, patience=PATIENCE)
                return _ends(go.test_events(done.stdout), done.stderr)

            with ThreadPoolExecutor() as nodes:
                new.write_text(json.dumps(dict(zip(RELEASES, nodes.map(on, RELEASES), strict=True))))

    ends: dict[str, dict[str, list[str]]] = json.loads(go.once(f"{folder}.json", run).read_text())
    return ends


def _ends(events: list[dict[str, str]], errors: str) -> dict[str, list[str]]:
    """Return each test's end; under no name, that of the whole."""
    actions: dict[str, str] = {}
    printed: defaultdict[str, str] = defaultdict(str)
    for event in events:
        test = event.get("Test", "")
        actions[test.partition("/")[0] if event["Action"] == "fail" else test] = event["Action"]
        printed[test.partition("/")[0]] += event.get("Output", "")
    printed[""] += errors
    return {test: [actions.get(test, "missing"), printed[test]] for test in ("", *actions)}
