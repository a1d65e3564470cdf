"""The extensions of a network's switch: which there are, by ids that differ between releases, and which are on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.network import ExtensionState, Network
from hnsfake.documents.translation.form import is_new

_FILTERING = "E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A"
# HNS 9: projectcalico/calico#6996; HNS 13 and later: rancher/rke2#3925.
_VFP = ("E9B59CFA-2BE1-4B21-828F-B6FBDBDDC017", "F74F241B-440F-4433-BB28-00F89EAD20D8")
_CAPTURE = ("EA24CD6C-D17A-4348-9190-09F0D5BE83DD", "430BDADD-BAB0-41AB-A369-94B67FA5BE0A")
# Those that another product installs: there once they were switched on (antrea-io/antrea pkg/agent/util).
_OTHERS = {"583CC151-73EC-4A6A-8B47-578297AD7623": "Open vSwitch Extension"}
_NAMES = {
    _FILTERING: "Microsoft Windows Filtering Platform",
    **dict.fromkeys(_VFP, "Microsoft Azure VFP Switch Extension"),
    **dict.fromkeys(_CAPTURE, "Microsoft NDIS Capture"),
    **_OTHERS,
}


def extension_states(network: Network) -> dict[str, bool]:
    """Return the extensions of a network's switch, and whether each is on: VFP where the type uses it."""
    new = is_new(network.version)
    return {_FILTERING: False, _VFP[new]: network.traits.vfp, _CAPTURE[new]: True, **dict(network.extensions)}


def available(version: int) -> frozenset[str]:
    """Return the ids of extensions that a switch of this release has or may get."""
    new = is_new(version)
    return frozenset({_FILTERING, _VFP[new], _CAPTURE[new], *_OTHERS})


def read_extensions(extensions: Iterable[ExtensionState]) -> tuple[tuple[str, bool], ...]:
    """Read which extensions are to be on and off; raise HnsError (HCN_E_GUID_CONVERSION_FAILURE)."""
    return tuple((guids.read(one.Id) or "", one.IsEnabled) for one in extensions)


def extensions_v1(network: Network) -> list[dict[str, Any]]:
    """Return v1's ``Extensions``."""
    return [
        {"Id": guid, "IsEnabled": enabled, "Name": _NAMES[guid]} for guid, enabled in extension_states(network).items()
    ]
