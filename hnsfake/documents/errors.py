"""The errors HNS answers with.

::

    HnsError                  an HRESULT, and what Windows writes behind its text
    ├── InvalidDocumentError  the JSON can't be read, or a field has a wrong type (HCN_E_INVALID_JSON)
    └── NotFoundError         an id, a name or a handle leads to nothing

A client sees the HRESULT and the error record, or v1's envelope; never this exception.
"""

from __future__ import annotations

import json

from hnsfake.documents.hresults import HResult


class HnsError(Exception):
    """A call failed as Windows fails it; ``detail`` follows Windows' text in the record."""

    def __init__(self, hresult: HResult, detail: str = "") -> None:
        super().__init__(f"{hresult.text} {detail}".strip())
        self.hresult = hresult
        self.detail = detail


class InvalidDocumentError(HnsError):
    """A document can't be read."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(HResult.HCN_E_INVALID_JSON, detail)


class NotFoundError(HnsError):
    """Nothing is there under the id, name or handle given."""


def error_text(error: HnsError) -> str:
    """Return Windows' text for an error: a blank always follows the sentence (microsoft/hcsshim#1043)."""
    return f"{error.hresult.text} {error.detail}"


def error_record(error: HnsError, alphabetical: bool = False) -> str:
    """Return the error record of a v2 call; ErrorCode is unsigned (kubernetes/kubernetes#98680)."""
    record = {"Success": False, "Error": error_text(error), "ErrorCode": int(error.hresult)}
    return json.dumps(record, separators=(",", ":"), sort_keys=alphabetical)


def system_error_record(error: HnsError) -> str:
    """Return the result document of a compute system's call that failed: its code is signed (hcsshim internal/hcs)."""
    return json.dumps(
        {"Error": int(error.hresult) - (1 << 32), "ErrorMessage": error_text(error).rstrip()}, separators=(",", ":")
    )


def v1_failure(error: HnsError, alphabetical: bool = False) -> str:
    """Return the envelope of a failed HNSCall (microsoft/hcsshim internal/hns/hnsfuncs.go).

    HNS 9 writes its members in alphabetical order (Azure/aks-engine#1322).
    """
    return error_record(error, alphabetical)


def v1_success(output: object, alphabetical: bool = False) -> str:
    """Return the envelope of a successful HNSCall; ``Output`` is left out where there is nothing to say.

    HNS 9 writes its members in alphabetical order.
    """
    answer: dict[str, object] = {"Success": True}
    if output is not None:
        answer["Output"] = output
    return json.dumps(answer, separators=(",", ":"), sort_keys=alphabetical)
