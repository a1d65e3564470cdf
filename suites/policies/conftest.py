"""What the tests of newer policies need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suites import topology
from suites.host import Lane, NotHereError
from suites.topology import NodeNetwork


@pytest.fixture
def newer(lane: Lane) -> Iterator[NodeNetwork]:
    """An L2Bridge node of a release that has tiers (HNS 14.0) and rules of networks (HNS 15.0)."""
    try:
        nodes = lane.of("ws2025", {})
    except NotHereError as error:
        pytest.skip(str(error))
    with topology.build("L2Bridge", nodes) as made:
        yield made.nodes[0]
