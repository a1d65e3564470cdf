"""Network drivers: one file each, behind one protocol, found through one table."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.dataplane.drivers.base import DriverFactory, NetworkDriver
from hnsfake.dataplane.drivers.l2bridge import L2Bridge
from hnsfake.dataplane.drivers.nat import Nat
from hnsfake.dataplane.drivers.overlay import Overlay
from hnsfake.dataplane.interface import Driver

DRIVERS: Mapping[Driver, DriverFactory] = {
    Driver.L2BRIDGE: L2Bridge,
    Driver.OVERLAY: Overlay,
    Driver.NAT: Nat,
}

__all__ = ["DRIVERS", "NetworkDriver"]
