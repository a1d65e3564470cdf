"""Low file descriptors kept for libnftables, whose library libmnl waits with select(2).

select knows descriptors below 1,024; with a higher one glibc ends the process ("buffer overflow detected"). A lab
with many pods and connections has more files open than that, so some low numbers are kept from the start.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TypeVar

from hnsfake.dataplane.interface import DataplaneError

T = TypeVar("T")

_LIMIT = 1024
KEPT = 64
_TRIES = 100


class LowDescriptors:
    """Numbers that are kept; one thread at a time. Those in use come back by ``give_back``."""

    def __init__(self) -> None:
        self._free = [number for number in (_placeholder() for _ in range(KEPT)) if number is not None]

    def make(self, make: Callable[[], T], discard: Callable[[T], object]) -> tuple[T, int | None]:
        """Return what ``make`` makes with one netlink socket that is low enough, and the kept number it took.

        Raises DataplaneError where no number is left.
        """
        if _lowest_free() < _LIMIT:
            return make(), None
        for _ in range(_TRIES):
            if not self._free:
                break
            number = self._free.pop()
            os.close(number)
            made = make()
            if _is_netlink(number):
                return made, number
            discard(made)  # another thread took the number first; it keeps it
        raise DataplaneError(f"too many open files: nftables needs one below {_LIMIT}")

    def give_back(self, number: int | None) -> None:
        """Keep a number again whose socket was closed."""
        placeholder = _placeholder() if number is not None else None
        if placeholder is not None:
            self._free.append(placeholder)


def _placeholder() -> int | None:
    """Open the lowest number; None where it isn't low."""
    number = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    if number < _LIMIT:
        return number
    os.close(number)
    return None


def _lowest_free() -> int:
    number = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.close(number)
    return number


def _is_netlink(number: int) -> bool:
    try:
        with socket.socket(fileno=os.dup(number)) as found:
            return found.family == socket.AF_NETLINK
    except OSError:
        return False
