"""The bridge CNI plugin with host-local: one ADD, and one DEL, a namespace.

Runs in a network and a mount namespace of its own: the plugin's bridge, its iptables rules, its leases and
xtables' lock are there and nowhere else.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import perf_counter

from ci.bench.endpoints.lanes import PREFIX, endpoints_asked, report

_PLUGINS = Path("/usr/lib/cni")
_RUN = Path("/run")
_CONFIG = {
    "cniVersion": "0.4.0",
    "name": "bench",
    "type": "bridge",
    "bridge": "bench0",
    "isGateway": True,
    "ipMasq": True,
    "ipam": {
        "type": "host-local",
        "dataDir": str(_RUN / "bench"),
        "subnet": str(PREFIX),
        "routes": [{"dst": "0.0.0.0/0"}],
    },
}
_CLONE_NEWNET = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """ADD, then DEL, and print what both took."""
    if not (_PLUGINS / "bridge").exists():
        sys.exit("apt-get install containernetworking-plugins iptables")
    subprocess.run(["mount", "-t", "tmpfs", "bench", str(_RUN)], check=True)
    count = endpoints_asked()
    begun = perf_counter()
    namespaces = []
    for number in range(count):
        namespaces.append(_new_netns())
        _plugin("ADD", number, namespaces[-1])
    created = perf_counter()
    for number, fd in enumerate(namespaces):
        _plugin("DEL", number, fd)
        os.close(fd)
    deleted = perf_counter()
    report(create=(created - begun) * 1e3, delete=(deleted - created) * 1e3)


def _plugin(command: str, number: int, netns: int) -> None:
    environment = {
        **os.environ,
        "CNI_COMMAND": command,
        "CNI_CONTAINERID": f"bench-{number}",
        "CNI_NETNS": f"/proc/{os.getpid()}/fd/{netns}",
        "CNI_IFNAME": "eth0",
        "CNI_PATH": str(_PLUGINS),
    }
    ended = subprocess.run(
        [_PLUGINS / "bridge"],
        env=environment,
        input=json.dumps(_CONFIG).encode(),
        capture_output=True,
        check=False,
    )
    if ended.returncode != 0:
        sys.exit(f"{command} {number}: {(ended.stdout or ended.stderr).decode(errors='replace')}")


def _new_netns() -> int:
    """Make a network namespace on a thread that ends with it; return its descriptor."""
    made: list[int] = []

    def unshare() -> None:
        if _libc.unshare(_CLONE_NEWNET) == 0:
            made.append(os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC))

    thread = Thread(target=unshare)
    thread.start()
    thread.join()
    if not made:
        sys.exit("can't make a network namespace")
    return made[0]


if __name__ == "__main__":
    main()
