"""The extensions of a network's switch: which there are, which are on, and how v1 writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.network import ExtensionState, Network

# The three extensions of every switch; VFP is on where the type uses it (rancher/rke2#3925).
_EXTENSIONS = (
    ("E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A", "Microsoft Windows Filtering Platform", False),
    ("F74F241B-440F-4433-BB28-00F89EAD20D8", "Microsoft Azure VFP Switch Extension", True),
    ("430BDADD-BAB0-41AB-A369-94B67FA5BE0A", "Microsoft NDIS Capture", True),
)
_VFP = "F74F241B-440F-4433-BB28-00F89EAD20D8"
# Those that another product installs: there once they were switched on (antrea-io/antrea pkg/agent/util).
_OTHERS = {"583CC151-73EC-4A6A-8B47-578297AD7623": "Open vSwitch Extension"}
_EXTENSION_NAMES = {guid: name for guid, name, _ in _EXTENSIONS} | _OTHERS
EXTENSIONS = frozenset(_EXTENSION_NAMES)
"""The ids of extensions that a switch has or may get."""


def extension_states(network: Network) -> dict[str, bool]:
    """Return the extensions of a network's switch, and whether each is on."""
    states = {guid: enabled and (guid != _VFP or network.traits.vfp) for guid, _, enabled in _EXTENSIONS}
    return states | dict(network.extensions)


def read_extensions(extensions: Iterable[ExtensionState]) -> tuple[tuple[str, bool], ...]:
    """Read which extensions are to be on and off; raise HnsError (HCN_E_GUID_CONVERSION_FAILURE)."""
    return tuple((guids.read(one.Id) or "", one.IsEnabled) for one in extensions)


def extensions_v1(network: Network) -> list[dict[str, Any]]:
    """Return v1's ``Extensions``."""
    return [
        {"Id": guid, "IsEnabled": enabled, "Name": _EXTENSION_NAMES[guid]}
        for guid, enabled in extension_states(network).items()
    ]
