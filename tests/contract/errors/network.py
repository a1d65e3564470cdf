"""Networks: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.table import (
    BEFORE_2025,
    CLIENT,
    DOCUMENTED,
    INFERRED,
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    Ask,
    Check,
    Document,
    Operation,
    adding,
    document_id,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

ID = "11111111-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
PREFIX = "10.1.0.0/24"
SUBNET: Document = {"IpAddressPrefix": PREFIX, "Routes": [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0"}]}
NEWER = {"Type": "NetworkACL", "Settings": {"Protocols": "6", "Action": "Allow", "Direction": "In", "Priority": 200}}
UNREADABLE = {"Type": "VLAN", "Settings": {"IsolationId": "many"}}
NESTED = {"Type": "SetPolicy", "Settings": {"Id": "n", "Name": "n", "PolicyType": "NESTEDIPSET", "Values": "gone"}}
NOT_FOUND = HResult.HCN_E_NETWORK_NOT_FOUND
MULTI_SUBNET = "MicrosoftDocs/Virtualization-Documentation container-networking/multi-subnet"
TAKEN_ID = "jgregmac/hyperv-fix-for-devs#13"
TAKEN_NAME = "Azure/aks-engine#1322, in v1"
OVERLAP = "ocroz/wsl2-boot#3"
CODES = "MicrosoftDocs/Virtualization-Documentation virtualization/api/hcn/Reference/HCNHResult.md, the text"
DOCKER_NAT = "microsoft/containers-toolkit#24 has the code for a NAT network's addresses"


def _v2(bench: Bench) -> Ask:
    document = {"Name": "net", "Type": "L2Bridge", "Ipams": [{"Subnets": [SUBNET]}], "SchemaVersion": VERSION}
    return Ask(bench, "HcnCreateNetwork", document)


def _v1(bench: Bench) -> Ask:
    subnets = [{"AddressPrefix": PREFIX, "GatewayAddress": "10.1.0.1"}]
    document = {"Name": "net", "Type": "L2Bridge", "Subnets": subnets}
    return Ask(bench, "HNSCall", document, "POST", "/networks/")


def _with_id_taken(ask: Ask) -> None:
    ask.bench.network("L2Bridge", "10.2.0.0/24", Name="other", ID=ID)
    ask.document["ID"] = ID


def _with_name_taken(ask: Ask) -> None:
    ask.bench.network("L2Bridge", "10.3.0.0/24", Name="net")


def _overlay(ask: Ask) -> None:
    ask.document["Type"] = "Overlay"


def _policies(shape: str) -> list[Check]:
    """Return what is checked of types and policies, alike in both shapes."""
    v1 = shape == "v1"
    newer = {"Type": NEWER["Type"], **NEWER["Settings"]} if v1 else NEWER  # type: ignore[dict-item]
    unreadable: Any = {"Type": "VLAN", "VLAN": "many"} if v1 else UNREADABLE
    return [
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "policy",
            adding("Policies", item=unreadable),
            source=CODES,
            how=DOCUMENTED,
        ),
        Check(
            "the type is one of HNS's",
            HResult.HCN_E_INVALID_NETWORK_TYPE,
            "Type",
            setting("Type", to="Bridge"),
            source="microsoft/SDN#238",
        ),
        Check(
            "the release has the policies",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "newer policy",
            adding("Policies", item=newer),
            releases=BEFORE_2025,
        ),
    ]


def _conflicts() -> list[Check]:
    return [
        Check("no network has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _with_id_taken, source=TAKEN_ID),
        Check(
            "no network has the name",
            HResult.HCN_E_NETWORK_ALREADY_EXISTS,
            "Name",
            _with_name_taken,
            source=TAKEN_NAME,
        ),
    ]


def _adapter(policy: Any) -> list[Check]:
    named = adding("Policies", item=policy)
    return [Check("the adapter is there", HResult.HCN_E_ADAPTER_NOT_FOUND, "adapter", named, source="moby/moby#41094")]


_IN_SUBNET = ("Ipams", 0, "Subnets", 0)
CREATE_V2 = Operation(
    "HcnCreateNetwork",
    _v2,
    [
        NOT_A_GUID,
        NO_JSON,
        wrong_type("Name"),
        document_id(),
        Check(
            "ranges of MACs can be read",
            HResult.HCN_E_INVALID_NETWORK,
            "MacPool",
            setting("MacPool", to={"Ranges": [{"StartMacAddress": "x", "EndMacAddress": "y"}]}),
        ),
        Check(
            "prefixes can be read",
            HResult.HCN_E_INVALID_NETWORK,
            "prefix",
            setting(*_IN_SUBNET, "IpAddressPrefix", to="10.1/x"),
        ),
        Check(
            "IP subnets can be read",
            HResult.HCN_E_INVALID_IP_SUBNET,
            "IpSubnets",
            setting(*_IN_SUBNET, "IpSubnets", to=[{"IpAddressPrefix": "x"}]),
        ),
        *_policies("v2"),
        Check(
            "the subnet's gateway lies in it",
            HResult.HCN_E_INVALID_NETWORK,
            "Routes",
            setting(*_IN_SUBNET, "Routes", 0, "NextHop", to="10.9.0.1"),
        ),
        Check(
            "an IP subnet lies in its subnet",
            HResult.HCN_E_INVALID_IP_SUBNET,
            "IpSubnets",
            setting(*_IN_SUBNET, "IpSubnets", to=[{"IpAddressPrefix": "10.9.0.0/25"}]),
        ),
        Check("an Overlay network has a VSID", HResult.HCN_E_INVALID_NETWORK, "Type", _overlay),
        Check(
            "sets in sets are there",
            HResult.HCN_E_ENTITY_HAS_REFERENCES,
            "set",
            adding("Policies", item=NESTED),
            source="Azure/azure-container-networking npm/pkg/dataplane, its fake of HNS",
            how=CLIENT,
            releases=("ws2025",),
        ),
        *_conflicts(),
        Check(
            "subnets don't overlap",
            HResult.ERROR_DUP_NAME,
            "Subnets",
            adding("Ipams", 0, "Subnets", item=SUBNET),
            source=OVERLAP,
        ),
        *_adapter({"Type": "NetAdapterName", "Settings": {"NetworkAdapterName": "gone"}}),
    ],
)
CREATE_V1 = Operation(
    "POST /networks/",
    _v1,
    [
        NO_JSON,
        wrong_type("Name"),
        document_id(),
        Check(
            "ranges of MACs can be read",
            HResult.HCN_E_INVALID_NETWORK,
            "MacPools",
            setting("MacPools", to=[{"StartMacAddress": "x", "EndMacAddress": "y"}]),
        ),
        Check(
            "prefixes can be read",
            HResult.HCN_E_INVALID_NETWORK,
            "prefix",
            setting("Subnets", 0, "AddressPrefix", to="10.1/x"),
        ),
        *_policies("v1"),
        Check(
            "the subnet's gateway lies in it",
            HResult.HCN_E_INVALID_NETWORK,
            "gateway",
            setting("Subnets", 0, "GatewayAddress", to="10.9.0.1"),
        ),
        Check("an Overlay network has a VSID", HResult.HCN_E_INVALID_NETWORK, "Type", _overlay),
        Check(
            "the switch has the extensions",
            HResult.HCN_E_SWITCH_EXTENSION_NOT_FOUND,
            "Extensions",
            setting("Extensions", to=[{"Id": OTHER, "IsEnabled": True}]),
        ),
        *_conflicts(),
        Check(
            "subnets don't overlap",
            HResult.ERROR_DUP_NAME,
            "Subnets",
            adding("Subnets", item={"AddressPrefix": PREFIX, "GatewayAddress": "10.1.0.1"}),
            source=OVERLAP,
        ),
        *_adapter({"Type": "NetAdapterName", "NetworkAdapterName": "gone"}),
    ],
)


def _nat(bench: Bench) -> Ask:
    ask = _v2(bench)
    ask.document["Type"] = "NAT"
    return ask


def _with_nat_there(ask: Ask) -> None:
    ask.bench.network("NAT", PREFIX, Name="docker")


CREATE_NAT = Operation(
    "HcnCreateNetwork",
    _nat,
    [
        Check(
            "the subnet's gateway lies in it",
            HResult.HCN_E_INVALID_NETWORK,
            "gateway",
            setting(*_IN_SUBNET, "Routes", 0, "NextHop", to="10.9.0.1"),
            source=DOCKER_NAT,
            how=INFERRED,
        ),
        Check("no network has its addresses", HResult.ERROR_DUP_NAME, "others", _with_nat_there, source=OVERLAP),
    ],
    on="NAT",
)


OPERATIONS = [CREATE_V2, CREATE_NAT, CREATE_V1]
