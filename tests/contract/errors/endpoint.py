"""Endpoints: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.network import CODES
from tests.contract.errors.table import (
    BEFORE_2025,
    DOCUMENTED,
    INFERRED,
    NO_JSON,
    NOT_A_GUID,
    OTHER,
    STALE,
    Ask,
    Check,
    Operation,
    adding,
    document_id,
    gone,
    setting,
    wrong_type,
)
from tests.contract.service import VERSION, Bench

ID = "22222222-AAAA-BBBB-CCCC-DDDDDDDDDDDD"
MAC = "00-15-5D-01-02-03"
NOT_FOUND = HResult.HCN_E_ENDPOINT_NOT_FOUND
DELETED = "Azure/azure-container-networking#715"
SUBNETS = "kubernetes-sigs/sig-windows-tools#71, kubernetes/kubernetes#100962"
EXCEPTIONS = "microsoft/hcsshim#1951, projectcalico/calico#8465"
ANY = "microsoft/hcsshim#1059"
PORT = "microsoft/hcsshim hcn/hcnerrors_test.go TestEndpointAlreadyExistsError, moby/moby#41094"
ATTACHED = "flannel-io/flannel#1391, projectcalico/calico#4280"
NEWER = {"Type": "TierAcl", "Settings": {"Name": "t", "Direction": "In", "Order": 1, "TierAclRules": []}}
ACL = {
    "Protocols": "6",
    "Action": "Allow",
    "Direction": "In",
    "RuleType": "Switch",
    "Priority": 9,
    "LocalAddresses": "Any",
}
UNREADABLE = {"Protocol": "many", "InternalPort": 80, "ExternalPort": 80}
EXCEPTION = ("ws2022", "ws2025")


def mapping(internal: int, external: int) -> dict[str, Any]:
    return {"Type": "PortMapping", "Settings": {"Protocol": 6, "InternalPort": internal, "ExternalPort": external}}


def network_of(bench: Bench) -> str:
    return str(bench.network("L2Bridge", "10.1.0.0/24")["ID"])


def _v2(bench: Bench) -> Ask:
    network = network_of(bench)
    document = {
        "Name": "pod",
        "IpConfigurations": [{"IpAddress": "10.1.0.9"}],
        "MacAddress": MAC,
        "Routes": [{"NextHop": "10.1.0.1", "DestinationPrefix": "0.0.0.0/0"}],
        "SchemaVersion": VERSION,
    }
    return Ask(bench, "HcnCreateEndpoint", document, handle=bench.handle("Network", network), ids={"Network": network})


def _v1(bench: Bench) -> Ask:
    network = network_of(bench)
    document = {"Name": "pod", "VirtualNetwork": network, "IPAddress": "10.1.0.9", "MacAddress": MAC}
    return Ask(bench, "HNSCall", document, "POST", "/endpoints/", ids={"Network": network})


def beside(**other: Any) -> Any:
    """Return a fault: the network has another endpoint, with what is asked for."""

    def fault(ask: Ask) -> None:
        ask.bench.endpoint(ask.ids["Network"], **other)

    return fault


def _with_id_taken(ask: Ask) -> None:
    beside(ID=ID)(ask)
    ask.document["ID"] = ID


def _with_port_taken(item: Any) -> Any:
    def fault(ask: Ask) -> None:
        beside(Policies=[mapping(80, 8080)])(ask)
        adding("Policies", item=item)(ask)

    return fault


def _full(ask: Ask) -> None:
    """The only address that is left is another endpoint's."""
    ask.ids["Network"] = ask.bench.network("L2Bridge", "10.5.0.0/30", Name="small")["ID"]
    ask.bench.endpoint(ask.ids["Network"])
    ask.handle = ask.bench.handle("Network", ask.ids["Network"])
    ask.document["IpConfigurations"] = []


