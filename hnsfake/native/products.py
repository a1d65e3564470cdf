"""What is built from ``src``, and where it is found. Imports nothing of ours: the build runs before the install."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SOURCES = Path(__file__).parent / "src"
BUILT = Path(__file__).parent / "lib"

System = Literal["windows", "linux"]
_CARRIER = ("carrier.c", "client.c", "notifications.c", "text.c")


class MissingLibraryError(RuntimeError):
    """A native library was not built; the text says what to install."""


@dataclass(frozen=True)
class Product:
    """A file to build: for which system, from which sources, linked with which of the system's libraries."""

    file: str
    system: System
    sources: tuple[str, ...]
    links: tuple[str, ...]


def _both(name: str, *sources: str) -> tuple[Product, Product]:
    """One source, two libraries: a Windows DLL and a Linux shared object."""
    common = (*sources, *_CARRIER)
    return (
        Product(f"{name}.dll", "windows", (*common, "http_winhttp.c"), ("winhttp", "ole32", "advapi32")),
        Product(f"lib{name}.so", "linux", (*common, "http_curl.c"), ("curl", "pthread")),
    )


LIBRARIES: tuple[Product, ...] = (
    *_both("computenetwork", "computenetwork.c", "guest_network_service.c"),
    *_both("vmcompute", "vmcompute.c"),
    Product("bcryptprimitives.dll", "windows", ("bcryptprimitives.c",), ("advapi32",)),
    Product("iphlpapi.dll", "windows", ("iphlpapi.c", "iphlpapi.def"), ()),
    Product("hnsfake-service.exe", "windows", ("service.c",), ("advapi32",)),
)

COMPILERS = {
    "windows": "Debian's gcc-mingw-w64-x86-64, or the ziglang wheel",
    "linux": "gcc and libcurl4-openssl-dev (Debian)",
}


def find(file: str) -> Path:
    """Return the path of a built library; raise MissingLibraryError."""
    path = BUILT / file
    if not path.exists():
        system = next(product.system for product in LIBRARIES if product.file == file)
        raise MissingLibraryError(
            f"{file} is not built: install {COMPILERS[system]}, then hnsfake again (pip install -e . or a wheel)"
        )
    return path
