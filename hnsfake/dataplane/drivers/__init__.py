"""Network drivers: one file each, behind one protocol, found through one table."""

from __future__ import annotations

from collections.abc import Mapping

from hnsfake.dataplane.drivers.base import DriverFactory, NetworkDriver
from hnsfake.dataplane.drivers.internal import Internal, Private
from hnsfake.dataplane.drivers.l2bridge import L2Bridge
from hnsfake.dataplane.drivers.l2tunnel import L2Tunnel
from hnsfake.dataplane.drivers.nat import Nat
from hnsfake.dataplane.drivers.overlay import Overlay
from hnsfake.dataplane.drivers.transparent import Transparent
from hnsfake.dataplane.interface import Driver

DRIVERS: Mapping[Driver, DriverFactory] = {
    Driver.L2BRIDGE: L2Bridge,
    Driver.L2TUNNEL: L2Tunnel,
    Driver.OVERLAY: Overlay,
    Driver.TRANSPARENT: Transparent,
    Driver.NAT: Nat,
    Driver.ICS: Nat,
    Driver.INTERNAL: Internal,
    Driver.PRIVATE: Private,
}

__all__ = ["DRIVERS", "NetworkDriver"]
