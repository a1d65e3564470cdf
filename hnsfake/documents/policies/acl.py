"""ACL: allow or block traffic at an endpoint's port (Switch, VFP) or in its compartment (Host, WFP)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import Field, model_validator

from hnsfake.documents.policies.base import Policy
from hnsfake.documents.policies.values import Names, Networks, PortRanges, Protocols, read_network, split_list

MAX_SWITCH_PRIORITY = 65500
"""The weakest Switch priority; rules above it have no effect (projectcalico/calico felix)."""


class Action(StrEnum):
    """What a rule does with what it matches."""

    ALLOW = "Allow"
    BLOCK = "Block"
    PASS = "Pass"


class Direction(StrEnum):
    """In is towards the endpoint, Out is from it."""

    IN = "In"
    OUT = "Out"


class RuleType(StrEnum):
    """Where a rule is enforced: Host in the compartment's firewall, Switch at the port."""

    HOST = "Host"
    SWITCH = "Switch"


_ORDER = (
    *("Protocols", "LocalAddresses", "RemoteAddresses", "LocalPorts", "RemotePorts", "Priority", "Id"),
    *("Action", "Direction", "RuleType"),
)


class Acl(Policy):
    """One ACL rule; a lower ``priority`` wins. "Local" is the endpoint's end of the flow.

    Empty tuples match everything. Sets are SetPolicy ids of the network, found in LocalAddresses and
    RemoteAddresses: the traffic must be in all of them, and local means the source in both directions
    (Azure/azure-container-networking npm/pkg/dataplane/policies). microsoft/hcsshim hcn/hcnpolicy.go AclPolicySetting;
    internal/hns/hnspolicy.go ACLPolicy.
    """

    v2_type: ClassVar[str] = "ACL"
    v1_type: ClassVar[str] = "ACL"
    v1_notes: ClassVar[Mapping[str, str]] = {
        "Protocols": "v1 has Protocol too, a number, and shows it where there is one protocol",
        "LocalPorts": "v1 has LocalPort too, a number; its InternalPort and ServiceName are left out of v2",
        "RemotePorts": "v1 has RemotePort too, a number",
    }

    id: str = Field(default="", alias="Id")
    protocols: Protocols = Field(default=(), alias="Protocols")
    action: Action = Field(alias="Action", strict=False)
    direction: Direction = Field(alias="Direction", strict=False)
    local_addresses: Networks = Field(default=(), alias="LocalAddresses")
    remote_addresses: Networks = Field(default=(), alias="RemoteAddresses")
    local_ports: PortRanges = Field(default=(), alias="LocalPorts")
    remote_ports: PortRanges = Field(default=(), alias="RemotePorts")
    rule_type: RuleType = Field(default=RuleType.SWITCH, alias="RuleType", strict=False)
    priority: int = Field(default=0, ge=0, le=65535, alias="Priority")
    local_sets: Names = ()
    remote_sets: Names = ()

    @model_validator(mode="before")
    @classmethod
    def _tell_sets_from_addresses(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Take lists of names out of the addresses; names beside addresses in one list are refused (unverified)."""
        read = dict(settings)
        for addresses, sets in (("LocalAddresses", "local_sets"), ("RemoteAddresses", "remote_sets")):
            parts = split_list(read.get(addresses))
            if parts and not any(map(_is_network, parts)):
                read[sets], read[addresses] = parts, ""
        return read

    @property
    def names_sets(self) -> bool:
        """Whether the rule depends on the network's sets."""
        return bool(self.local_sets or self.remote_sets)

    @classmethod
    def v2_settings(cls, v1: dict[str, Any]) -> dict[str, Any]:
        """Translate: v1 has Protocol, LocalPort and RemotePort as numbers too."""
        settings = super().v2_settings(v1)
        for old in ("Protocol", "LocalPort", "RemotePort"):
            if old in settings:
                value = settings.pop(old)
                if value not in (None, "", 0):
                    settings.setdefault(f"{old}s", str(value))
        settings.pop("InternalPort", None)
        settings.pop("ServiceName", None)
        return settings

    @classmethod
    def shown_v2(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings in HNS's own order, empty ones left out (Azure/azure-container-networking#3550)."""
        shown = {name: settings[name] for name in _ORDER if settings.get(name) not in (None, "")}
        return shown | {name: value for name, value in settings.items() if name not in _ORDER}

    @classmethod
    def v1_settings(cls, v2: dict[str, Any]) -> dict[str, Any]:
        """Translate: a single protocol becomes the number v1 clients read."""
        settings = dict(v2)
        protocols = settings.pop("Protocols", "")
        if isinstance(protocols, str) and protocols.isdecimal():
            settings["Protocol"] = int(protocols)
        elif protocols:
            settings["Protocols"] = protocols
        return settings


class NetworkAcl(Acl):
    """A rule for all endpoints of a network (HNS 15.0 and later). microsoft/hcsshim hcn/hcnpolicy.go."""

    v2_type: ClassVar[str] = "NetworkACL"
    v1_type: ClassVar[str] = "NetworkACL"


def _is_network(text: str) -> bool:
    try:
        read_network(text)
    except ValueError:
        return False
    return True
