"""libnftables in process: one buffer, one transaction, in the calling thread's network namespace.

Scripts are written without nftables' own comments (``#``): they reach the library as one line, so that its
error message points at the very piece that was refused (of many lines it names the column alone). They name
interfaces by ``iifname`` and ``oifname``, never by ``iif``: the library has one list of interfaces a process.

Errors: DataplaneError ─┬─ NftError
                        └─ KernelLacksError
"""

from __future__ import annotations

import ctypes
import json
import re
from functools import cache
from threading import Lock
from types import TracebackType
from typing import Any, Self

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError
from hnsfake.dataplane.low_descriptors import LowDescriptors

_LIBRARY = "libnftables.so.1"
_JSON = 1 << 4

# What the kernel says of an expression it was built without. "No such file" it says of a missing module too,
# but also of a missing object.
_LACKS = (
    "Operation not supported",
    "Protocol error",
    "Protocol not supported",
    "Address family not supported by protocol",
)
_MISSING = "Could not process rule: No such file or directory"

# Contexts are independent, but the library numbers sets, remembers the kernel's generation and lists interfaces
# in static variables (nftables src/rule.c, src/mnl.c, src/iface.c).
_one_at_a_time = Lock()


class NftError(DataplaneError):
    """A ruleset was refused; nothing of it is in place."""


def run(script: str) -> None:
    """Carry out a script, all or nothing; raise NftError or KernelLacksError."""
    with Context() as context:
        context.run(script)


def run_and_read(script: str) -> str:
    """Carry out a script as ``run``; return what it prints."""
    with Context() as context:
        return context.run(script)


def listing(what: str = "ruleset") -> dict[str, Any]:
    """Return what ``list ruleset``, ``list table inet x`` or the like shows, as libnftables' JSON.

    Raises NftError.
    """
    with Context(_JSON) as context:
        answer: dict[str, Any] = json.loads(context.run(f"list {what}"))
    return answer


def refusal(error: str, line: str) -> DataplaneError:
    """Return the exception for libnftables' ``error`` about ``line``: the message and the piece it marks."""
    message, _, rest = error.strip("\n").partition("\n")
    message = message.removeprefix("netlink: ").removeprefix("Error: ")
    mark = re.search(r"\^+", rest.rpartition("\n")[2])
    if mark is None:
        return NftError(message)
    text = f"{message}: `{line[mark.start() : mark.end()]}` in `{_statement(line, mark.start())}`"
    if any(sign in message for sign in _LACKS) or (message == _MISSING and _defines(line, mark.start())):
        return KernelLacksError(f"kernel lacks an nftables expression: {text}")
    return NftError(text)


def _statement(line: str, column: int) -> str:
    """Return the rule or command around a column."""
    start = line.rfind(";", 0, column + 1) + 1
    stop = line.find(";", column + 1)
    return line[start : stop if stop >= 0 else None].strip()[:200]


def _defines(line: str, column: int) -> bool:
    """Whether a column is inside a ``table … { … }``, where everything named is made, not looked up."""
    depth = 0
    command = 0
    for position, character in enumerate(line[:column]):
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            command = position + 1
    return depth > 0 and line[command:].lstrip(" ;").startswith("table ")


class Context:
    """libnftables bound to the namespace in which it was made; usable from any thread and namespace.

    Worth keeping where rules or elements are often deleted: the kernel makes whoever closes a socket wait
    until what was deleted is freed, some 12 ms. It keeps its namespace alive: close it.
    """

    def __init__(self, flags: int = 0) -> None:
        self._library = _library()
        with _one_at_a_time:
            self._context, self._number = _descriptors().make(
                lambda: self._library.nft_ctx_new(0), self._library.nft_ctx_free
            )
        self._library.nft_ctx_buffer_error(self._context)
        self._library.nft_ctx_buffer_output(self._context)
        self._library.nft_ctx_output_set_flags(self._context, flags)

    def run(self, script: str) -> str:
        """Carry out a script, all or nothing; return its output; raise NftError or KernelLacksError."""
        line = script.strip().replace("\n", ";")
        with _one_at_a_time:
            failed = self._library.nft_run_cmd_from_buffer(self._context, line.encode())
            error: bytes = self._library.nft_ctx_get_error_buffer(self._context) or b""
            output: bytes = self._library.nft_ctx_get_output_buffer(self._context) or b""
        if failed:
            raise refusal(error.decode(errors="replace") or "unknown error", line)
        return output.decode(errors="replace")

    def close(self) -> None:
        """Let go of the namespace; may be called twice."""
        with _one_at_a_time:
            if self._context is not None:
                self._library.nft_ctx_free(self._context)
                self._context = None
                _descriptors().give_back(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _descriptors() -> LowDescriptors:
    return LowDescriptors()


@cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise DataplaneError(f"{_LIBRARY} is missing: apt-get install libnftables1") from error
    library.nft_ctx_new.restype = ctypes.c_void_p
    library.nft_ctx_new.argtypes = [ctypes.c_uint32]
    library.nft_ctx_free.argtypes = [ctypes.c_void_p]
    library.nft_run_cmd_from_buffer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.nft_ctx_output_set_flags.argtypes = [ctypes.c_void_p, ctypes.c_uint]
    for name in ("nft_ctx_buffer_error", "nft_ctx_buffer_output"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    for name in ("nft_ctx_get_error_buffer", "nft_ctx_get_output_buffer"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
        getattr(library, name).restype = ctypes.c_char_p
    return library
