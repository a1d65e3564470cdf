"""What HNS hands out by itself: addresses, MACs, subnets, ports, compartments."""

from __future__ import annotations

import random
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hnsfake.documents.hresults import HResult
from hnsfake.service import pools
from tests.contract.service import VERSION, Bench


@pytest.mark.known("inferred", "microsoft/hcsshim hcn/hcnnetwork.go: subnets and a MacPool are a network's own")
@given(seed=st.integers(0, 10**6), count=st.integers(1, 20), length=st.integers(24, 27))
@settings(max_examples=30, deadline=None)
def test_addresses_and_macs_are_unique_and_inside(seed: int, count: int, length: int) -> None:
    bench = Bench(seed=seed)
    network = bench.network(prefix=f"10.9.8.0/{length}")
    prefix = ip_network(f"10.9.8.0/{length}")
    pool = network["MacPool"]["Ranges"][0]
    endpoints = [bench.endpoint(network["ID"]) for _ in range(count)]
    addresses = [ip_address(endpoint["IpConfigurations"][0]["IpAddress"]) for endpoint in endpoints]
    macs = [endpoint["MacAddress"] for endpoint in endpoints]
    assert len(set(addresses)) == len(set(macs)) == count
    assert all(address in prefix for address in addresses)
    assert not {prefix[0], prefix[1], prefix[-1]} & set(addresses)
    assert all(pool["StartMacAddress"] <= mac <= pool["EndMacAddress"] for mac in macs)


@pytest.mark.known("inferred", "golang.org/x/sys windows: HCN_E_ADDR_INVALID_OR_RESERVED")
def test_a_full_subnet_refuses_and_a_freed_address_is_handed_out_again() -> None:
    bench = Bench()
    network = bench.network(prefix="10.9.8.0/29")
    endpoints = [bench.endpoint(network["ID"]) for _ in range(5)]
    handle = bench.handle("Network", network["ID"])
    reply = bench.invoke("HcnCreateEndpoint", {"SchemaVersion": VERSION}, handle=handle)
    assert reply.hresult == HResult.HCN_E_ADDR_INVALID_OR_RESERVED
    bench.invoke("HcnDeleteEndpoint", id=endpoints[2]["ID"])
    assert bench.endpoint(network["ID"])["IpConfigurations"] == endpoints[2]["IpConfigurations"]


@pytest.mark.known("published output", "MicrosoftDocs/Virtualization-Documentation#435")
def test_the_order_of_addresses_is_not_the_order_of_numbers() -> None:
    bench = Bench()
    network = bench.network(prefix="10.9.0.0/16")["ID"]
    addresses = [bench.endpoint(network)["IpConfigurations"][0]["IpAddress"] for _ in range(8)]
    assert addresses != sorted(addresses, key=ip_address)


@pytest.mark.known("inferred", "moby/moby daemon/libnetwork: each is a bridge of its own, told apart by its prefix")
def test_nat_networks_without_a_subnet_do_not_overlap() -> None:
    bench = Bench()
    document = {"Type": "NAT", "SchemaVersion": VERSION}
    prefixes = [
        ip_network(bench.made("Network", {**document, "Name": str(n)})["Ipams"][0]["Subnets"][0]["IpAddressPrefix"])
        for n in range(20)
    ]
    assert not any(one.overlaps(other) for one in prefixes for other in prefixes if one is not other)


@pytest.mark.known("inferred", "projectcalico/calico#4682: an endpoint has a TcpNatPool and a UdpNatPool")
def test_each_translating_endpoint_has_a_block_of_ports_of_its_own() -> None:
    bench = Bench()
    network = bench.network("L2Bridge")["ID"]
    policies = [{"Type": "OutBoundNAT", "Settings": {}}]
    for _ in range(5):
        bench.endpoint(network, Policies=policies)
    blocks = [endpoint.pool for endpoint in bench.service.state.endpoints.values()]
    assert len(set(blocks)) == 5
    assert all(first % count == 0 and first >= 49152 for first, count in filter(None, blocks))


@pytest.mark.known("inferred", "projectcalico/calico#4682: a pool is an endpoint's own, so they run out")
def test_when_all_blocks_of_ports_are_taken_creating_fails() -> None:
    bench = Bench()
    network = bench.network("L2Bridge", "10.1.0.0/22")["ID"]
    document = {"SchemaVersion": VERSION, "Policies": [{"Type": "OutBoundNAT", "Settings": {}}]}
    handle = bench.handle("Network", network)
    for _ in range(len(pools.POOL_PORTS) // pools.POOL_BLOCK):
        assert bench.invoke("HcnCreateEndpoint", document, handle=handle).ok
    assert bench.invoke("HcnCreateEndpoint", document, handle=handle).hresult == HResult.E_OUTOFMEMORY


@pytest.mark.known("inferred", "a number that no compartment has may be given to one")
def test_compartment_numbers_are_used_again() -> None:
    bench = Bench()
    first, second = (bench.made("Namespace", {"SchemaVersion": VERSION}) for _ in range(2))
    assert (first["NamespaceId"], second["NamespaceId"]) == (2, 3)
    bench.invoke("HcnDeleteNamespace", id=first["ID"])
    assert bench.made("Namespace", {"SchemaVersion": VERSION})["NamespaceId"] == 2


@pytest.mark.known("inferred", "moby/moby daemon/libnetwork/drivers/windows: HNS chooses where ExternalPort is 0")
@given(st.sets(st.integers(32768, 49151), max_size=50))
def test_a_mapped_port_that_hns_chooses_is_free(taken: set[int]) -> None:
    assert pools.mapped_port(lambda port: port not in taken, random.Random(0)) not in taken
