"""How the form of documents differs between releases: order of members, letter case of ids.

HNS 9 writes v1 members in alphabetical order and endpoint ids in upper case; HNS 13 and later put Version and
Resources of a network last, begin an endpoint with ID, Name, Version, and write endpoint ids in lower case
(outputs in MicrosoftDocs/Virtualization-Documentation, projectcalico/calico#4682, rancher/rke2#3925). HNS 10
to 12 are taken to be like 9.  # unverified
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NEW_FORM = 13 << 32
_LAST = ("Version", "Resources")


def is_new(version: int) -> bool:
    """Whether an object of this ``Version`` is written in the form of HNS 13 and later."""
    return version >= _NEW_FORM


def ordered(view: dict[str, Any], new: bool, order: Sequence[str] = ()) -> dict[str, Any]:
    """Return a v1 document with its members in the order of the release; ``order`` is that of HNS 13 and later."""
    if new and order:
        return {name: view[name] for name in order if name in view}
    names = sorted(view)
    if new:
        tail = [name for name in _LAST if name in view]
        names = [name for name in names if name not in tail] + tail
    return {name: view[name] for name in names}


def health(created: int) -> dict[str, Any]:
    """Return the ``Health`` of what is in good health."""
    return {"LastErrorCode": 0, "LastUpdateTime": created}


def resources(
    object_id: str, parent: str | None, created: int, new: bool, allocators: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return an object's ``Resources``: its own id is the object's ActivityId; ``parent`` is None for one without.

    An object that has none doesn't show ``Allocators`` (microsoft/SDN#269, moby/moby#40128).
    """
    return {
        "AdditionalParams": {},
        "AllocationOrder": len(allocators),
        **({"Allocators": list(allocators)} if allocators else {}),
        **({"CompartmentOperationTime": 0, "Flags": 0} if new else {}),
        "Health": health(created),
        "ID": object_id,
        "PortOperationTime": 0,
        "State": 1,
        "SwitchOperationTime": 0,
        "VfpOperationTime": 0,
        **({"parentId": parent} if parent is not None else {}),
    }
