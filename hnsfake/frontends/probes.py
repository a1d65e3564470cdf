"""Probes of the kernel and the machine, as a table; all run in throw-away namespaces."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hnsfake.dataplane.interface import DataplaneError, KernelLacksError


class Verdict(Enum):
    """How a probe ended. What a lab can do without is LACKING, what it can't BROKEN."""

    GOOD = 1
    LACKING = 2
    BROKEN = 3


@dataclass(frozen=True)
class Finding:
    """A probe's result: what follows from a failure, and the command that mends it, if there is one."""

    name: str
    verdict: Verdict
    consequence: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class _Probe:
    name: str
    attempt: Callable[[], None]
    consequence: str
    needed: bool = True
    remedy: str = ""


_INSTALL = "apt-get install -y libnftables1"


def examine() -> list[Finding]:
    """Run all probes; where no sandbox can be had, that is the one finding."""
    from hnsfake.dataplane.sandbox import Sandbox, SandboxError

    try:
        with Sandbox.open() as sandbox:
            findings = [Finding("network namespaces", Verdict.GOOD)]
            for probe in _probes():
                netns = sandbox.new_netns("probe")
                try:
                    findings.append(sandbox.run(netns, _try, probe))
                finally:
                    netns.close()
            return findings
    except SandboxError as error:
        remedy = "sysctl -w user.max_user_namespaces=10000"
        return [Finding("network namespaces", Verdict.BROKEN, str(error), remedy)]


def _try(probe: _Probe) -> Finding:
    try:
        probe.attempt()
    except DataplaneError as error:
        verdict = Verdict.BROKEN if probe.needed else Verdict.LACKING
        return Finding(probe.name, verdict, f"{probe.consequence} ({error})", probe.remedy)
    return Finding(probe.name, Verdict.GOOD)


def _probes() -> list[_Probe]:
    return [
        _Probe("veth", _link("veth"), "no vNICs"),
        _Probe("bridge", _link("bridge"), "no vSwitches"),
        _Probe("vxlan", _link("vxlan", vxlan_id=4096), "no Overlay networks"),
        _Probe(
            "settable sysctls",
            _sysctl,
            "reverse path filter stays on: no NAT",
            remedy="mount -o remount,rw /proc/sys",
        ),
        _Probe("libnftables", _rule("inet", "accept"), "no policies", remedy=_INSTALL),
        _Probe("nftables: connection tracking", _rule("inet", "ct state established accept"), "no ACLs, no NAT"),
        _Probe(
            "nftables: NAT",
            _script(
                "table inet p { chain c { type nat hook postrouting priority 100; "
                "meta l4proto { tcp, udp } snat ip to 10.0.0.1:1024-1087; }; }"
            ),
            "no OutBoundNAT, no port mappings",
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
        ),
        _Probe(
            "bridge connection tracking",
            _rule("bridge", "ct state established accept"),
            "a port's stateful rules stand in its compartment instead",
            needed=False,
        ),
        _Probe("802.1Q VLANs", _link("vlan", vlan_id=10, link=1), "no VLAN isolation on the wire", needed=False),
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
        folder = Path("/lib/modules", os.uname().release)
        lists = [path.read_text() for path in (folder / "modules.builtin", folder / "modules.dep") if path.exists()]
        if not Path("/sys/module", name).exists() and not any(f"/{name}.ko" in text for text in lists):
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


def _sysctl() -> None:
    from hnsfake.dataplane.kernel import sysctl

    sysctl("net.ipv4.conf.all.rp_filter", "1")
    sysctl("net.ipv4.conf.all.rp_filter", "0")
