"""The sockets a node is reached by, and how a running lab is found.

The Unix socket is by default an abstract one, ``@hnsfake/<lab>/<node>``: it has no file that could be left
behind, and only peers of our own user, or root, are let in.
"""

from __future__ import annotations

import os
import re
import socket
import stat
import struct
from pathlib import Path
from typing import NamedTuple

PREFIX = "hnsfake/"
_UCRED = struct.Struct("3i")
_LISTENING = 0x10000  # Linux include/linux/net.h: __SO_ACCEPTCON
_NAMED = re.compile(rf"@{PREFIX}([^/\s]+)/([^/\s]+)")
_PATIENCE = 5.0


class Peer(NamedTuple):
    """The process at the other end of a Unix socket."""

    pid: int
    uid: int


class OwnersOnly(socket.socket):
    """A listening Unix socket that turns away peers of other users."""

    def accept(self) -> tuple[socket.socket, object]:
        """Accept the next peer that is allowed in."""
        while True:
            connection, address = super().accept()
            if _peer(connection).uid in (0, os.getuid(), os.geteuid()):
                return connection, address
            connection.close()


def abstract_name(lab: str, node: str) -> str:
    """Return the abstract name of a node's socket."""
    return f"\0{PREFIX}{lab}/{node}"


def unix_listener(address: str) -> socket.socket:
    """Listen on an abstract name (it starts with a zero byte) or on a path; raise OSError.

    A socket file that nobody listens on any more is replaced.
    """
    if not address.startswith("\0"):
        _remove_stale(Path(address))
    return _listening(OwnersOnly(socket.AF_UNIX, socket.SOCK_STREAM), address)


def tcp_listener(port: int) -> socket.socket:
    """Listen on loopback; port 0 lets the system choose; raise OSError."""
    # Only a socket that names its protocol gets TCP_NODELAY from asyncio; without it each answer waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return _listening(listener, ("127.0.0.1", port))


def running_labs() -> dict[str, list[str]]:
    """Return the nodes of each lab that this user runs on this machine, found by their abstract sockets."""
    labs: dict[str, list[str]] = {}
    for lab, node in sorted(_listening_names()):
        peer = listener_of(lab, node)
        if peer is not None and peer.uid == os.geteuid():
            labs.setdefault(lab, []).append(node)
    return labs


def listener_of(lab: str, node: str) -> Peer | None:
    """Return the process that serves a node, or None where it is gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_PATIENCE)
        try:
            connection.connect(abstract_name(lab, node))
        except OSError:
            return None
        return _peer(connection)


def _listening_names() -> set[tuple[str, str]]:
    """Return lab and node of every listening socket that is named as ours are."""
    names = set()
    for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()[1:]:
        _, _, _, flags, _, _, _, *name = line.split(maxsplit=7)
        match = _NAMED.fullmatch(name[0]) if name else None
        if match and int(flags, 16) & _LISTENING:
            names.add((match[1], match[2]))
    return names


def _peer(connection: socket.socket) -> Peer:
    pid, uid, _ = _UCRED.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    return Peer(pid, uid)


def _listening(listener: socket.socket, address: str | tuple[str, int]) -> socket.socket:
    try:
        listener.bind(address)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def _remove_stale(path: Path) -> None:
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
