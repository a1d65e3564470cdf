"""win-bridge and win-overlay with host-local, unmodified, on two nodes: what they get, and what packets then do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from suites import topology
from suites.backends.fake import FakeLane
from suites.topology import NodeNetwork

from .cni import VERSION, CniError, Document, Plugin, host_local
from .programs import PLUGINS, Go
from .sandboxes import API_VERSIONS, Pod, Sandboxes
from .world import World, world

WIN_PLUGINS = "containernetworking/plugins plugins/main/windows, pkg/hns"

PODS = 10
NAMESERVER = "10.96.0.10"
CLUSTER = "10.0.0.0/8"
_OUTBOUND_NAT: dict[int, Document] = {
    1: {"Type": "OutBoundNAT", "ExceptionList": [CLUSTER]},
    2: {"Type": "OutBoundNAT", "Settings": {"Exceptions": [CLUSTER]}},
}
PROGRAMS = {"L2Bridge": "win-bridge", "Overlay": "win-overlay"}


@dataclass
class Cluster:
    """Two nodes with a network each, as flannel leaves them, and the plugin for it."""

    world: World
    nodes: tuple[NodeNetwork, NodeNetwork]
    plugins: tuple[Plugin, Plugin]
    sandboxes: tuple[Sandboxes, Sandboxes]
    config: Document

    def config_of(self, number: int, **more: object) -> Document:
        """Return the network configuration on a node, and what a runtime puts into it for one pod."""
        node = self.nodes[number]
        name = node.hns.query("Network", node.network)["Name"]
        return {**self.config, "name": name, "ipam": host_local(node.prefix, self.sandboxes[number].data), **more}

    def add(self, number: int, container: str, **more: object) -> Pod:
        """Make a pod: its sandbox, then the plugin's ADD."""
        sandbox = self.sandboxes[number].make(container)
        result = self.plugins[number].call("ADD", self.config_of(number, **more), container, sandbox.netns)
        return replace(sandbox, result=result)

    def remove(self, number: int, pod: Pod) -> None:
        """Take a pod down: the plugin's DEL, then its sandbox."""
        self.plugins[number].call("DEL", self.config_of(number), pod.container, pod.netns)
        self.sandboxes[number].remove(pod)


@pytest.fixture(params=API_VERSIONS, ids=[f"v{version}" for version in API_VERSIONS])
def api_version(request: pytest.FixtureRequest) -> int:
    version: int = request.param
    return version


@pytest.fixture(params=PROGRAMS)
def cluster(request: pytest.FixtureRequest, go: Go, api_version: int, tmp_path: Path) -> Iterator[Cluster]:
    driver = request.param
    name = PROGRAMS[driver]
    program = go.program(f"{PLUGINS}/main/windows/{name}")
    go.program(f"{PLUGINS}/ipam/host-local")
    config: Document = {
        "cniVersion": VERSION,
        "type": name,
        "apiVersion": api_version,
        "dns": {"nameservers": [NAMESERVER]},
    }
    if driver == "L2Bridge":
        config["ipMasqNetwork"] = CLUSTER
    else:
        config["policies"] = [_policy(_OUTBOUND_NAT[api_version])]  # as flannel's own sample has it
    with world("n1", "n2") as served, topology.build(driver, FakeLane("ws2022", served.lab)) as built:
        nodes = served.lab.nodes["n1"], served.lab.nodes["n2"]
        plugins = Plugin(served, nodes[0], program), Plugin(served, nodes[1], program)
        leases = tmp_path / "n1", tmp_path / "n2"
        sandboxes = Sandboxes(nodes[0], api_version, leases[0]), Sandboxes(nodes[1], api_version, leases[1])
        yield Cluster(served, built.nodes, plugins, sandboxes, config)


@pytest.mark.known("client code", WIN_PLUGINS)
def test_a_plugin_tells_its_versions(cluster: Cluster) -> None:
    assert VERSION in cluster.plugins[0].call("VERSION", {"cniVersion": VERSION})["supportedVersions"]


