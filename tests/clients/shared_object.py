"""The native libraries as a Linux program has them: by ctypes, in this process."""

from __future__ import annotations

import ctypes
import json
import uuid
from collections.abc import Callable
from ctypes import POINTER, byref, c_int32, c_uint32, c_void_p
from dataclasses import dataclass, field
from typing import Any

from hnsfake.documents.hresults import HResult
from hnsfake.native import find

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [c_void_p]
_libc.free.restype = None

Notify = ctypes.CFUNCTYPE(None, c_uint32, c_void_p, c_int32, c_void_p)
Argument = Any  # what ctypes takes


class PortRange(ctypes.Structure):
    """HCN_PORT_RANGE_RESERVATION of ComputeNetwork.h."""

    _fields_ = (("first", ctypes.c_uint16), ("last", ctypes.c_uint16))


class PortEntry(ctypes.Structure):
    """HCN_PORT_RANGE_ENTRY of ComputeNetwork.h."""

    _fields_ = (
        ("owner", ctypes.c_byte * 16),
        ("target", ctypes.c_byte * 16),
        ("protocol", c_uint32),
        ("priority", ctypes.c_uint64),
        ("reservation_type", c_uint32),
        ("sharing_flags", c_uint32),
        ("delivery_mode", c_uint32),
        ("first", ctypes.c_uint16),
        ("last", ctypes.c_uint16),
    )


@dataclass
class SharedObject:
    """A library; what a call hands out is read and freed at once, as its caller must."""

    file: str
    library: ctypes.CDLL = field(init=False)

    def __post_init__(self) -> None:
        """Load it."""
        self.library = ctypes.CDLL(str(find(self.file)))

    def call(self, function: str, *arguments: Argument) -> int:
        """Call a function with arguments as they are."""
        exported = getattr(self.library, function)
        exported.restype = c_uint32
        hresult: int = exported(*arguments)
        return hresult

    def enumerate(self, function: str, query: object = None) -> list[Any]:
        """Call one of the functions that give a list of ids."""
        output, record = Text(), Text()
        _succeed(self.call(function, utf16(query), output.place, record.place), record)
        listed: list[Any] = json.loads(output.take() or "null")
        return listed

    def create(self, function: str, settings: object, object_id: str = "", parent: c_void_p | None = None) -> c_void_p:
        """Create an object; return its handle."""
        opened, record = c_void_p(), Text()
        above = () if parent is None else (parent,)
        identity = guid(object_id) if object_id else None
        arguments = (*above, identity, utf16(settings), byref(opened), record.place)
        _succeed(self.call(function, *arguments), record)
        return opened

    def query(self, function: str, handle: c_void_p, query: object = None) -> Any:
        """Return an open object's properties."""
        output, record = Text(), Text()
        _succeed(self.call(function, handle, utf16(query), output.place, record.place), record)
        return json.loads(output.take() or "null")


class CallError(Exception):
    """A call failed: its HRESULT and error record."""

    def __init__(self, hresult: int, record: str | None) -> None:
        super().__init__(f"{hresult:#x}: {record}")
        self.hresult = hresult
        self.record = record


class Text:
    """A place for a text that a call hands out."""

    def __init__(self) -> None:
        self.pointer = c_void_p(1)  # not NULL: whoever leaves it alone is found out

    @property
    def place(self) -> Argument:
        """What the call gets."""
        return byref(self.pointer)

    def take(self) -> str | None:
        """Return what was handed out, and free it; None where there was nothing."""
        address, self.pointer = self.pointer.value, c_void_p()
        if address is None:
            return None
        said = read_utf16(address)
        _libc.free(address)
        return said


def bytes_in_use() -> int:
    """Return how much of the C heap is handed out."""
    names = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]
    kind = type("MallInfo", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_size_t) for name in names]})
    _libc.mallinfo2.restype = kind
    in_use: int = _libc.mallinfo2().uordblks
    return in_use


def utf16(document: object) -> Argument:
    """Return a document as a PCWSTR: a string as it is, other things as JSON, None as NULL."""
    if document is None:
        return None
    text = document if isinstance(document, str) else json.dumps(document)
    return ctypes.create_string_buffer(text.encode("utf-16-le", "surrogatepass") + b"\0\0")


def read_utf16(address: int) -> str:
    """Return the text at an address."""
    length = 0
    units = ctypes.cast(address, POINTER(ctypes.c_uint16))
    while units[length]:
        length += 1
    return ctypes.string_at(address, 2 * length).decode("utf-16-le", "surrogatepass")


def guid(text: str) -> Argument:
    """Return a pointer to a GUID."""
    return ctypes.create_string_buffer(uuid.UUID(text).bytes_le, 16)


def callback(heard: Callable[[int, int, str | None], None]) -> Argument:
    """Return a callback for a registration, to be kept as long as it lives."""

    def notify(number: int, _context: int | None, status: int, data: int | None) -> None:
        heard(number, status & 0xFFFFFFFF, read_utf16(data) if data else None)

    return Notify(notify)


def _succeed(hresult: int, record: Text) -> None:
    said = record.take()
    if hresult != HResult.S_OK or said:
        raise CallError(hresult, said)
