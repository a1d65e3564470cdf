"""hnsfake: the Windows Host Networking Service (HNS), emulated on Linux."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Lab", "__version__"]

if TYPE_CHECKING:
    from hnsfake.lab import Lab


def __getattr__(name: str) -> Any:
    # `from hnsfake import Lab` without making every import of a room pay for all rooms.
    if name == "Lab":
        from hnsfake.lab import Lab

        return Lab
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
