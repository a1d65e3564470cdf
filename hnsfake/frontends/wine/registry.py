"""What a Windows program reads of a node in the registry, as a file that regedit imports.

Values and their places: learn.microsoft.com, and what reads them: microsoft/hcsshim osversion/osversion_windows.go,
moby/moby daemon/daemon_windows.go (services), kubernetes pkg/kubelet/winstats (UBR, ProductName).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from hnsfake.native import LIBRARIES
from hnsfake.releases import Release

Value = str | int | None  # None removes it
_SERVICE_PROGRAM = r"C:\windows\system32\hnsfake-service.exe"
# What Wine would start with every first program, and no network program asks for: half the time of a start.
_IDLE = ("Eventlog", "PlugPlay")
_OWN_PROCESS, _AUTOMATIC, _MANUAL, _NORMAL = 0x10, 2, 3, 1
# The services by which programs tell whether this machine has containers: name, display name.
_SERVICES = (
    ("hns", "Host Network Service"),
    ("vmcompute", "Hyper-V Host Compute Service"),
    ("nvagent", "Network Virtualization Service"),
)


def registry_of(release: Release) -> str:
    """Return the text of a .reg file for a node of this release."""
    lines = ["REGEDIT4"]
    for key, values in _keys(release).items():
        lines += ["", f"[HKEY_LOCAL_MACHINE\\{key}]", *_lines(values)]
    ours = {Path(product.file).stem: "native" for product in LIBRARIES if product.file.endswith(".dll")}
    # Wine takes a library of its own of the same name otherwise, even in place of another file.
    lines += ["", r"[HKEY_CURRENT_USER\Software\Wine\DllOverrides]", *_lines(ours)]
    return "\r\n".join([*lines, ""])


def _keys(release: Release) -> Mapping[str, Mapping[str, Value]]:
    build = str(release.build)
    return {
        r"Software\Microsoft\Windows NT\CurrentVersion": {
            "ProductName": f"{release.title} Datacenter",
            "EditionID": "ServerDatacenter",
            "InstallationType": "Server Core",
            "CurrentMajorVersionNumber": 10,
            "CurrentMinorVersionNumber": 0,
            # Windows says "6.3". Wine 8 takes its version from here alone (dlls/ntdll/version.c), which decides more.
            "CurrentVersion": "10.0",
            "CurrentBuild": build,
            "CurrentBuildNumber": build,
            "UBR": release.update,
            "DisplayVersion": release.display_version,
            "ReleaseId": release.release_id,
            "CSDVersion": None,
        },
        r"System\CurrentControlSet\Control\ProductOptions": {"ProductType": "ServerNT"},
        r"System\CurrentControlSet\Control\Windows": {"CSDVersion": 0},
        **{
            rf"System\CurrentControlSet\Services\{name}": {
                "DisplayName": title,
                "ImagePath": _SERVICE_PROGRAM,
                "ObjectName": "LocalSystem",
                "Type": _OWN_PROCESS,
                "Start": _AUTOMATIC,
                "ErrorControl": _NORMAL,
            }
            for name, title in _SERVICES
        },
        **{rf"System\CurrentControlSet\Services\{name}": {"Start": _MANUAL} for name in _IDLE},
    }


def _lines(values: Mapping[str, Value]) -> Iterator[str]:
    for name, value in values.items():
        if value is None:
            yield f'"{name}"=-'
        elif isinstance(value, int):
            yield f'"{name}"=dword:{value:08x}'
        else:
            yield '"{}"="{}"'.format(name, value.replace("\\", "\\\\"))