@pytest.mark.known(
    "documentation", "kubernetes/website content/en/docs/concepts/services-networking/windows-networking.md"
)
def test_ten_pods_on_each_node_come_exchange_packets_and_go_without_a_trace(cluster: Cluster) -> None:
    before = [_left(cluster, number) for number in (0, 1)]
    with ThreadPoolExecutor(2) as both:
        pods = list(both.map(partial(_add_all, cluster), (0, 1)))
    addresses = {pod.address for node in pods for pod in node}
    assert len(addresses) == 2 * PODS
    _assert_packets(cluster, pods[0], pods[1])
    with ThreadPoolExecutor(2) as both:
        list(both.map(partial(_remove_all, cluster), (0, 1), pods))
    assert [_left(cluster, number) for number in (0, 1)] == before


@pytest.mark.known("client code", WIN_PLUGINS)
def test_an_added_pod_may_be_added_again(cluster: Cluster) -> None:
    pod = cluster.add(0, "again")
    again = cluster.plugins[0].call("ADD", cluster.config_of(0), pod.container, pod.netns)
    assert again["ips"] == pod.result["ips"]
    assert again["interfaces"] == pod.result["interfaces"]
    cluster.remove(0, pod)


@pytest.mark.known("client code", WIN_PLUGINS)
def test_a_removed_pod_may_be_removed_again(cluster: Cluster) -> None:
    pod = cluster.add(0, "twice")
    cluster.plugins[0].call("DEL", cluster.config_of(0), pod.container, pod.netns)
    cluster.remove(0, pod)
    assert _endpoints(cluster, 0, "twice") == []


@pytest.mark.known("client code", WIN_PLUGINS)
@pytest.mark.parametrize("seen", ["lease", "endpoint"])
def test_a_plugin_killed_in_the_middle_of_add_leaves_what_del_removes(cluster: Cluster, seen: str) -> None:
    before = _left(cluster, 0)
    sandbox = cluster.sandboxes[0].make("killed")
    points: dict[str, Callable[[], bool]] = {
        "lease": lambda: cluster.sandboxes[0].has_lease("killed"),
        "endpoint": lambda: bool(_endpoints(cluster, 0, "killed")),
    }
    cluster.plugins[0].call_and_kill(cluster.config_of(0), sandbox.container, sandbox.netns, points[seen])
    cluster.remove(0, sandbox)
    assert _left(cluster, 0) == before
    pod = cluster.add(0, "killed")
    assert _endpoints(cluster, 0, "killed")
    cluster.remove(0, pod)
    assert _left(cluster, 0) == before


@pytest.mark.known("client code", WIN_PLUGINS)
def test_a_pod_that_goes_and_comes_gets_an_endpoint_again(cluster: Cluster) -> None:
    for _ in range(3):
        pod = cluster.add(0, "restless")
        assert len(_endpoints(cluster, 0, "restless")) == 1
        cluster.remove(0, pod)
        assert _endpoints(cluster, 0, "restless") == []


@pytest.mark.known("client code", WIN_PLUGINS)
def test_dns_of_the_runtime_wins_over_the_configuration(cluster: Cluster) -> None:
    runtime = {"dns": {"servers": ["10.96.0.11"], "searches": ["shop.svc.cluster.local"]}}
    pod = cluster.add(0, "dns", runtimeConfig=runtime)
    assert pod.result["dns"] == {"nameservers": ["10.96.0.11"], "search": ["shop.svc.cluster.local"]}
    seen = cluster.world.lab.nodes["n1"].dns(pod.compartment)
    assert (list(seen.servers), list(seen.search)) == (["10.96.0.11"], ["shop.svc.cluster.local"])
    cluster.remove(0, pod)


