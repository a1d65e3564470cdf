"""Nodes of certain releases and updates, and the marks that tie tests to quirks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from suites import topology
from suites.host import Lane, NotHereError
from suites.topology import Topology

NodesOf = Callable[..., Lane]
NetOf = Callable[..., AbstractContextManager[Topology]]


@pytest.fixture
def nodes_of(lane: Lane) -> NodesOf:
    """Return what gives two nodes of a release, with quirks switched: ``nodes_of("ws2022", quirk=False)``."""

    def nodes(release: str, **quirks: bool) -> Lane:
        try:
            return lane.of(release, {name.replace("_", "-"): on for name, on in quirks.items()})
        except NotHereError as error:
            pytest.skip(str(error))

    return nodes


@pytest.fixture
def net_of(nodes_of: NodesOf) -> NetOf:
    """Return what builds a driver's topology on two nodes of a release, for a while."""

    @contextmanager
    def net(driver: str, release: str, **quirks: bool) -> Iterator[Topology]:
        with topology.build(driver, nodes_of(release, **quirks)) as made:
            yield made

    return net