def _against_network(where: Any) -> list[Check]:
    """Return what of addresses is checked against the network; ``where`` puts an address into the request."""
    return [
        Check(
            "the network has a subnet of the family",
            HResult.HCN_E_SUBNET_NOT_FOUND,
            "address",
            where("fd00::9"),
            source="microsoft/Windows-Containers#82",
        ),
        Check(
            "the address is of a subnet",
            HResult.HCN_E_ADDR_INVALID_OR_RESERVED,
            "address",
            where("10.9.0.9"),
            source=SUBNETS,
        ),
        Check("the address is not the gateway's", HResult.HCN_E_ADDR_INVALID_OR_RESERVED, "address", where("10.1.0.1")),
        Check("the address is a host's", HResult.HCN_E_ADDR_INVALID_OR_RESERVED, "address", where("10.1.0.255")),
    ]


def policies(form: Any) -> list[Check]:
    """Return what of policies is checked against network and release; ``form`` writes a policy."""
    return [
        Check(
            "an ACL's addresses are addresses, or sets of the network",
            HResult.HCN_E_INVALID_POLICY,
            "acl",
            adding("Policies", item=form({"Type": "ACL", "Settings": ACL})),
            source=ANY,
        ),
        Check(
            "OutBoundNAT's exceptions are prefixes",
            HResult.HCN_E_INVALID_POLICY,
            "exceptions",
            adding("Policies", item={"Type": "OutBoundNAT", **_exceptions(form)}),
            source=EXCEPTIONS,
            releases=EXCEPTION,
        ),
        Check(
            "a mapping has an internal port",
            HResult.HCN_E_INVALID_INTERNAL_PORT,
            "mapping",
            adding("Policies", item=form(mapping(0, 90))),
            source=CODES,
            how=DOCUMENTED,
        ),
    ]


def _exceptions(form: Any) -> dict[str, Any]:
    prefixes = ["172.17.0.1/16"]
    return {"ExceptionList": prefixes} if form is flat else {"Settings": {"Exceptions": prefixes}}


def flat(policy: dict[str, Any]) -> dict[str, Any]:
    """Write a policy as v1 does."""
    if policy["Type"] == "PortMapping":
        settings = policy["Settings"]
        ports = {"InternalPort": settings["InternalPort"], "ExternalPort": settings["ExternalPort"]}
        return {"Type": "NAT", "Protocol": "TCP", **ports}
    return {"Type": policy["Type"], **policy["Settings"]}


def _as_it_is(policy: dict[str, Any]) -> dict[str, Any]:
    return policy


