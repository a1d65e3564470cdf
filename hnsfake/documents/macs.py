"""MAC addresses in HNS's form: six upper-case pairs with dashes."""

from __future__ import annotations

from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies.values import read_mac


def to_number(mac: str) -> int:
    """Return a MAC in dash or colon form as a number."""
    return int(mac.replace("-", "").replace(":", ""), 16)


def to_text(number: int) -> str:
    """Return a number as a MAC with dashes, upper case."""
    digits = f"{number:012X}"
    return "-".join(digits[i : i + 2] for i in range(0, 12, 2))


def read_range(start: str, end: str) -> tuple[int, int]:
    """Read a block of MACs; raise HnsError (HCN_E_INVALID_NETWORK) for one that can't be."""
    try:
        first, last = to_number(read_mac(start)), to_number(read_mac(end))
    except ValueError as error:
        raise HnsError(HResult.HCN_E_INVALID_NETWORK) from error
    if first > last:
        raise HnsError(HResult.HCN_E_INVALID_NETWORK)
    return first, last
