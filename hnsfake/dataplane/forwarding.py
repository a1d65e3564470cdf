"""IP forwarding of the node's interfaces, as Windows has it: each interface's own switch.

The kernel forwards between all interfaces of a node, and these rules decide what of it is seen: a vSwitch sends on
what its ports translate (load balancing, WinNAT) whether or not the node's TCP/IP stack forwards.
"""

from __future__ import annotations

from collections.abc import Collection

from hnsfake.dataplane.kernel import Kernel

_TABLE = "forwarding"
RULESET = f"""
table inet {_TABLE} {{
  set interfaces {{ type iface_index; }}
  chain FORWARD {{
    type filter hook forward priority -10; policy drop;
    ct status snat,dnat accept
    iif @interfaces accept
  }}
}}
"""


def forward(kernel: Kernel, interfaces: Collection[int], wanted: bool) -> None:
    """Switch forwarding of what comes in by some interfaces on or off; raise DataplaneError."""
    numbers = ", ".join(map(str, sorted(interfaces)))
    on, off = (f"{verb} element inet {_TABLE} interfaces {{ {numbers} }}\n" for verb in ("add", "delete"))
    # Deleting what isn't there fails, adding what is there doesn't.
    kernel.node.rules(on if wanted else on + off, on + off if wanted else on)
