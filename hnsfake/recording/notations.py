"""How GUIDs, MACs and addresses are written, wherever in a text they stand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from hnsfake.documents.guids import ZERO
from hnsfake.documents.macs import to_number, to_text

NOTATIONS = GUID, MAC, ADDRESS = "guid", "mac", "address"

_PATTERN = re.compile(
    r"(?P<guid>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})"
    r"|(?<![\w:>-])(?P<mac>[0-9A-Fa-f]{2}(?P<_mark>[-:])(?:[0-9A-Fa-f]{2}(?P=_mark)){4}[0-9A-Fa-f]{2})(?![\w:<-])"
    r"|(?<![\w.:>])(?P<address>(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)[0-9A-Fa-f:]{2,39}(?:\.[0-9]{1,3}){0,3}"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?:/(?P<_length>[0-9]{1,3})(?![:-]))?(?![\w<])(?!\.\w)",
    re.ASCII,
)
# A value that another one touches is taken for neither's: "<" and ">" stand around names, in whose place one was.

_KEPT_GUIDS = {
    ZERO,
    # The extensions of every switch, of older and newer builds (rancher/rke2#3925, microsoft/WSL#6457).
    "E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A",
    "E9B59CFA-2BE1-4B21-828F-B6FBDBDDC017",
    "F74F241B-440F-4433-BB28-00F89EAD20D8",
    "EA24CD6C-D17A-4348-9190-09F0D5BE83DD",
    "430BDADD-BAB0-41AB-A369-94B67FA5BE0A",
}
"""GUIDs that mean the same on every machine."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a text: its kind, itself in one notation for all, how it was spelled, and a prefix's length."""

    kind: str
    value: str
    spelling: str
    length: int | None = None


def replace(text: str, name: Callable[[Found], str]) -> str:
    """Put names in the place of the values in a text, from left to right."""

    def named(match: re.Match[str]) -> str:
        kind = next(kind for kind in _READERS if match[kind] is not None)
        read = _READERS[kind](match[kind])
        if read is None:
            return match[0]
        length = match["_length"]
        suffix = "" if length is None else f"/{length}"
        return name(Found(kind, *read, None if length is None else int(length))) + suffix

    return _PATTERN.sub(named, text)


def find(text: str) -> list[Found]:
    """Return the values in a text, from left to right."""
    all_found: list[Found] = []

    def note(found: Found) -> str:
        all_found.append(found)
        return ""

    replace(text, note)
    return all_found


def write(kind: str, value: str, spelling: str) -> str:
    """Write a value as it was spelled."""
    return _WRITERS[kind](value, spelling.split()) if kind in _WRITERS else value


def shift(kind: str, value: str, distance: int) -> str:
    """Return the MAC or address that comes so many after another; raise ValueError where there is none."""
    if kind == ADDRESS:
        return str(ip_address(value) + distance)
    number = to_number(value) + distance
    if number >= 1 << 48:
        raise ValueError(f"no MAC {distance} after {value}")
    return to_text(number)


def _read_guid(text: str) -> tuple[str, str] | None:
    value = text.upper()
    return None if value in _KEPT_GUIDS else (value, _case(text))


def _read_mac(text: str) -> tuple[str, str]:
    words = ("colon" if ":" in text else "", _case(text))
    return text.upper().replace(":", "-"), " ".join(word for word in words if word)


def _read_address(text: str) -> tuple[str, str] | None:
    """Read an address of a machine; unspecified, loopback, multicast and broadcast ones mean the same everywhere."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    if found.is_unspecified or found.is_loopback or found.is_multicast or str(found) == "255.255.255.255":
        return None
    if text == str(found):
        return str(found), ""
    return str(found), "upper" if text.lower() == str(found) else "long"


def _case(text: str) -> str:
    """Return the letter case; HNS's usual one, upper, is not mentioned."""
    if text == text.upper():
        return ""
    return "lower" if text == text.lower() else "mixed"


def _cased(text: str, words: list[str]) -> str:
    if "mixed" in words:
        return "".join(letter.lower() if at % 2 else letter.upper() for at, letter in enumerate(text))
    return text.lower() if "lower" in words else text.upper()


def _write_mac(value: str, words: list[str]) -> str:
    return _cased(value.replace("-", ":") if "colon" in words else value, words)


def _write_address(value: str, words: list[str]) -> str:
    if "long" in words:
        return ip_address(value).exploded
    return value.upper() if "upper" in words else value


_READERS: dict[str, Callable[[str], tuple[str, str] | None]] = {
    GUID: _read_guid,
    MAC: _read_mac,
    ADDRESS: _read_address,
}
_WRITERS: dict[str, Callable[[str, list[str]], str]] = {GUID: _cased, MAC: _write_mac, ADDRESS: _write_address}
