"""How the form of documents differs between releases: order of members, letter case of ids.

HNS 9 writes v1 members in alphabetical order and endpoint ids in upper case; HNS 13 and later put Version and
Resources of a network last, begin an endpoint with ID, Name, Version, and write endpoint ids in lower case
(outputs in MicrosoftDocs/Virtualization-Documentation, projectcalico/calico#4682, rancher/rke2#3925). HNS 10
to 12 are taken to be like 9.  # unverified
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_NEW_FORM = 13 << 32


def is_new(version: int) -> bool:
    """Whether an object of this ``Version`` is written in the form of HNS 13 and later."""
    return version >= _NEW_FORM


def ordered(view: Mapping[str, Any], version: int, last: Iterable[str] = ("Version", "Resources")) -> dict[str, Any]:
    """Return a v1 document with its members in the release's order."""
    names = sorted(view)
    if is_new(version):
        tail = [name for name in last if name in view]
        names = [name for name in names if name not in tail] + tail
    return {name: view[name] for name in names}


def health(created: int) -> dict[str, Any]:
    """Return the ``Health`` of what is in good health."""
    return {"LastErrorCode": 0, "LastUpdateTime": created}


def resources(
    object_id: str, parent: str, created: int, version: int, allocators: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return an object's ``Resources``: its own id is the object's ActivityId.

    An object that has none doesn't show ``Allocators`` (microsoft/SDN#269, moby/moby#40128).
    """
    view: dict[str, Any] = {
        "AdditionalParams": {},
        "AllocationOrder": len(allocators),
        **({"Allocators": list(allocators)} if allocators else {}),
        "Health": health(created),
        "ID": object_id,
        "PortOperationTime": 0,
        "State": 1,
        "SwitchOperationTime": 0,
        "VfpOperationTime": 0,
        "parentId": parent,
    }
    if is_new(version):
        view.update({"CompartmentOperationTime": 0, "Flags": 0})
    return {name: view[name] for name in sorted(view)}
