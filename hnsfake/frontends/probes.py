"""Probes of the kernel and the machine, as a table; all run in throw-away namespaces."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError
from hnsfake.frontends.wine import Installation, NoWineError
from hnsfake.native import LIBRARIES, MissingLibraryError, find


class Verdict(Enum):
    """How a probe ended. What a lab can do without is LACKING, what it can't BROKEN."""

    GOOD = 1
    LACKING = 2
    BROKEN = 3


@dataclass(frozen=True)
class Finding:
    """A probe's result; of a failure what follows, and the commands that mend it, if there are any."""

    name: str
    verdict: Verdict
    consequence: str = ""
    remedies: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Probe:
    """``module`` and ``package`` are what a kernel or a Debian system may lack for it."""

    name: str
    attempt: Callable[[], None]
    consequence: str
    needed: bool = True
    module: str = ""
    package: str = ""
    remedy: str = ""

    @property
    def remedies(self) -> tuple[str, ...]:
        found = [self.remedy] if self.remedy else []
        if self.module and _is_there(self.module):
            found.append(f"modprobe {self.module}")
        if self.package:
            found.append(f"apt-get install -y {self.package}")
        return tuple(found)


def examine() -> list[Finding]:
    """Run all probes; where no sandbox can be had, those of the machine are all there is."""
    from hnsfake.dataplane.sandbox import Sandbox, SandboxError

    findings = [_try(probe) for probe in _machine()]
    try:
        with Sandbox.open() as sandbox:
            findings.append(Finding("network namespaces", Verdict.GOOD))
            for probe in _kernel():
                netns = sandbox.new_netns("probe")
                try:
                    findings.append(sandbox.run(netns, _try, probe))
                finally:
                    netns.close()
    except SandboxError as error:
        findings.append(Finding("network namespaces", Verdict.BROKEN, f"no labs ({error})", (_ALLOW_NAMESPACES,)))
    return findings


def remedy(findings: Sequence[Finding], as_root: bool) -> str:
    """Return the one command that mends all that can be mended; empty where nothing can."""
    commands = list(dict.fromkeys(command for finding in findings for command in finding.remedies))
    together = " && ".join(commands)
    if as_root or not commands:
        return together
    return f"sudo {together}" if len(commands) == 1 else f"sudo sh -c '{together}'"


def _try(probe: _Probe) -> Finding:
    try:
        probe.attempt()
    except (DataplaneError, MissingLibraryError, NoWineError) as error:
        verdict = Verdict.BROKEN if probe.needed else Verdict.LACKING
        return Finding(probe.name, verdict, f"{probe.consequence} ({error})", probe.remedies)
    return Finding(probe.name, Verdict.GOOD)


def _is_there(module: str) -> bool:
    """Whether the kernel has a module, loaded or not; it is not loaded by asking."""
    folder = Path("/lib/modules", os.uname().release)
    lists = [path.read_text() for path in (folder / "modules.builtin", folder / "modules.dep") if path.exists()]
    return Path("/sys/module", module).exists() or any(f"/{module}.ko" in text for text in lists)


_ALLOW_NAMESPACES = "sysctl -w user.max_user_namespaces=10000"


def _machine() -> list[_Probe]:
    return [
        _Probe(
            "user namespaces",
            _user_namespace,
            "labs only as root",
            needed=os.geteuid() != 0,
            remedy=_ALLOW_NAMESPACES,
        ),
        _Probe("ip", _program("ip"), "no `hnsfake exec … -- ip`", needed=False, package="iproute2"),
        _Probe("ping", _program("ping"), "no `hnsfake exec … -- ping`", needed=False, package="iputils-ping"),
        _Probe("Wine", _wine, "no `hnsfake wine`", needed=False, package="wine64"),
        _Probe("native libraries", _native_libraries, "no native clients", needed=False),
    ]


def _wine() -> None:
    Installation.find()


def _native_libraries() -> None:
    for product in LIBRARIES:
        find(product.file)


