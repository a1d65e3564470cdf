"""libnftables in process: one buffer, one transaction, in the calling thread's network namespace.

Scripts are written without nftables' own comments (``#``): they reach the library as one line, so that its
error message points at the very piece that was refused (of many lines it names the column alone).

Errors: DataplaneError ─┬─ NftError
                        └─ KernelLacksError
"""

from __future__ import annotations

import ctypes
import json
import re
from functools import cache
from threading import Lock
from typing import Any

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError

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

# Contexts are independent, but the library numbers sets and remembers the kernel's generation in static
# variables (nftables src/rule.c, src/mnl.c).
_one_at_a_time = Lock()


class NftError(DataplaneError):
    """A ruleset was refused; nothing of it is in place."""


def run(script: str) -> None:
    """Carry out a script, all or nothing; raise NftError or KernelLacksError."""
    line = script.strip().replace("\n", ";")
    error = _carry_out(line)[0]
    if error:
        raise refusal(error, line)


def listing(what: str = "ruleset") -> dict[str, Any]:
    """Return what ``list ruleset``, ``list table inet x`` or the like shows, as libnftables' JSON.

    Raises NftError.
    """
    error, output = _carry_out(f"list {what}", _JSON)
    if error:
        raise NftError(error.strip().partition("\n")[0])
    answer: dict[str, Any] = json.loads(output)
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


def _carry_out(script: str, flags: int = 0) -> tuple[str, str]:
    """Return the error's text, empty on success, and the output.

    A context holds a socket of the namespace it was made in, so every call makes its own; it costs 20 µs.
    """
    library = _library()
    with _one_at_a_time:
        context = library.nft_ctx_new(0)
        try:
            library.nft_ctx_buffer_error(context)
            library.nft_ctx_buffer_output(context)
            library.nft_ctx_output_set_flags(context, flags)
            failed = library.nft_run_cmd_from_buffer(context, script.encode())
            error: bytes = library.nft_ctx_get_error_buffer(context) or b""
            output: bytes = library.nft_ctx_get_output_buffer(context) or b""
        finally:
            library.nft_ctx_free(context)
    text = error.decode(errors="replace")
    return (text or "unknown error") if failed else "", output.decode(errors="replace")


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
