"""GUIDs as HNS writes them: upper case, no braces (older builds wrote lower case: Windows Server 1709)."""

from __future__ import annotations

import re
import uuid

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult

_GUID = re.compile(r"\{?([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\}?")
ZERO = "00000000-0000-0000-0000-000000000000"


def new() -> str:
    """Return a fresh id."""
    return str(uuid.uuid4()).upper()


def derived(owner: str, what: str) -> str:
    """Return the id of a part of an object, always the same one for the same object."""
    return str(uuid.uuid5(uuid.UUID(owner or ZERO), what)).upper()


def read(text: str | None) -> str | None:
    """Normalise a GUID in any case, with or without braces; None where there is none or it is all zeros.

    Raises HnsError (HCN_E_GUID_CONVERSION_FAILURE) for anything else.
    """
    if not text:
        return None
    match = _GUID.fullmatch(text)
    if match is None:
        raise HnsError(HResult.HCN_E_GUID_CONVERSION_FAILURE)
    guid = match[1].upper()
    return None if guid == ZERO else guid
