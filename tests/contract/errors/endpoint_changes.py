"""Changes of endpoints, and where they are attached: what is refused, in order."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.hresults import HResult
from tests.contract.errors.endpoint import (
    ACL,
    ANY,
    ATTACHED,
    NEWER,
    NOT_FOUND,
    PORT,
    UNREADABLE,
    beside,
    flat,
    mapping,
    network_of,
    policies,
)
from tests.contract.errors.network import CODES
from tests.contract.errors.network_changes import request_checks
from tests.contract.errors.table import (
    BEFORE_2025,
    DOCUMENTED,
    NO_JSON,
    STALE,
    Ask,
    Check,
    Operation,
    adding,
    gone,
    path_id,
    setting,
    wrong_type,
)
from tests.contract.service import Bench


def _modify(resource: str, request: str, settings: Any, **more: Any) -> Any:
    def good(bench: Bench) -> Ask:
        network = network_of(bench)
        endpoint = bench.endpoint(network, **more)["ID"]
        document = {"ResourceType": resource, "RequestType": request, "Settings": settings}
        ids = {"Network": network, "Endpoint": endpoint}
        return Ask(bench, "HcnModifyEndpoint", document, handle=bench.handle("Endpoint", endpoint), ids=ids)

    return good


_IN = ("Settings", "Policies")


def _with_others_port(ask: Ask) -> None:
    beside(Policies=[mapping(80, 8080)])(ask)
    adding(*_IN, item=mapping(80, 8080))(ask)


MODIFY = Operation(
    "HcnModifyEndpoint",
    _modify("Policy", "Add", {"Policies": [mapping(80, 8000)]}),
    [
        STALE,
        gone("Endpoint", NOT_FOUND, source=CODES, how=DOCUMENTED),
        *request_checks(),
        Check(
            "the settings have their types",
            HResult.HCN_E_INVALID_JSON,
            "Settings",
            setting("Settings", to={"Policies": 5}),
            detail="Policies",
        ),
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "Settings",
            adding(*_IN, item={"Type": "PortMapping", "Settings": UNREADABLE}),
        ),
        Check(
            "the release has the policies",
            HResult.HCN_E_INVALID_POLICY_TYPE,
            "newer policy",
            adding(*_IN, item=NEWER),
            releases=BEFORE_2025,
        ),
        Check(
            "an ACL's addresses are addresses, or sets of the network",
            HResult.HCN_E_INVALID_POLICY,
            "acl",
            adding(*_IN, item={"Type": "ACL", "Settings": ACL}),
            source=ANY,
        ),
        Check(
            "a mapping has an internal port",
            HResult.HCN_E_INVALID_INTERNAL_PORT,
            "mapping",
            adding(*_IN, item=mapping(0, 90)),
            source=CODES,
            how=DOCUMENTED,
        ),
        Check("no endpoint has the port", HResult.HCN_E_PORT_ALREADY_EXISTS, "port", _with_others_port, source=PORT),
    ],
    on="Policy, Add",
)
REMOVE = Operation(
    "HcnModifyEndpoint",
    _modify("Policy", "Remove", {"Policies": [mapping(80, 8000)]}, Policies=[mapping(80, 8000)]),
    [
        Check("the policies are there", HResult.HCN_E_POLICY_NOT_FOUND, "policy", adding(*_IN, item=mapping(81, 8001))),
    ],
    on="Policy, Remove",
)


def _of_endpoint(action: str, document: Any, attached: bool = False) -> Any:
    def good(bench: Bench) -> Ask:
        endpoint = bench.endpoint(network_of(bench))["ID"]
        path = f"/endpoints/{endpoint}/{action}".rstrip("/")
        if attached:
            assert bench.v1("POST", f"/endpoints/{endpoint}/attach", {"SystemType": "Host"})["Success"]
        return Ask(bench, "HNSCall", document, "POST", path, ids={"Endpoint": endpoint})

    return good


def _attached(ask: Ask) -> None:
    assert ask.bench.v1("POST", f"/endpoints/{ask.ids['Endpoint']}/attach", {"SystemType": "Host"})["Success"]


def _of_remote(ask: Ask) -> None:
    network = ask.bench.network("L2Bridge", "10.6.0.0/24", Name="far")["ID"]
    far = ask.bench.endpoint(network, Flags=1, IpConfigurations=[{"IpAddress": "10.6.0.9"}])["ID"]
    ask.path = f"/endpoints/{far}/attach"


UPDATE_V1 = Operation(
    "POST /endpoints/{id}",
    _of_endpoint("", {"Policies": []}),
    [
        *path_id("endpoints", NOT_FOUND),
        NO_JSON,
        wrong_type("Name"),
        Check(
            "policies can be read",
            HResult.HCN_E_INVALID_POLICY,
            "policy",
            adding("Policies", item={"Type": "NAT", "InternalPort": "many"}),
        ),
        *policies(flat),
    ],
)
ATTACH = Operation(
    "POST /endpoints/{id}/attach",
    _of_endpoint("attach", {"SystemType": "Host", "CompartmentID": 1}),
    [
        *path_id("endpoints", NOT_FOUND, "attach"),
        NO_JSON,
        wrong_type("CompartmentID", "1"),
        Check(
            "the kind of system is one that a node has",
            HResult.HCN_E_REQUEST_UNSUPPORTED,
            "SystemType",
            setting("SystemType", to="VirtualMachine"),
        ),
        Check(
            "the container is there",
            HResult.HCS_E_SYSTEM_NOT_FOUND,
            "SystemType",
            setting("SystemType", to="Container"),
            source="ovn-kubernetes/ovn-kubernetes#390",
        ),
        Check(
            "the endpoint is of this node",
            HResult.HCN_E_INVALID_REMOTE_ENDPOINT_OPERATION,
            "path",
            _of_remote,
            source=CODES,
            how=DOCUMENTED,
        ),
        Check(
            "the endpoint is not attached yet",
            HResult.HCN_E_ENDPOINT_ALREADY_ATTACHED,
            "attached",
            _attached,
            source=ATTACHED,
        ),
        Check("the compartment is there", HResult.ERROR_NOT_FOUND, "CompartmentID", setting("CompartmentID", to=77)),
    ],
)


def _detached(ask: Ask) -> None:
    assert ask.bench.v1("POST", f"/endpoints/{ask.ids['Endpoint']}/detach")["Success"]


DETACH = Operation(
    "POST /endpoints/{id}/detach",
    _of_endpoint("detach", {"SystemType": "Host"}, attached=True),
    [
        *path_id("endpoints", NOT_FOUND, "detach"),
        NO_JSON,
        wrong_type("CompartmentID", "1"),
        Check("the endpoint is attached", HResult.ERROR_NOT_FOUND, "attached", _detached),
    ],
)


OPERATIONS = [MODIFY, REMOVE, UPDATE_V1, ATTACH, DETACH]
