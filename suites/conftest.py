"""Lane, topology and marks of the suites, and the driver × flow table at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from suites import flow_table, known, topology
from suites.backends.fake import FakeLane
from suites.hns import Hns
from suites.host import Faults, Lane
from suites.topology import ALONE, DRIVERS, NodeNetwork, Topology

LANES = {"fake": FakeLane}
HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lane", choices=sorted(LANES), default="fake", help="what the suites run on")
    parser.addoption("--release", default="ws2022", help="the Windows release of the nodes")


def pytest_configure(config: pytest.Config) -> None:
    known.declare(config)
    for line in (
        "flow(name): the row of the driver x flow table that a test fills",
        "quirk(id): the quirk that a test shows, or shows the lack of",
        "not_on(lane, reason): the test can't hold on a lane, and why",
    ):
        config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    lane = session.config.getoption("--lane")
    known.check(session, items, HERE)
    for item in items:
        if not item.path.is_relative_to(HERE):
            continue
        for mark in item.iter_markers("not_on"):
            if mark.args[0] == lane:
                item.add_marker(pytest.mark.skip(reason=mark.args[1]))
        flow_table.note(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    flow_table.write(terminalreporter)


@pytest.fixture(scope="session")
def lane(request: pytest.FixtureRequest) -> Iterator[Lane]:
    """What this run has, one a worker."""
    made: Lane = LANES[request.config.getoption("--lane")](request.config.getoption("--release"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def shared(lane: Lane, request: pytest.FixtureRequest) -> Iterator[Topology]:
    """The topology of one driver, kept while its tests run."""
    with topology.build(request.param, lane.alone if request.param in ALONE else lane) as made:
        yield made


@pytest.fixture
def net(shared: Topology) -> Iterator[Topology]:
    """A driver's topology; the pods a test makes on it go with the test."""
    first, second = shared.nodes
    with first.pods(), second.pods():
        yield shared


@pytest.fixture
def n1(net: Topology) -> NodeNetwork:
    """The first node's end."""
    return net.nodes[0]


@pytest.fixture
def n2(net: Topology) -> NodeNetwork:
    """The second node's end."""
    return net.nodes[1]


@pytest.fixture
def hns(lane: Lane) -> Hns:
    """HNS of the first node."""
    return Hns(lane.hosts[0])


@pytest.fixture
def faults(lane: Lane) -> Faults:
    """What makes HNS of the first node go wrong; a test that asks for it is skipped where nothing does."""
    found = lane.hosts[0].faults
    if found is None:
        pytest.skip(f"HNS of lane {lane.name} can't be made to go wrong")
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of ``net`` on each driver it names with ``drivers = …`` on its module, or on all."""
    if "shared" in metafunc.fixturenames:
        wanted = getattr(metafunc.function, "drivers", DRIVERS)
        metafunc.parametrize("shared", wanted, indirect=True)
