"""The native libraries: HNS's entry points as Windows and Linux programs load them, built from ``src``.

Imports within are relative and nothing else of ours is imported: the build runs before the install.
"""

from .products import LIBRARIES, MissingLibraryError, Product, find

__all__ = ["LIBRARIES", "MissingLibraryError", "Product", "find"]
