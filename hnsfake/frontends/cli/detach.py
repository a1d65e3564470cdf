"""Going on in the background, once there is nothing left to say."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

Release = Callable[[], None]
_UP = b"\0"


def detach() -> Release:
    """Go on in a child; return what it calls when the lab is up.

    This process passes on what the child says until then, and ends with exit code 0; if the child ends
    instead, with the child's exit code.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        _follow(reader, child)
    os.close(reader)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(writer, 1)

    def release() -> None:
        sys.stdout.flush()
        os.write(writer, _UP)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.close(writer)

    return release


def _follow(reader: int, child: int) -> NoReturn:
    with os.fdopen(reader, "rb") as said:
        message = said.read()
    sys.stdout.buffer.write(message.removesuffix(_UP))
    sys.stdout.flush()
    if message.endswith(_UP):
        os._exit(0)
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) % 256)
