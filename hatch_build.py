"""Builds the native libraries into the wheel, and in place for an editable install.

HNSFAKE_NATIVE=none leaves them out. An editable install goes on without a compiler: all but the native
libraries works then, and ``hnsfake doctor`` says which package is missing.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ROOT = Path(__file__).parent


class NativeLibraries(BuildHookInterface):  # type: ignore[type-arg]
    """Adds ``hnsfake/native/lib`` to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the libraries; ``version`` is "standard" or "editable"."""
        if self.target_name != "wheel" or os.environ.get("HNSFAKE_NATIVE") == "none":
            return
        sys.path.insert(0, str(_ROOT / "hnsfake"))
        from native.build import BuildError, build  # type: ignore[import-not-found]

        built: list[Path] = []
        for system in ("windows", "linux") if sys.platform == "linux" else ("windows",):
            try:
                built += build((system,))
            except BuildError as error:
                if version != "editable":
                    raise SystemExit(f"hnsfake: {error}, or set HNSFAKE_NATIVE=none to do without") from error
                self.app.display_warning(f"hnsfake: {error}")
        if version == "editable":
            return
        build_data["artifacts"] += [f"/{path.relative_to(_ROOT)}" for path in built]
        if any(path.suffix == ".so" for path in built):
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