def _kernel() -> list[_Probe]:
    return [
        _Probe("veth", _link("veth"), "no vNICs", module="veth"),
        _Probe("bridge", _link("bridge"), "no vSwitches", module="bridge"),
        _Probe("vxlan", _link("vxlan", vxlan_id=4096), "no Overlay networks", module="vxlan"),
        _Probe(
            "settable sysctls",
            _sysctl,
            "reverse path filter stays on: no NAT",
            remedy="mount -o remount,rw /proc/sys",
        ),
        _Probe("libnftables", _rule("inet", "accept"), "no policies", module="nf_tables", package="libnftables1"),
        _Probe(
            "nftables: connection tracking",
            _rule("inet", "ct state established accept"),
            "no ACLs, no NAT",
            module="nft_ct",
        ),
        _Probe(
            "nftables: NAT",
            _script(
                "table inet p { chain c { type nat hook postrouting priority 100; "
                "meta l4proto { tcp, udp } snat ip to 10.0.0.1:1024-1087; }; }"
            ),
            "no OutBoundNAT, no port mappings",
            module="nft_nat",
        ),
        _Probe("nftables: bridge, MACs by map", _bridge_map, "no L2Bridge, no Overlay"),
        _Probe(
            "nftables: egress hook",
            _script('table netdev p { chain c { type filter hook egress device "lo" priority 0; }; }'),
            "blocked packets are not dropped silently",
        ),
        _Probe("nftables: ARP rewriting", _rule("bridge", "arp saddr ether set 02:00:00:00:00:01"), "no L2Bridge"),
        _Probe(
            "nftables: bridge name",
            _rule("bridge", 'meta ibrname "b" accept'),
            "ports are told by name instead",
            needed=False,
            module="nft_meta_bridge",
        ),
        _Probe(
            "bridge connection tracking",
            _rule("bridge", "ct state established accept"),
            "a port's stateful rules stand in its compartment instead",
            needed=False,
            module="nf_conntrack_bridge",
        ),
        _Probe(
            "br_netfilter",
            _bridge_netfilter,
            "bridged frames never meet IP rules; none are needed",
            needed=False,  # nor is it recommended: it changes what the machine's own bridges do
        ),
        _Probe("eBPF at a port", _vlan, "no VLANs", needed=False, module="cls_bpf"),
        _Probe("dummy interfaces", _module("dummy"), "no loopback adapters", needed=False),
        _Probe("flower classifier", _module("cls_flower"), "no traffic classes", needed=False),
        _Probe("netem", _module("sch_netem"), "no loss or delay on the wire", needed=False),
    ]


def _link(kind: str, **options: object) -> Callable[[], None]:
    def attempt() -> None:
        from hnsfake.dataplane import netlink

        netlink.send(
            [netlink.encode(lambda batch: batch.link("add", ifname="probe0", kind=kind, **options))],
            f"make a {kind}",
        )

    return attempt


def _module(name: str) -> Callable[[], None]:
    """Look for a module without loading it: dummy and its like put interfaces into the machine's own namespace."""

    def attempt() -> None:
        if not _is_there(name):
            raise KernelLacksError(f"kernel lacks {name}")

    return attempt


def _rule(family: str, rule: str) -> Callable[[], None]:
    hook = "forward" if family == "bridge" else "prerouting"
    return _script(f"table {family} p {{ chain c {{ type filter hook {hook} priority 0; {rule}; }}; }}")


def _script(script: str) -> Callable[[], None]:
    def attempt() -> None:
        from hnsfake.dataplane import nftables

        nftables.run(script)

    return attempt


def _bridge_map() -> None:
    from hnsfake.dataplane import nftables

    nftables.run(
        "table bridge p { map m { type ipv4_addr : ether_addr; flags interval; }; "
        "chain c { type filter hook prerouting priority -200; ether daddr set ip daddr map @m; }; }"
    )


def _vlan() -> None:
    from hnsfake.dataplane.access_port import check_vlans

    check_vlans()


def _sysctl() -> None:
    from hnsfake.dataplane.kernel import sysctl

    sysctl("net.ipv4.conf.all.rp_filter", "1")
    sysctl("net.ipv4.conf.all.rp_filter", "0")


def _bridge_netfilter() -> None:
    if not Path("/proc/sys/net/bridge/bridge-nf-call-iptables").exists():
        raise KernelLacksError("not loaded")


def _program(name: str) -> Callable[[], None]:
    def attempt() -> None:
        if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None:
            raise DataplaneError("not installed")

    return attempt


def _user_namespace() -> None:
    """Enter one in a child: there is no way back."""
    child = os.fork()
    if child == 0:
        os._exit(ctypes.CDLL(None).unshare(_CLONE_NEWUSER) != 0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise KernelLacksError("not allowed")


_CLONE_NEWUSER = 0x10000000
