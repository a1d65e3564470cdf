"""One call to a node's HNS, and its answer, as every front end gives and gets them.

A front end names the operation and hands over the JSON text as it came; it decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

S_OK = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A call in HNS's own terms.

    ``operation`` is the exported function's name: ``HNSCall`` or ``HcnCreateNetwork`` and its like.
    ``document`` is the settings, the query, or v1's request, as bytes that nobody has looked at, or as text.
    ``handle`` is the object's handle, for HcnCreateEndpoint the network's. ``method`` and ``path`` are v1's.
    ``client`` tells apart the processes that call: a handle is good for the one that opened it.
    """

    operation: str
    document: bytes | str = ""
    id: str | None = None
    handle: int | None = None
    method: str = ""
    path: str = ""
    client: str = ""

    def of(self, document: bytes) -> Call:
        """Return the same call with a document."""
        return Call(self.operation, document, self.id, self.handle, self.method, self.path, self.client)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call gives back.

    ``hresult`` is unsigned, 32 bits; ``record`` the error record (None on success); ``output`` the JSON that
    Enumerate, Query and HNSCall hand out; ``handle`` what Create and Open return. A v1 failure has
    ``"Success": false`` in ``output``; only that of a POST has its HRESULT as well.
    """

    hresult: int = S_OK
    record: str | None = None
    output: str | None = None
    handle: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the call succeeded at the level of HRESULTs."""
        return self.hresult == S_OK
