"""How long the real service takes: what is published of it, as named profiles for delays."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds that a call takes: at least, usually, at most.

    unverified: the shape. Published are single values and sums; a triangle claims no more than its corners.
    """

    least: float
    usual: float
    most: float

    def draw(self, chance: random.Random) -> float:
        """Return how long one call takes."""
        return chance.triangular(self.least, self.most, self.usual)


def _around(mean: float) -> Latency:
    return Latency(mean / 2, mean, mean * 1.5)  # unverified: the spread; the mean is what was published


_SERVICES = 2000

PROFILES: Mapping[str, Latency] = {
    # An endpoint is made in 3 ms, a network shown in 4 (moby/moby#40128), a network made in 10 (docker/for-win#750),
    # the networks listed in 16 (docker/for-win#1126).
    "healthy": Latency(0.003, 0.004, 0.016),
    # 2,000 services with 5,000 remote endpoints took 1 and 22 minutes, before Windows' updates of 2022 10 and 110
    # (kubernetes/kubernetes#109124).  # unverified: that the load balancer's creation is what took the time.
    "load-balancers-ws2022": _around(1 * 60 / _SERVICES),
    "load-balancers-ws2022-unpatched": _around(10 * 60 / _SERVICES),
    "load-balancers-ws2019": _around(22 * 60 / _SERVICES),
    "load-balancers-ws2019-unpatched": _around(110 * 60 / _SERVICES),
    # "About half a minute per policy" when kube-proxy starts (kubernetes/kubernetes#109162).
    "load-balancers-stuck": _around(30),
}
"""Profiles by name. Those of load balancers are meant for HcnCreateLoadBalancer and POST /policylists/."""
