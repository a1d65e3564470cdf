"""Where this machine has Wine."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

# Debian's wine64 package puts no program into PATH.
_LOADERS = ("wine64", "wine", "/usr/lib/wine/wine64", "/opt/wine-stable/bin/wine64", "/opt/wine-stable/bin/wine")
# Debian's wineserver is a script that has the server end at once with its last program.
_SERVERS = ("wineserver64", "wineserver")
# Where distributions put Wine's own DLLs, seen from the directory above the loader's.
_DLLS = ("lib/x86_64-linux-gnu/wine/x86_64-windows", "lib64/wine/x86_64-windows", "lib/wine/x86_64-windows")
_DATA = ("share/wine",)


class NoWineError(RuntimeError):
    """No usable Wine; the text says what to install."""


@dataclass(frozen=True)
class Installation:
    """The parts of Wine: its loader, its server, its DLLs, its data."""

    loader: Path
    server: Path
    dlls: Path
    data: Path

    @classmethod
    def find(cls) -> Self:
        """Return this machine's 64-bit Wine; raise NoWineError."""
        for name in _LOADERS:
            found = shutil.which(name)
            if found is None:
                continue
            loader = Path(found).resolve()
            roots = (loader.parent.parent, loader.parent.parent.parent)  # …/bin/wine, …/lib/wine/wine64
            server = _first(loader.parent / each for each in _SERVERS) or _which(_SERVERS)
            dlls = _first(root / each for root in roots for each in _DLLS)
            data = _first(root / each for root in roots for each in _DATA)
            if server and dlls and data and (data / "wine.inf").exists():
                return cls(loader, server, dlls, data)
        raise NoWineError("no 64-bit Wine on this machine: install Debian's wine64 (apt-get install wine64)")

    @property
    def identity(self) -> str:
        """What changes when Wine is updated."""
        parts = (self.loader, self.dlls / "ntdll.dll", self.data / "wine.inf")
        return "".join(f"{path}:{path.stat().st_mtime_ns};" for path in parts)


def _first(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if path.exists()), None)


def _which(names: tuple[str, ...]) -> Path | None:
    return next((Path(found) for found in map(shutil.which, names) if found), None)