def _conflicts(form: Any) -> list[Check]:
    return [
        Check("no endpoint has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _with_id_taken),
        Check(
            "no endpoint has the address",
            HResult.HCN_E_ADDR_INVALID_OR_RESERVED,
            "other address",
            beside(IpConfigurations=[{"IpAddress": "10.1.0.9"}]),
        ),
        Check(
            "no endpoint has the MAC",
            HResult.ERROR_OBJECT_ALREADY_EXISTS,
            "other mac",
            beside(MacAddress=MAC),
            source="kubernetes/kubernetes#74766 has the code, and not the cause",
            how=INFERRED,
        ),
        Check(
            "no endpoint has the port",
            HResult.HCN_E_PORT_ALREADY_EXISTS,
            "port",
            _with_port_taken(form(mapping(80, 8080))),
            source=PORT,
        ),
    ]


def _at(address: str) -> Any:
    return setting("IpConfigurations", 0, "IpAddress", to=address)


CREATE_V2 = Operation(
    "HcnCreateEndpoint",
    _v2,
    [
        NOT_A_GUID,
        STALE,
        gone("Network", HResult.HCN_E_NETWORK_NOT_FOUND, source=CODES, how=DOCUMENTED),
        NO_JSON,
        wrong_type("Name"),
        document_id(),
        Check("the MAC can be read", HResult.HCN_E_INVALID_ENDPOINT, "MAC", setting("MacAddress", to="00-15")),
        Check(
            "the MAC is one of a vNIC",
            HResult.HCN_E_INVALID_ENDPOINT,
            "MAC",
            setting("MacAddress", to="01-00-5E-00-00-01"),
        ),
        Check("addresses can be read", HResult.HCN_E_INVALID_IP, "address", _at("10.1.0")),
        Check(
            "prefixes are no longer than addresses",
            HResult.HCN_E_INVALID_ENDPOINT,
            "PrefixLength",
            setting("IpConfigurations", 0, "PrefixLength", to=129),
        ),
        Check(
            "routes' prefixes can be read",
            HResult.HCN_E_INVALID_PREFIX,
            "Routes",
            setting("Routes", 0, "DestinationPrefix", to="10.x/8"),
            source=CODES,
            how=DOCUMENTED,
        ),
        Check(
            "next hops are of their routes' family",
            HResult.HCN_E_INVALID_ENDPOINT,
            "Routes",
            setting("Routes", 0, "DestinationPrefix", to="::/0"),
        ),
        Check(
            "metrics are in their range",
            HResult.HCN_E_INVALID_ENDPOINT,
            "Routes",
            setting("Routes", 0, "Metric", to=-1),
        ),
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "policy",
            adding("Policies", item={"Type": "PortMapping", "Settings": UNREADABLE}),
            source=CODES,
            how=DOCUMENTED,
        ),
        Check(
            "the release has the policies",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "newer policy",
            adding("Policies", item=NEWER),
            releases=BEFORE_2025,
        ),
        *_against_network(_at),
        *policies(_as_it_is),
        *_conflicts(_as_it_is),
    ],
)
CREATE_BY_HNS = Operation(
    "HcnCreateEndpoint",
    _v2,
    [Check("an address is left", HResult.HCN_E_ADDR_INVALID_OR_RESERVED, "pool", _full)],
    on="address chosen by HNS",
)
CREATE_V1 = Operation(
    "POST /endpoints/",
    _v1,
    [
        NO_JSON,
        wrong_type("Name"),
        document_id(),
        Check(
            "VirtualNetwork is a GUID",
            HResult.HCN_E_GUID_CONVERSION_FAILURE,
            "network",
            setting("VirtualNetwork", to="net"),
        ),
        Check("the MAC can be read", HResult.HCN_E_INVALID_ENDPOINT, "MAC", setting("MacAddress", to="00-15")),
        Check("addresses can be read", HResult.HCN_E_INVALID_IP, "address", setting("IPAddress", to="10.1.0")),
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "policy",
            adding("Policies", item={"Type": "NAT", "InternalPort": "many"}),
        ),
        Check(
            "the release has the policies",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "newer policy",
            adding("Policies", item=flat(NEWER)),
            releases=BEFORE_2025,
        ),
        Check(
            "the network is there",
            HResult.HCN_E_NETWORK_NOT_FOUND,
            "network",
            setting("VirtualNetwork", to=OTHER),
            source=CODES,
            how=DOCUMENTED,
        ),
        *_against_network(lambda address: setting("IPAddress", to=address)),
        *policies(flat),
        *_conflicts(flat),
    ],
)


def _on_transparent(bench: Bench) -> Ask:
    ask = _v2(bench)
    network = bench.network("Internal", "10.1.0.0/24", Name="in")["ID"]
    ask.handle, ask.ids = bench.handle("Network", network), {"Network": network}
    return ask


MAPPED = Operation(
    "HcnCreateEndpoint",
    _on_transparent,
    [
        Check(
            "ports can be mapped on the network",
            HResult.HCN_E_MAPPING_NOT_SUPPORTED,
            "mapping",
            adding("Policies", item=mapping(80, 8080)),
            source=CODES,
            how=DOCUMENTED,
        ),
        Check(
            "an ACL's addresses are addresses, or sets of the network",
            HResult.HCN_E_INVALID_POLICY,
            "acl",
            adding("Policies", item={"Type": "ACL", "Settings": ACL}),
            source=ANY,
        ),
    ],
    on="Internal",
)
REMOTE = Operation(
    "HcnCreateEndpoint",
    lambda bench: _remote(bench),
    [
        Check(
            "a remote endpoint names its address",
            HResult.HCN_E_INVALID_ENDPOINT,
            "address",
            setting("IpConfigurations", to=[]),
        ),
        Check("no endpoint has the id", HResult.ERROR_ALREADY_EXISTS, "ID", _with_id_taken),
    ],
    on="remote",
)


def _remote(bench: Bench) -> Ask:
    ask = _v2(bench)
    ask.document["Flags"] = 1
    return ask


OPERATIONS = [CREATE_V2, CREATE_BY_HNS, REMOTE, MAPPED, CREATE_V1]
