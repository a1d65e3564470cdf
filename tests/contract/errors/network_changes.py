"""Changes of networks: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.network import ID, MULTI_SUBNET, NESTED, NEWER, NOT_FOUND, OVERLAP, TAKEN_NAME, UNREADABLE
from tests.contract.errors.table import (
    BEFORE_2025,
    CLIENT,
    DOCUMENTED,
    NO_JSON,
    OTHER,
    STALE,
    Ask,
    Check,
    Document,
    Operation,
    adding,
    gone,
    path_id,
    setting,
    wrong_type,
)
from tests.contract.service import Bench


def _network(bench: Bench) -> str:
    return str(bench.network("L2Bridge", "10.1.0.0/16", ID=ID, Name="net")["ID"])


def _modify(resource: str, request: str, settings: Document) -> Any:
    def good(bench: Bench) -> Ask:
        network = _network(bench)
        document = {"ResourceType": resource, "RequestType": request, "Settings": settings}
        handle = bench.handle("Network", network)
        return Ask(bench, "HcnModifyNetwork", document, handle=handle, ids={"Network": network})

    return good


def request_checks(resource: str = "ResourceType") -> list[Check]:
    """Return what is checked of a modify request before its settings are looked at."""
    return [
        NO_JSON,
        wrong_type(resource),
        Check(
            "the object can be asked that",
            HResult.HCN_E_REQUEST_UNSUPPORTED,
            resource,
            setting(resource, to="Weather"),
        ),
        Check(
            "the request type is one of HNS's",
            HResult.HCN_E_INVALID_JSON,
            "RequestType",
            setting("RequestType", to="Replace"),
            detail="RequestType",
        ),
    ]


_SET = {"Type": "SetPolicy", "Settings": {"Id": "s", "Name": "s", "PolicyType": "IPSET", "Values": "10.1.0.4"}}
_IN_SETTINGS = ("Settings", "Policies")
MODIFY_POLICY = Operation(
    "HcnModifyNetwork",
    _modify("Policy", "Add", {"Policies": [{"Type": "VLAN", "Settings": {"IsolationId": 5}}]}),
    [
        STALE,
        gone("Network", NOT_FOUND),
        *request_checks(),
        Check(
            "the settings have their types",
            HResult.HCN_E_INVALID_JSON,
            "Settings",
            setting("Settings", to={"Policies": 5}),
            detail="Policies",
        ),
        Check("policies can be read", HResult.HCN_E_INVALID_POLICY, "Settings", adding(*_IN_SETTINGS, item=UNREADABLE)),
        Check(
            "the release has the policies",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "newer policy",
            adding(*_IN_SETTINGS, item=NEWER),
            releases=BEFORE_2025,
        ),
        Check(
            "a set is there once",
            HResult.HCN_E_POLICY_ALREADY_EXISTS,
            "set",
            lambda ask: ask.document["Settings"]["Policies"].extend([_SET, _SET]),
            releases=("ws2022", "ws2025"),
        ),
        Check(
            "sets in sets are there",
            HResult.HCN_E_ENTITY_HAS_REFERENCES,
            "nested",
            adding(*_IN_SETTINGS, item=NESTED),
            source="Azure/azure-container-networking npm/pkg/dataplane, its fake of HNS",
            how=CLIENT,
            releases=("ws2025",),
        ),
    ],
    on="Policy, Add",
)
REMOVE_POLICY = Operation(
    "HcnModifyNetwork",
    _modify("Policy", "Remove", {"Policies": []}),
    [
        Check(
            "the policies are there",
            HResult.HCN_E_POLICY_NOT_FOUND,
            "policy",
            adding(*_IN_SETTINGS, item={"Type": "VLAN", "Settings": {"IsolationId": 5}}),
        ),
    ],
    on="Policy, Remove",
)
_NEW = {"IpAddressPrefix": "10.8.0.0/24", "Routes": [{"NextHop": "10.8.0.1", "DestinationPrefix": "0.0.0.0/0"}]}
_IN_NEW = ("Settings", "Subnets", 0)


def _of_nat(ask: Ask) -> None:
    ask.handle = ask.bench.handle("Network", ask.bench.network("NAT", "10.7.0.0/24", Name="nat")["ID"])


def _renamed_to_anothers(ask: Ask) -> None:
    ask.bench.network("L2Bridge", "10.3.0.0/24", Name="b")
    ask.document["Name"] = "b"


ADD_SUBNET = Operation(
    "HcnModifyNetwork",
    _modify("Subnet", "Add", {"Subnets": [_NEW]}),
    [
        STALE,
        gone("Network", NOT_FOUND),
        *request_checks(),
        Check(
            "subnets of the type can change",
            HResult.HCN_E_REQUEST_UNSUPPORTED,
            "object",
            _of_nat,
            source=MULTI_SUBNET,
            how=DOCUMENTED,
        ),
        Check(
            "prefixes can be read",
            HResult.HCN_E_INVALID_SUBNET,
            "prefix",
            setting(*_IN_NEW, "IpAddressPrefix", to="x/8"),
        ),
        Check("a prefix is named", HResult.HCN_E_INVALID_SUBNET, "prefix", setting(*_IN_NEW, "IpAddressPrefix", to="")),
        Check(
            "the gateway lies in it",
            HResult.HCN_E_INVALID_SUBNET,
            "Routes",
            setting(*_IN_NEW, "Routes", 0, "NextHop", to="10.9.0.1"),
        ),
        Check(
            "an IP subnet lies in its subnet",
            HResult.HCN_E_INVALID_IP_SUBNET,
            "IpSubnets",
            setting(*_IN_NEW, "IpSubnets", to=[{"IpAddressPrefix": "10.9.0.0/25"}]),
        ),
        Check(
            "subnets don't overlap",
            HResult.ERROR_DUP_NAME,
            "Subnets",
            adding("Settings", "Subnets", item=_NEW),
            source=OVERLAP,
        ),
    ],
    releases=("ws2022", "ws2025"),
    on="Subnet, Add",
)
UPDATE_V1 = Operation(
    "POST /networks/{id}",
    lambda bench: Ask(bench, "HNSCall", {"Name": "net"}, "POST", f"/networks/{_network(bench)}"),
    [
        *path_id("networks", NOT_FOUND),
        NO_JSON,
        wrong_type("Name"),
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "policy",
            adding("Policies", item={"Type": "VLAN", "VLAN": "many"}),
        ),
        Check(
            "the switch has the extensions",
            HResult.HCN_E_SWITCH_EXTENSION_NOT_FOUND,
            "Extensions",
            setting("Extensions", to=[{"Id": OTHER, "IsEnabled": True}]),
        ),
        Check(
            "no network has the name",
            HResult.HCN_E_NETWORK_ALREADY_EXISTS,
            "Name",
            _renamed_to_anothers,
            source=TAKEN_NAME,
        ),
    ],
)


OPERATIONS = [MODIFY_POLICY, REMOVE_POLICY, ADD_SUBNET, UPDATE_V1]
