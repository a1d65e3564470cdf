"""Wine prefixes: one template a release, and of it a clone for each compartment that runs a Windows program.

Wine's own set-up copies hundreds of megabytes and registers every COM class: ten seconds. A template instead links
Wine's DLLs, takes over the parts of Wine's INF file that write the registry, and is there in one or two. All of
it is in the cache directory. A clone lives as long as the lab's process; what a program stores on drive C: is there
for the next one in the same compartment.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hnsfake.frontends.wine.installation import Installation
from hnsfake.frontends.wine.registry import registry_of
from hnsfake.native import LIBRARIES, find
from hnsfake.releases import Release

_ENVIRONMENT = {
    "WINEDEBUG": "-all",
    # No menus and desktop files in the user's home; no offers to download .NET and a browser.
    "WINEDLLOVERRIDES": "winemenubuilder.exe=d;mscoree=;mshtml=",
    "WINEARCH": "win64",
}
_COMPARTMENT = Path("/proc/self/ns/net")
_PATIENCE = 60.0
_LINGER = 3  # seconds
_FIRST_PROGRAM = ("cmd", "/c", "exit")
# Lines of Wine's INF file that copy its DLLs and register their COM classes.
_SLOW = ("RegisterDlls=", "WineFakeDlls=")
_DIRECTORIES = ("system32/drivers/etc", "inf", "temp", "Fonts", "logs", "tasks", "help", "globalization/sorting")
_HOME = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", "Templates", "Temp", "AppData/Local/Temp")
_IN_WINDOWS = ("explorer.exe", "notepad.exe", "regedit.exe")
_UNSIGNED = b"Wine builtin DLL"
_SIGNATURE_AT = 0x40


class PrefixError(RuntimeError):
    """A prefix can't be made; the text says why."""


