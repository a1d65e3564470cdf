"""Typed values inside policy settings: addresses, prefixes, MACs, port ranges, protocols, comma lists.

HNS writes lists as one string with commas (microsoft/hcsshim hcn/hcnpolicy.go, AclPolicySetting).
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Annotated, Any

from pydantic import BeforeValidator

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

PROTOCOL_NUMBERS = {"TCP": 6, "UDP": 17, "ICMPV4": 1, "IGMP": 2, "ICMPV6": 58, "SCTP": 132}
ANY_PROTOCOL = 256
_MAC = re.compile(r"[0-9A-Fa-f]{2}(?:([-:]))[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}")


def read_address(value: Any) -> IPAddress | None:
    """Read an address; an empty string or null is None."""
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise ValueError("not an address")  # noqa: TRY004 - pydantic collects ValueErrors
    return ip_address(value)


def read_network(value: Any) -> IPNetwork:
    """Read a prefix; host bits are dropped, as Windows Server 2019 does."""
    if not isinstance(value, str) or not value:
        raise ValueError("not a prefix")
    return ip_network(value, strict=False)


def read_mac(value: Any) -> str:
    """Read a MAC in dash or colon form; give it back in HNS's own form, dashes and upper case."""
    if not isinstance(value, str) or not _MAC.fullmatch(value):
        raise ValueError("not a MAC address")
    return value.upper().replace(":", "-")


def read_protocol(value: Any) -> int:
    """Read a protocol number, or a name in any case (v1 clients send "tcp"); 256 and empty mean any."""
    if value in (None, ""):
        return ANY_PROTOCOL
    if isinstance(value, bool):
        raise ValueError("not a protocol")  # noqa: TRY004 - pydantic collects ValueErrors
    if isinstance(value, str):
        number = PROTOCOL_NUMBERS.get(value.upper()) if not value.isdecimal() else int(value)
        if number is None:
            raise ValueError("not a protocol")
        value = number
    if not isinstance(value, int) or not 0 <= value <= ANY_PROTOCOL:
        raise ValueError("not a protocol")
    return value


def split_list(value: Any) -> tuple[str, ...]:
    """Split a comma list; null and empty are the empty list. A JSON array is taken as well."""
    if value in (None, ""):
        return ()
    if isinstance(value, (list, tuple)):
        if not all(isinstance(item, str) for item in value):
            raise ValueError("not a list of strings")
        return tuple(value)
    if not isinstance(value, str):
        raise ValueError("not a comma list")  # noqa: TRY004 - pydantic collects ValueErrors
    return tuple(part for part in (part.strip() for part in value.split(",")) if part)


def read_networks(value: Any) -> tuple[IPNetwork, ...]:
    """Read a comma list of addresses and prefixes."""
    return tuple(read_network(part) for part in split_list(value))


def read_port_ranges(value: Any) -> tuple[tuple[int, int], ...]:
    """Read "80,8000-8010", or one port as a number (v1 LocalPort), as (first, last) pairs."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if value else ""
    ranges = []
    for part in split_list(value):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not 0 <= low <= high <= 65535:
            raise ValueError("not a port range")
        ranges.append((low, high))
    return tuple(ranges)


def read_protocols(value: Any) -> tuple[int, ...]:
    """Read a comma list of protocols, or one number (v1); empty when any protocol is meant."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    numbers = tuple(read_protocol(part) for part in split_list(value))
    return () if ANY_PROTOCOL in numbers else numbers


Address = Annotated[IPAddress | None, BeforeValidator(read_address)]
Network = Annotated[IPNetwork, BeforeValidator(read_network)]
Names = Annotated[tuple[str, ...], BeforeValidator(split_list)]
Networks = Annotated[tuple[IPNetwork, ...], BeforeValidator(read_networks)]
Mac = Annotated[str, BeforeValidator(read_mac)]
Protocol = Annotated[int, BeforeValidator(read_protocol)]
Protocols = Annotated[tuple[int, ...], BeforeValidator(read_protocols)]
PortRanges = Annotated[tuple[tuple[int, int], ...], BeforeValidator(read_port_ranges)]
