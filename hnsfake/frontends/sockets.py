"""The sockets a node is reached by, and how a running lab is found.

The Unix socket is by default an abstract one, ``@hnsfake/<lab>/<node>``: it has no file that could be left
behind, and only peers of our own user, or root, are let in.
"""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

PREFIX = "hnsfake/"
_UCRED = struct.Struct("3i")


class OwnersOnly(socket.socket):
    """A listening Unix socket that turns away peers of other users."""

    def accept(self) -> tuple[socket.socket, object]:
        """Accept the next peer that is allowed in."""
        while True:
            connection, address = super().accept()
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
            _, uid, _ = _UCRED.unpack(credentials)
            if uid in (0, os.getuid(), os.geteuid()):
                return connection, address
            connection.close()


def abstract_name(lab: str, node: str) -> str:
    """Return the abstract name of a node's socket."""
    return f"\0{PREFIX}{lab}/{node}"


def unix_listener(address: str) -> socket.socket:
    """Listen on an abstract name (it starts with a zero byte) or on a path; raise OSError."""
    listener = OwnersOnly(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(address)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def tcp_listener(port: int) -> socket.socket:
    """Listen on loopback; port 0 lets the system choose; raise OSError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def running_labs() -> dict[str, list[str]]:
    """Return the nodes of each lab that runs on this machine, found by their abstract sockets."""
    labs: dict[str, set[str]] = {}
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        name = line.split()[-1]
        if name.startswith("@" + PREFIX):
            lab, _, node = name[1 + len(PREFIX) :].partition("/")
            labs.setdefault(lab, set()).add(node)
    return {lab: sorted(nodes) for lab, nodes in sorted(labs.items())}