@dataclass(frozen=True)
class Prefixes:
    """The prefixes of this user, for one Wine."""

    wine: Installation
    cache: Path

    @classmethod
    def of_user(cls) -> Prefixes:
        """Return those in the user's cache directory; raise NoWineError."""
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return cls(Installation.find(), Path(base) / "hnsfake" / "wine")

    def servers(self) -> Path:
        """Return where Wine's servers have their sockets."""
        place = self.cache / "servers"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    def environment(self, prefix: Path) -> dict[str, str]:
        """Return the environment for a program; what the user has set of Wine's stays.

        HNS is on the node's own loopback: another place, which a Linux program was given, is not for this one.
        """
        users = {name: value for name, value in os.environ.items() if name != "HNSFAKE_URL"}
        return {**_ENVIRONMENT, **users, "WINEPREFIX": str(prefix)}

    def boot(self, prefix: Path) -> None:
        """Start Wine's server and services for a prefix, where they don't run.

        Started by the program itself, they would hold its standard streams open after it ended. They wait a little
        for the next program, which then starts in a fraction of the time.
        """
        if self._is_running(prefix):
            return
        for command in ([self.wine.server, f"-p{_LINGER}"], [self.wine.loader, *_FIRST_PROGRAM]):
            subprocess.run(
                list(map(str, command)),
                env=self.environment(prefix),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                timeout=_PATIENCE,
            )

    def _is_running(self, prefix: Path) -> bool:
        """Whether a server answers on the socket that Wine gives a prefix (Wine server/request.c)."""
        where = prefix.stat()
        place = f"server-{where.st_dev:x}-{where.st_ino:x}/socket"
        return any(_answers(servers / place) for servers in server_places(os.getuid()))

    def clone(self, release: Release, owner: int) -> Path:
        """Return the prefix of the compartment we are in, whose lab is the process ``owner``.

        Raises PrefixError and OSError.
        """
        template = self._template(release)
        name = f"{owner}-{_started(owner)}-{_COMPARTMENT.stat().st_ino}"
        with self._locked():
            self._sweep()
            clone = self._clones() / name
            if not clone.exists():
                _whole(clone, partial(_copy, template))
        return clone

    def _template(self, release: Release) -> Path:
        mark = hashlib.sha256(self.wine.identity.encode())
        mark.update(registry_of(release).encode())
        mark.update(Path(__file__).read_bytes())
        for product in _windows_files():
            mark.update(find(product).read_bytes())
        template = self.cache / "templates" / f"{release.name}-{mark.hexdigest()[:16]}"
        with self._locked():
            if not template.exists():
                template.parent.mkdir(parents=True, exist_ok=True)
                _whole(template, partial(self._set_up, release))
        return template

    def _set_up(self, release: Release, prefix: Path) -> None:
        self._lay_out(prefix)
        install = ("setupapi,InstallHinfSection", "DefaultInstall", "128", r"C:\windows\inf\wine.inf")
        self._wine(prefix, "rundll32", *install)
        node = prefix / "drive_c/windows/inf/node.reg"
        node.write_text(registry_of(release), newline="")
        self._wine(prefix, "regedit", "/S", r"C:\windows\inf\node.reg")
        self._end_server(prefix)

    def _lay_out(self, prefix: Path) -> None:
        """Make the directories, link Wine's own files, and put ours beside them."""
        windows, system = prefix / "drive_c/windows", prefix / "drive_c/windows/system32"
        for directory in _DIRECTORIES:
            (windows / directory).mkdir(parents=True)
        # Wine would link them to the directories of the user's own home.
        for directory in _HOME:
            (prefix / "drive_c/users" / _user() / directory).mkdir(parents=True)
        (prefix / "dosdevices").mkdir()
        (prefix / "dosdevices/c:").symlink_to("../drive_c")
        (prefix / "dosdevices/z:").symlink_to("/")
        for file in self.wine.dlls.iterdir():
            if file.suffix not in (".a", ".def"):
                place = system / "drivers" if file.suffix == ".sys" else system
                (place / file.name).symlink_to(file)
        for file in (self.wine.data / "nls").glob("*.nls"):
            place = windows / "globalization/sorting" if file.name == "sortdefault.nls" else system
            (place / file.name).symlink_to(file)
        for name in _IN_WINDOWS:
            (windows / name).symlink_to(self.wine.dlls / name)
        (prefix / "wineserver").write_text(_debian_name(os.getuid()))
        (prefix / "wineserver").chmod(0o400)  # as Debian's Wine makes it, or it makes another
        (prefix / ".update-timestamp").write_text("disable\n")  # Wine shall not set it up again
        lines = (self.wine.data / "wine.inf").read_text(encoding="utf-8", errors="surrogateescape").splitlines(True)
        kept = (line for line in lines if not line.startswith(_SLOW))
        (windows / "inf/wine.inf").write_text("".join(kept), encoding="utf-8", errors="surrogateescape")
        self._place_libraries(system)

    def _place_libraries(self, system: Path) -> None:
        original = (self.wine.dlls / "iphlpapi.dll").read_bytes()
        # Under another name Wine would look for a library of its own of that name, were it still marked as one.
        end = _SIGNATURE_AT + len(_UNSIGNED)
        if original[_SIGNATURE_AT:end] == _UNSIGNED:
            original = original[:_SIGNATURE_AT] + bytes(len(_UNSIGNED)) + original[end:]
        (system / "wineiphlpapi.dll").write_bytes(original)
        for name in _windows_files():
            (system / name).unlink(missing_ok=True)
            shutil.copyfile(find(name), system / name)

    def _wine(self, prefix: Path, *command: str) -> None:
        environment = {**self.environment(prefix), "WINEBOOTSTRAPMODE": "1"}
        # A file, not a pipe: Wine's own services keep what they inherit open for seconds.
        with (prefix / "set-up.log").open("w") as log:
            done = subprocess.run(
                [str(self.wine.loader), *command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=_PATIENCE,
                check=False,
            )
        if done.returncode != 0:
            said = " ".join((prefix / "set-up.log").read_text(errors="replace").split())[-300:]
            raise PrefixError(f"Wine can't set up a prefix: {command[0]} ended with {done.returncode} {said}")

    def _end_server(self, prefix: Path) -> None:
        environment = self.environment(prefix)
        for option in ("-k", "-w"):
            subprocess.run([str(self.wine.server), option], env=environment, check=False, timeout=_PATIENCE)

    def _clones(self) -> Path:
        place = self.cache / "nodes"
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _sweep(self) -> None:
        """Remove the prefixes of labs that are gone."""
        for clone in self._clones().iterdir():
            owner, started, *_ = [*clone.name.lstrip(".").split("-"), ""]
            if not owner.isdecimal() or _started(int(owner)) != started:
                shutil.rmtree(clone, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.cache.mkdir(parents=True, exist_ok=True)
        with (self.cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def server_places(uid: int) -> tuple[Path, ...]:
    """Return where a user's Wine has its servers' sockets; it can't be told another place.

    Wine's own is the first (dlls/ntdll/unix/server.c). Debian's is a new directory for each prefix, whose name is
    kept in the prefix; ours all get the second.
    """
    return Path(f"/tmp/.wine-{uid}"), Path("/tmp", _debian_name(uid))


def _debian_name(uid: int) -> str:
    return f"wine-{uid & 0xFFFFFF:06x}"


def _answers(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(str(place))
        except OSError:
            return False
        return True


def _windows_files() -> list[str]:
    return [product.file for product in LIBRARIES if product.system == "windows"]


def _whole(place: Path, fill: Callable[[Path], None]) -> None:
    """Fill a directory under another name first, so that nobody finds half of it."""
    half = place.with_name(f".{place.name}")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    try:
        fill(half)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise
    half.rename(place)


def _copy(template: Path, clone: Path) -> None:
    shutil.copytree(template, clone, symlinks=True, dirs_exist_ok=True)


def _started(process: int) -> str:
    """Return when a process started, in the kernel's ticks; nothing where it is gone."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2]
    except OSError:
        return ""
    return after_name.split()[19]


def _user() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
