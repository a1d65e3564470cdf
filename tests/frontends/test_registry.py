"""The registry view of a compartment, over HTTP, on the command line, and as a program inside sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.frontends.conftest import Hnsfake, Served

V2 = {"SchemaVersion": {"Major": 2, "Minor": 0}}
DNS = {"ServerList": ["10.9.9.9"], "Search": ["a.test", "b.test"]}


@dataclass
class Pod:
    """A namespace with an endpoint, on a lab's only node, which is named like the lab."""

    node: str
    namespace: str
    address: str


@pytest.fixture
def pod(hnsfake: Hnsfake, lab_name: str) -> Iterator[Pod]:
    done = hnsfake("up", "--detach", "--name", lab_name, "--node", lab_name)
    assert done.returncode == 0, done.stderr + done.stdout
    network = json.loads(hnsfake("call", lab_name, "POST", "/networks/", '{"Name": "nat", "Type": "nat"}').stdout)
    document = json.dumps({**V2, "Name": "web", "Dns": DNS})
    made = json.loads(hnsfake("call", lab_name, "HcnCreateEndpoint", "--network", network["ID"], document).stdout)
    namespace = json.loads(hnsfake("call", lab_name, "HcnCreateNamespace", json.dumps(V2)).stdout)["ID"]
    request = {"ResourceType": "Endpoint", "RequestType": "Add", "Settings": {"EndpointId": made["ID"]}}
    hnsfake("call", lab_name, "HcnModifyNamespace", "--id", namespace, json.dumps(request))
    yield Pod(lab_name, namespace, made["IpConfigurations"][0]["IpAddress"])
    hnsfake("down", "--lab", lab_name)


def test_the_command_shows_interfaces_name_servers_and_routes_with_their_metrics(hnsfake: Hnsfake, pod: Pod) -> None:
    lines = [" ".join(line.split()) for line in hnsfake("registry", pod.node, pod.namespace).stdout.splitlines()]
    assert "DNS Suffix Search List: a.test, b.test" in lines
    (interface,) = (line for line in lines if line.startswith("vEthernet (web)"))
    assert pod.address in interface
    assert interface.endswith("a.test 10.9.9.9 5000")
    (registered,) = (line for line in lines if line.endswith("256 5256"))
    assert registered.startswith("0.0.0.0/0 ")
    assert sum(line.endswith("vEthernet (web) 5256") for line in lines) == 2


def test_the_command_shows_the_same_as_json(hnsfake: Hnsfake, pod: Pod) -> None:
    view = json.loads(hnsfake("registry", pod.node, pod.namespace, "--json").stdout)
    assert view["search_list"] == DNS["Search"]
    (interface,) = view["interfaces"]
    assert (interface["name_servers"], interface["metric"]) == (DNS["ServerList"], 5000)
    (route,) = interface["routes"]
    assert {"destination": "0.0.0.0/0", "effective_metric": 5256}.items() <= route.items()
    assert {(one["destination"], one["effective_metric"]) for one in view["active_routes"]} > {("0.0.0.0/0", 5256)}


def test_a_program_inside_sees_the_effective_metrics_and_the_name_servers(hnsfake: Hnsfake, pod: Pod) -> None:
    shown = hnsfake("exec", pod.node, pod.namespace, "--", "sh", "-c", "ip route; cat /etc/resolv.conf").stdout
    routes = [line for line in shown.splitlines() if " dev " in line]
    assert [line.split("metric ")[1].strip() for line in routes] == ["5256", "5256"]
    assert "nameserver 10.9.9.9\nsearch a.test\n" in shown


def test_the_nodes_own_view_is_shown_where_no_namespace_is_named(hnsfake: Hnsfake, pod: Pod) -> None:
    view = json.loads(hnsfake("registry", pod.node, "--json").stdout)
    assert view["compartment"] == 1
    assert {one["alias"]: one["metric"] for one in view["interfaces"]} == {"Ethernet": 15, "vEthernet (nat)": 5000}
    assert view["search_list"] == []


def test_a_compartment_that_is_not_there_is_said_in_one_line(hnsfake: Hnsfake, pod: Pod) -> None:
    done = hnsfake("registry", pod.node, "77")
    assert (done.returncode, done.stderr) == (2, f"hnsfake: node {pod.node} has no compartment 77\n")


def test_http_lists_all_compartments_and_shows_one(served: Served) -> None:
    served.lab.nodes["n1"].create_compute_system("web")
    with served.client() as http:
        listed = http.get("/lab/registry").json()
        assert [view["compartment"] for view in listed] == [1, 2]
        assert http.get("/lab/registry/2").json() == listed[1]
        assert listed[1]["interfaces"] == []


@pytest.mark.parametrize("number", ["3", "-1", "x", "٣", "9" * 5000])
def test_http_says_of_any_other_compartment_that_it_is_not_there(served: Served, number: str) -> None:
    with served.client() as http:
        answer = http.get(f"/lab/registry/{number}")
    assert answer.status_code == 404
    assert answer.json() == {"error": f"node n1 has no compartment {number}"}
