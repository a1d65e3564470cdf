"""libnftables in process: one buffer, one transaction, in the calling thread's network namespace."""

from __future__ import annotations

import ctypes
import json
from functools import cache
from typing import Any

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError

_LIBRARY = "libnftables.so.1"
_JSON = 1 << 4

# What the kernel says of an expression it was built without.
_LACKS = ("Operation not supported", "Protocol error", "Address family not supported")


class NftError(DataplaneError):
    """A ruleset was refused; nothing of it is in place."""


def run(script: str) -> None:
    """Carry out a script, all or nothing; raise NftError or KernelLacksError."""
    error = _Context().run(script)
    if error is None:
        return
    if any(sign in error for sign in _LACKS):
        raise KernelLacksError(f"kernel lacks an nftables expression: {error}")
    raise NftError(error)


def listing(what: str = "ruleset") -> dict[str, Any]:
    """Return what ``list ruleset`` or the like shows, as libnftables' JSON."""
    answer: dict[str, Any] = json.loads(_Context(_JSON).output(f"list {what}"))
    return answer


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


class _Context:
    """One context of the library. It holds a socket of the namespace it was made in, so it is made anew."""

    def __init__(self, flags: int = 0) -> None:
        self._library = _library()
        self._flags = flags

    def run(self, script: str) -> str | None:
        """Carry out a script; return the error's text, or None."""
        return self._carry_out(script)[0]

    def output(self, script: str) -> str:
        """Carry out a script; return what it prints; raise NftError."""
        error, output = self._carry_out(script)
        if error is not None:
            raise NftError(error)
        return output

    def _carry_out(self, script: str) -> tuple[str | None, str]:
        context = self._library.nft_ctx_new(0)
        try:
            self._library.nft_ctx_buffer_error(context)
            self._library.nft_ctx_buffer_output(context)
            if self._flags:
                self._library.nft_ctx_output_set_flags(context, self._flags)
            status = self._library.nft_run_cmd_from_buffer(context, script.encode())
            error = self._library.nft_ctx_get_error_buffer(context) or b""
            output = self._library.nft_ctx_get_output_buffer(context) or b""
            first = error.decode(errors="replace").strip().split("\n", 1)[0]
            return (first or "unknown error") if status else None, output.decode(errors="replace")
        finally:
            self._library.nft_ctx_free(context)
