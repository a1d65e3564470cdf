"""Which calls are over sooner than a thread for them would have started."""

from __future__ import annotations

from hnsfake.service.call import Call
from hnsfake.service.pipeline import V1_FUNCTION

_OF_ONE_OBJECT = ("HcnOpen", "HcnQuery", "HcnClose")
_CHANGES = ("HcnCreate", "HcnModify", "HcnDelete")


def is_short(call: Call, in_memory: bool) -> bool:
    """Return whether a call is about one object and waits for nothing; ``in_memory``: changes wait for nothing."""
    if call.operation == V1_FUNCTION:
        return _v1_is_short(call, in_memory)
    return call.operation.startswith(_OF_ONE_OBJECT + _CHANGES if in_memory else _OF_ONE_OBJECT)


def is_change(call: Call) -> bool:
    """Return whether a call makes, changes or removes an object."""
    if call.operation == V1_FUNCTION:
        return call.method.upper() in ("POST", "DELETE")
    return call.operation.startswith(_CHANGES)


def _v1_is_short(call: Call, in_memory: bool) -> bool:
    collection, _, object_id = call.path.strip("/").partition("/")
    if call.method.upper() == "GET":
        return bool(object_id) and (in_memory or collection.lower() != "endpointstats")  # those are the kernel's
    return in_memory
