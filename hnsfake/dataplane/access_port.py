"""An access port of a VLAN: the switch carries tagged frames, the vNIC behind the port knows of no tag.

Bridge and VLAN modules of the kernel are not needed: two programs of a few instructions at the port push the tag, and
take it off. A frame of another VLAN, or of none, doesn't get through (MicrosoftDocs/Virtualization-Documentation
container-networking/advanced: the container's port is in access mode, the physical one in trunk mode).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from contextlib import ExitStack
from functools import partial

from hnsfake.dataplane import netlink
from hnsfake.dataplane.interface import KernelLacksError
from hnsfake.dataplane.kernel import Place
from hnsfake.dataplane.netlink import encode

_NUMBERS = {"x86_64": 321, "aarch64": 280}  # of the system call bpf
_BPF_PROG_LOAD, _SCHED_CLS = 5, 3
_VLAN_PUSH, _VLAN_POP = 18, 19  # the kernel's functions for programs
_VLAN_PRESENT, _VLAN_TCI = 20, 24  # fields of struct __sk_buff
_ETH_P_8021Q = int.from_bytes((0x8100).to_bytes(2, "big"), "little")
_ETH_P_ALL = 3
_PASS, _DROP = 0, 2
_FROM_VNIC, _TO_VNIC = 0xFFFFFFF2, 0xFFFFFFF3  # the hooks of clsact: what comes in at the port, and what goes out


def make_access_port(switch: Place, index: int, vlan: int, purpose: str) -> None:
    """Make a switch's port one of a VLAN, for as long as it is there; raise DataplaneError."""
    with ExitStack() as stack:
        hooks = []
        for parent, program in ((_FROM_VNIC, _tag(vlan)), (_TO_VNIC, _untag(vlan))):
            descriptor = _load(program)
            stack.callback(os.close, descriptor)  # the port keeps the program itself
            hooks.append(encode(partial(_filter, index=index, parent=parent, program=descriptor)))
        switch.send([encode(lambda batch: batch.tc("add", "clsact", index)), *hooks], purpose)


def check_vlans() -> None:
    """Raise KernelLacksError where there can be no VLANs; on a sandbox thread, in a namespace to throw away."""
    loopback = 1
    with ExitStack() as stack:
        descriptor = _load(_untag(1))
        stack.callback(os.close, descriptor)
        hook = partial(_filter, index=loopback, parent=_TO_VNIC, program=descriptor)
        netlink.send(
            [encode(lambda batch: batch.tc("add", "clsact", loopback)), encode(hook)], "put a port into a VLAN"
        )


def _filter(batch: object, index: int, parent: int, program: int) -> None:
    batch.tc(  # type: ignore[attr-defined]
        "add-filter",
        "bpf",
        index,
        fd=program,
        name="vlan",
        parent=parent,
        classid=1,
        direct_action=True,
        protocol=_ETH_P_ALL,
        prio=1,
    )


def _tag(vlan: int) -> tuple[bytes, ...]:
    """Return the program that tags a frame, and drops one that has a tag."""
    return (
        _instruction(0x61, 0, 1, _VLAN_PRESENT),  # r0 = frame.vlan_present
        _instruction(0x55, 0, 0, 6),  # if r0 != 0: drop
        _instruction(0xB7, 2, 0, 0, _ETH_P_8021Q),
        _instruction(0xB7, 3, 0, 0, vlan),
        _instruction(0x85, 0, 0, 0, _VLAN_PUSH),
        _instruction(0x55, 0, 0, 2),  # if r0 != 0: drop
        *_ends(),
    )


def _untag(vlan: int) -> tuple[bytes, ...]:
    """Return the program that takes a frame's tag off, and drops those of other VLANs."""
    return (
        _instruction(0x61, 0, 1, _VLAN_TCI),  # r0 = frame.vlan_tci
        _instruction(0x57, 0, 0, 0, 0xFFF),  # without its priority
        _instruction(0x55, 0, 0, 4, vlan),  # if r0 != vlan: drop
        _instruction(0x85, 0, 0, 0, _VLAN_POP),
        _instruction(0x55, 0, 0, 2),  # if r0 != 0: drop
        *_ends(),
    )


def _ends() -> tuple[bytes, ...]:
    return (
        _instruction(0xB7, 0, 0, 0, _PASS),
        _instruction(0x95),
        _instruction(0xB7, 0, 0, 0, _DROP),
        _instruction(0x95),
    )


def _instruction(code: int, to: int = 0, of: int = 0, offset: int = 0, value: int = 0) -> bytes:
    return struct.pack("=BBhi", code, to | of << 4, offset, value)


def _load(instructions: tuple[bytes, ...]) -> int:
    """Load a program; return its descriptor."""
    number = _NUMBERS.get(platform.machine())
    if number is None:
        raise KernelLacksError(f"kernel lacks VLANs: no eBPF on {platform.machine()}")
    code, licence = ctypes.create_string_buffer(b"".join(instructions)), ctypes.create_string_buffer(b"GPL")
    pointers = ctypes.addressof(code), ctypes.addressof(licence)
    attributes = ctypes.create_string_buffer(struct.pack("=IIQQ", _SCHED_CLS, len(instructions), *pointers), 128)
    made: int = ctypes.CDLL(None, use_errno=True).syscall(number, _BPF_PROG_LOAD, attributes, len(attributes))
    if made < 0:
        reason = ctypes.get_errno()
        hint = ", which only root may load" if reason == errno.EPERM else ""
        raise KernelLacksError(f"kernel lacks eBPF programs for VLANs{hint}: {os.strerror(reason)}")
    return made
