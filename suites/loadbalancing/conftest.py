"""kube-proxy of the first node."""

from __future__ import annotations

import pytest

from suites.services import Proxy
from suites.topology import NodeNetwork, Topology


@pytest.fixture
def proxy(net: Topology, n1: NodeNetwork) -> Proxy:
    """Return kube-proxy of the first node; what it makes goes with the test."""
    return Proxy(net, n1)
