"""Rules of networks and endpoints."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hnsfake.documents.hresults import HResult
from tests.contract.model.machine import FACES, IDS, PICKS, Machine, some
from tests.contract.model.picture import enumerated
from tests.contract.model.reference import Endpoint, Mapping, Network, in_subnet
from tests.contract.service import VERSION

KINDS = st.sampled_from(["NAT", "L2Bridge", "Overlay", "Transparent", "Private"])
NAMES = st.sampled_from(["red", "Red", "blue", "green", "white"])
PREFIXES = st.sampled_from(["10.1.0.0/29", "10.1.0.0/24", "10.2.0.0/29", "10.3.0.0/29"])
ADDRESSES = st.sampled_from(["", "", *(f"10.{net}.0.{host}" for net in (1, 2) for host in (0, 1, 3, 4, 5, 7))])
MACS = st.sampled_from(["", "", "00-15-5D-00-00-01", "00:15:5d:00:00:01", "00-15-5d-00-00-02"])
MAPPINGS = st.lists(
    st.tuples(st.sampled_from([6, 17]), st.sampled_from([0, 80, 81]), st.sampled_from([0, 8080, 8081]))
    .flatmap(lambda t: st.sampled_from(["", "", "10.9.0.1"]).map(lambda vip: (*t, vip)))
    .map(lambda mapping: mapping),
    max_size=2,
).map(tuple)
_PROTOCOLS = {6: "TCP", 17: "UDP"}


class NetworkRules(Machine):
    """Networks and endpoints are made, found, changed and deleted."""

    @rule(face=FACES, kind=KINDS, name=NAMES, prefix=PREFIXES, object_id=IDS)
    def create_network(self, face: str, kind: str, name: str, prefix: str, object_id: str) -> None:
        new = Network(object_id, kind, name, prefix)
        refusals = self.reference.new_network(new)
        reply = (
            self.post("/networks/", _network_v1(new))
            if face == "v1"
            else self.call("HcnCreateNetwork", _network_v2(new))
        )
        if not refusals:
            self.settle(refusals, reply)
            new.id = self.made("Network", reply)["ID"].upper()
            self.reference.networks[new.id] = new
        self.settle(refusals, reply)

    @rule(kind=st.sampled_from(["Bridge", ""]), prefix=st.sampled_from(["10.4.0.0/24", "nowhere"]))
    def create_a_network_that_cannot_be(self, kind: str, prefix: str) -> None:
        refusals = {HResult.HCN_E_INVALID_NETWORK_TYPE, HResult.HCN_E_INVALID_NETWORK}
        document = _network_v2(Network("", kind, "odd", "10.4.0.0/24"))
        document["Ipams"][0]["Subnets"][0]["IpAddressPrefix"] = prefix
        self.settle(refusals, self.call("HcnCreateNetwork", document))

    @rule(pick=PICKS, name=NAMES)
    def rename_network(self, pick: int, name: str) -> None:
        object_id = some(self.reference.networks, pick)
        reply = self.post(f"/networks/{object_id}", {"Name": name})
        network = self.reference.networks.get(object_id)
        if network is None:
            self.settle({HResult.HCN_E_NETWORK_NOT_FOUND}, reply)
            return
        refusals = self.reference.renamed(network, name)
        self.settle(refusals, reply)
        network.name = network.name if refusals else name

    @rule(face=FACES, pick=PICKS)
    def delete_network(self, face: str, pick: int) -> None:
        object_id = some(self.reference.networks, pick)
        reply = self.delete(face, "Network", "networks", object_id)
        network = self.reference.networks.get(object_id)
        self.settle(set() if network else {HResult.HCN_E_NETWORK_NOT_FOUND}, reply)
        if network is not None:
            self.reference.delete_network(network)

    @rule(
        face=FACES,
        network=PICKS,
        address=ADDRESSES,
        mac=MACS,
        remote=st.sampled_from([False, False, True]),
        mappings=MAPPINGS,
        object_id=IDS,
    )
    def create_endpoint(
        self,
        face: str,
        network: int,
        address: str,
        mac: str,
        remote: bool,
        mappings: tuple[Mapping, ...],
        object_id: str,
    ) -> None:
        of = some(self.reference.networks, network % 3)
        new = Endpoint(object_id, of, address, mac, remote, () if remote else mappings)
        if face == "v1":
            reply = self.post("/endpoints/", _endpoint_v1(new))
        else:
            reply = self.through("Network", of, "HcnCreateEndpoint", _endpoint_v2(new))
        refusals = (
            self.reference.new_endpoint(new) if of in self.reference.networks else {HResult.HCN_E_NETWORK_NOT_FOUND}
        )
        if not refusals:
            self.settle(refusals, reply)
            self._take_in(new, self.made("Endpoint", reply))
        self.settle(refusals, reply)

    def _take_in(self, new: Endpoint, made: dict[str, Any]) -> None:
        """Learn what HNS has chosen, and that it could choose it."""
        chosen = _mappings(made)
        assert [m[2] for m in new.mappings if m[2]] == [c[2] for c, m in zip(chosen, new.mappings, strict=True) if m[2]]
        new.id, new.address, new.mac = made["ID"].upper(), made["IpConfigurations"][0]["IpAddress"], made["MacAddress"]
        new.mappings = chosen
        assert new.remote or in_subnet(new.address, self.reference.networks[new.network].prefix)
        self.reference.endpoints[new.id] = new

    @rule(face=FACES, pick=PICKS, mappings=MAPPINGS, request=st.sampled_from(["Add", "Update", "Remove", "Nonsense"]))
    def change_mappings(self, face: str, pick: int, mappings: tuple[Mapping, ...], request: str) -> None:
        object_id = some(self.reference.endpoints, pick)
        endpoint = self.reference.endpoints.get(object_id)
        if endpoint is not None and endpoint.remote:
            return
        if face == "v1":
            request = "Update"
            reply = self.post(f"/endpoints/{object_id}", {"Policies": [_mapping_v1(m) for m in mappings]})
        else:
            document = {
                "ResourceType": "Policy",
                "RequestType": request,
                "Settings": {"Policies": [_mapping_v2(m) for m in mappings]},
            }
            reply = self.through("Endpoint", object_id, "HcnModifyEndpoint", document)
        if endpoint is None:
            self.settle({HResult.HCN_E_ENDPOINT_NOT_FOUND}, reply)
            return
        self._check_change(endpoint, request, mappings, reply)

    def _check_change(self, endpoint: Endpoint, request: str, mappings: tuple[Mapping, ...], reply: Any) -> None:
        if request == "Nonsense":
            self.settle({HResult.HCN_E_INVALID_JSON}, reply)
            return
        wanted = list(endpoint.mappings)
        if request == "Remove":
            for mapping in mappings:
                if mapping not in wanted:
                    self.settle({HResult.HCN_E_POLICY_NOT_FOUND}, reply)
                    return
                wanted.remove(mapping)
        elif mappings:
            wanted = [*(wanted if request == "Add" else ()), *mappings]
        refusals = self.reference.remapped(endpoint, tuple(wanted))
        self.settle(refusals, reply)
        if not refusals:
            handle = self.bench.handle("Endpoint", endpoint.id)
            chosen = _mappings(self.bench.shown("Endpoint", handle))
            self.close("Endpoint", handle)
            assert [c for c, w in zip(chosen, wanted, strict=True) if w[2]] == [w for w in wanted if w[2]]
            endpoint.mappings = chosen

    @rule(face=FACES, pick=PICKS)
    def delete_endpoint(self, face: str, pick: int) -> None:
        object_id = some(self.reference.endpoints, pick)
        reply = self.delete(face, "Endpoint", "endpoints", object_id)
        endpoint = self.reference.endpoints.get(object_id)
        self.settle(set() if endpoint else {HResult.HCN_E_ENDPOINT_NOT_FOUND}, reply)
        if endpoint is not None:
            self.reference.delete_endpoint(endpoint)

    @rule(network=PICKS, remote=st.sampled_from([None, False, True]), name=NAMES, by_name=st.booleans())
    def filter(self, network: int, remote: bool | None, name: str, by_name: bool) -> None:
        """A filter gives exactly those that meet all its conditions, in the order of creation."""
        of = some(self.reference.networks, network)
        conditions: dict[str, Any] = {"VirtualNetwork": of.lower()}
        found = list(self.reference.of(of))
        if remote is not None:
            conditions["IsRemoteEndpoint"] = remote
            found = [endpoint for endpoint in found if endpoint.remote is remote]
        ids = [one.upper() for one in enumerated(self.bench, "Endpoint", **conditions)]
        assert ids == [endpoint.id for endpoint in found]
        wanted = {"Name": name} if by_name else {"ID": of.lower()}
        matching = [n.id for n in self.reference.networks.values() if (n.name == name if by_name else n.id == of)]
        assert enumerated(self.bench, "Network", **wanted) == matching


def _network_v1(network: Network) -> dict[str, Any]:
    subnet: dict[str, Any] = {"AddressPrefix": network.prefix}
    if network.kind == "Overlay":
        subnet["Policies"] = [{"Type": "VSID", "VSID": 4096}]
    return {"ID": network.id, "Name": network.name, "Type": network.kind, "Subnets": [subnet]}


def _network_v2(network: Network) -> dict[str, Any]:
    subnet: dict[str, Any] = {"IpAddressPrefix": network.prefix}
    if network.kind == "Overlay":
        subnet["Policies"] = [{"Type": "VSID", "Settings": {"IsolationId": 4096}}]
    return {
        "ID": network.id,
        "Name": network.name,
        "Type": network.kind,
        "Ipams": [{"Subnets": [subnet]}],
        "SchemaVersion": VERSION,
    }


def _endpoint_v1(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "ID": endpoint.id,
        "VirtualNetwork": endpoint.network,
        "IPAddress": endpoint.address,
        "MacAddress": endpoint.mac,
        "IsRemoteEndpoint": endpoint.remote,
        "Policies": [_mapping_v1(mapping) for mapping in endpoint.mappings],
    }


def _endpoint_v2(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "ID": endpoint.id,
        "IpConfigurations": [{"IpAddress": endpoint.address}] if endpoint.address else [],
        "MacAddress": endpoint.mac,
        "Flags": int(endpoint.remote),
        "Policies": [_mapping_v2(mapping) for mapping in endpoint.mappings],
        "SchemaVersion": VERSION,
    }


def _mapping_v1(mapping: Mapping) -> dict[str, Any]:
    protocol, internal, external, vip = mapping
    fields = {"Protocol": _PROTOCOLS[protocol], "InternalPort": internal, "ExternalPort": external}
    return {"Type": "NAT", **fields, **({"VIP": vip} if vip else {})}


def _mapping_v2(mapping: Mapping) -> dict[str, Any]:
    names = ("Protocol", "InternalPort", "ExternalPort", "VIP")
    settings = {name: value for name, value in zip(names, mapping, strict=True) if value != ""}
    return {"Type": "PortMapping", "Settings": settings}


def _mappings(shown: dict[str, Any]) -> tuple[Mapping, ...]:
    settings = [policy["Settings"] for policy in shown["Policies"]]
    return tuple((s["Protocol"], s["InternalPort"], s["ExternalPort"], s.get("VIP", "")) for s in settings)