@pytest.mark.known("client code", WIN_PLUGINS)
def test_policies_of_the_configuration_are_the_endpoints(cluster: Cluster, api_version: int) -> None:
    acl = {"Action": "Block", "Direction": "Out", "RemoteAddresses": "203.0.113.10", "RuleType": "Switch"}
    shaped = {"Type": "ACL", "Settings": acl} if api_version == 2 else {"Type": "ACL", **acl}
    pod = cluster.add(0, "policy", policies=[*cluster.config.get("policies", ()), _policy(shaped)])
    assert "ACL" in {policy["Type"] for policy in _endpoint(cluster, 0, "policy").get("Policies", [])}
    with cluster.world.lab.outside.tcp_server() as server:
        assert not pod.place.tcp("203.0.113.10", server.port, timeout=0.5).ok
    cluster.remove(0, pod)


@pytest.mark.known("client code", WIN_PLUGINS)
def test_an_unknown_network_is_the_plugins_error(cluster: Cluster) -> None:
    config = {**cluster.config_of(0), "name": "nowhere"}
    sandbox = cluster.sandboxes[0].make("lost")
    with pytest.raises(CniError, match="nowhere"):
        cluster.plugins[0].call("ADD", config, sandbox.container, sandbox.netns)
    cluster.sandboxes[0].remove(sandbox)


@pytest.mark.known("client code", WIN_PLUGINS)
@pytest.mark.parametrize("cluster", ["L2Bridge"], indirect=True)  # win-overlay knows no port mappings
def test_a_port_mapping_of_the_runtime_reaches_the_pod(cluster: Cluster) -> None:
    mapping = {"hostPort": 8080, "containerPort": 80, "protocol": "tcp"}
    pod = cluster.add(0, "web", runtimeConfig={"portMappings": [mapping]})
    with pod.place.tcp_server(80) as server:
        assert cluster.world.lab.outside.tcp(str(cluster.world.lab.nodes["n1"].address), 8080).ok
        assert len(server.seen()) == 1
    cluster.remove(0, pod)


def _policy(value: Document) -> Document:
    return {"name": "EndpointPolicy", "value": value}


def _add_all(cluster: Cluster, number: int) -> list[Pod]:
    return [cluster.add(number, f"pod{index}") for index in range(PODS)]


def _remove_all(cluster: Cluster, number: int, pods: list[Pod]) -> None:
    for pod in pods:
        cluster.remove(number, pod)


def _assert_packets(cluster: Cluster, here: list[Pod], there: list[Pod]) -> None:
    """Each pod reaches a pod of its own node, one of the other node, and the outside."""
    outside = cluster.world.lab.fabric.outside_address
    with cluster.world.lab.outside.tcp_server() as abroad, there[0].place.tcp_server() as far:
        for pod, neighbour in zip(here, [*here[1:], here[0]], strict=True):
            with neighbour.place.tcp_server() as near:
                assert pod.place.tcp(neighbour.address, near.port).ok
            assert pod.place.tcp(there[0].address, far.port).seen[0] == pod.address  # type: ignore[index]
            assert pod.place.tcp(str(outside), abroad.port).ok


def _endpoints(cluster: Cluster, number: int, container: str) -> list[str]:
    listed = cluster.nodes[number].hns.call("GET", "/endpoints/")
    return [endpoint["Name"] for endpoint in listed if endpoint["Name"].startswith(f"{container}_")]


def _endpoint(cluster: Cluster, number: int, container: str) -> Document:
    listed: list[Document] = cluster.nodes[number].hns.call("GET", "/endpoints/")
    return next(endpoint for endpoint in listed if endpoint["Name"].startswith(f"{container}_"))


def _left(cluster: Cluster, number: int) -> object:
    """Return all that a pod could leave: in HNS, in IPAM, in the kernel."""
    node = cluster.plugins[number].node
    assert node.linux is not None
    node.linux.flush()
    names = sorted(endpoint["Name"] for endpoint in cluster.nodes[number].hns.call("GET", "/endpoints/"))
    return names, cluster.sandboxes[number].leases(), cluster.sandboxes[number].interfaces()
