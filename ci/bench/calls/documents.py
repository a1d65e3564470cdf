"""What the calls are about: one network, and for each client an endpoint that it creates, reads and deletes."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

PREFIX = IPv4Network("10.1.0.0/16")
VERSION = {"Major": 2, "Minor": 0}
NETWORK_ID = "be0c4000-0000-4000-8000-000000000000"
QUERY = {"SchemaVersion": VERSION}
NETWORK = {
    "SchemaVersion": VERSION,
    "Name": "bench",
    "Type": "L2Bridge",
    "MacPool": {"Ranges": [{"StartMacAddress": "00-15-5D-00-00-00", "EndMacAddress": "00-15-5D-0F-FF-FF"}]},
    "Ipams": [{"Type": "Static", "Subnets": [{"IpAddressPrefix": str(PREFIX)}]}],
}
_FIRST = 10  # hosts before it are left to gateways


def endpoint_id(number: int) -> str:
    """Return the id of an endpoint."""
    return f"be0c4000-0000-4000-8001-{number:012x}"


def endpoint(number: int) -> dict[str, Any]:
    """Return a v2 endpoint."""
    address = {"IpAddress": str(PREFIX[number + _FIRST]), "PrefixLength": PREFIX.prefixlen}
    return {"SchemaVersion": VERSION, "Name": f"e{number}", "IpConfigurations": [address], "Policies": []}


def endpoint_v1(number: int) -> dict[str, Any]:
    """Return a v1 endpoint."""
    return {
        "ID": endpoint_id(number),
        "Name": f"e{number}",
        "VirtualNetwork": NETWORK_ID,
        "IPAddress": str(PREFIX[number + _FIRST]),
        "PrefixLength": PREFIX.prefixlen,
    }
