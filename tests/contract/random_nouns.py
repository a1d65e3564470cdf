"""The nouns with random valid documents of each face, and how each is read and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from hnsfake.documents.namespace import NamespaceType
from hnsfake.documents.network import Network
from hnsfake.documents.schema import UnknownFields
from hnsfake.documents.translation.endpoint import endpoint_v1, endpoint_v2, read_endpoint
from hnsfake.documents.translation.load_balancer import load_balancer_v1, load_balancer_v2, read_load_balancer
from hnsfake.documents.translation.namespace import namespace_v1, namespace_v2, read_namespace
from hnsfake.documents.translation.network import network_v1, network_v2, read_network
from hnsfake.documents.translation.sdn_route import read_sdn_route, sdn_route_v1, sdn_route_v2

from .service import VERSION

NETWORK = Network("n", "L2Bridge", id="5F0B1190-63BE-4E0C-B974-BD0F55675A41")
Document = dict[str, Any]


@dataclass(frozen=True)
class Noun:
    """How a noun is read and shown, and what each face may say of it."""

    read: Callable[[Document], Any]
    v1: Callable[[Any], Document]
    v2: Callable[[Any], Document]
    of_v1: st.SearchStrategy[Document]
    of_v2: st.SearchStrategy[Document]


def some(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    """Return documents that have any of the members."""
    return st.fixed_dictionaries({}, optional=members)


def policy(**settings_: st.SearchStrategy[Any]) -> st.SearchStrategy[Document]:
    """Return settings that are all there."""
    return st.fixed_dictionaries(settings_)


GUIDS = st.uuids().map(str)
TEXTS = st.text(max_size=5)
NAMES = st.from_regex(r"[a-z]{1,5}(\.[a-z]{2})?", fullmatch=True)
LISTS = st.lists(NAMES, max_size=3)
COMMAS = LISTS.map(",".join)
BOOLS = st.booleans()
V4, V6 = st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(str)
IPS = V4 | V6
PORTS = st.integers(0, 65535)
MACS = st.binary(min_size=5, max_size=5).map(lambda rest: f"02-{rest.hex('-').upper()}")  # of one receiver, not zero
RANGES = st.lists(
    st.lists(MACS, min_size=2, max_size=2).map(
        lambda pair: dict(zip(("StartMacAddress", "EndMacAddress"), sorted(pair), strict=True))
    ),
    max_size=2,
)
PREFIXES = st.sampled_from(["10.1.0.0/24", "10.2.0.0/16", "fd00::/64", ""])
DNS = some(Domain=NAMES, Search=LISTS, ServerList=st.lists(IPS, max_size=3), Options=LISTS)
ROUTES = st.lists(
    st.one_of(
        *(
            st.builds(
                lambda hop, to, metric: {"NextHop": hop, "DestinationPrefix": to, "Metric": metric}, hops, to, metric
            )
            for hops, to, metric in (
                (V4, st.sampled_from(["0.0.0.0/0", "10.0.0.0/8"]), st.integers(0, 9)),
                (V6, st.sampled_from(["::/0", "fd00::/64"]), st.integers(0, 9)),
            )
        )
    ),
    max_size=4,
)
VLANS = st.integers(0, 4095)
ON_NETWORKS_V1 = st.lists(VLANS.map(lambda vlan: {"Type": "VLAN", "VLAN": vlan}), max_size=2)
ON_NETWORKS_V2 = st.lists(VLANS.map(lambda vlan: {"Type": "VLAN", "Settings": {"IsolationId": vlan}}), max_size=2)
ON_ENDPOINTS_V1 = st.lists(
    st.one_of(
        V4.map(lambda ip: {"Type": "OutBoundNAT", "VIP": ip, "ExceptionList": [ip]}),
        V4.map(lambda ip: {"Type": "PA", "PA": ip}),
        st.tuples(PORTS, BOOLS).map(
            lambda pair: {"Type": "NAT", "Protocol": "UDP", "InternalPort": pair[0], "ExternalPortReserved": pair[1]}
        ),
        PORTS.map(lambda port: {"Type": "ACL", "Protocol": 6, "LocalPort": port, "Action": "Allow", "Direction": "In"}),
    ),
    max_size=3,
)
ON_ENDPOINTS_V2 = st.lists(
    st.one_of(
        V4.map(lambda ip: {"Type": "OutBoundNAT", "Settings": {"VirtualIP": ip, "Exceptions": [ip]}}),
        V4.map(lambda ip: {"Type": "ProviderAddress", "Settings": {"ProviderAddress": ip}}),
        st.tuples(PORTS, st.sampled_from([0, 4])).map(
            lambda pair: {
                "Type": "PortMapping",
                "Settings": {"Protocol": 17, "InternalPort": pair[0], "Flags": pair[1]},
            }
        ),
        st.sampled_from(["6", "6,17", ""]).map(
            lambda these: {"Type": "ACL", "Settings": {"Protocols": these, "Action": "Block", "Direction": "Out"}}
        ),
    ),
    max_size=3,
)
SDN_ROUTES = st.lists(policy(DestinationPrefix=PREFIXES.filter(bool), NeedEncap=BOOLS), max_size=3)
FLAGS = st.integers(0, 15)
VERSIONED = {"SchemaVersion": VERSION}
NOUNS: Mapping[str, Noun] = {
    "network": Noun(
        lambda document: read_network(document, UnknownFields()),
        lambda network: network_v1(network, 0, 0),
        lambda network: network_v2(network, detailed=False),
        some(
            ID=GUIDS,
            Name=TEXTS,
            NetworkAdapterName=TEXTS,
            SourceMac=MACS,
            Policies=ON_NETWORKS_V1,
            MacPools=RANGES,
            Subnets=st.lists(some(AddressPrefix=PREFIXES, GatewayAddress=IPS, Policies=ON_NETWORKS_V1), max_size=2),
            DNSSuffix=COMMAS,
            DNSServerList=COMMAS,
            ManagementIP=V4,
            AutomaticDNS=BOOLS,
            Flags=FLAGS,
        ).map(lambda document: {"Type": "L2Bridge", **document}),
        some(
            ID=GUIDS,
            Name=TEXTS,
            Policies=ON_NETWORKS_V2,
            MacPool=some(Ranges=RANGES),
            Dns=DNS,
            Ipams=st.lists(
                some(
                    Type=st.sampled_from(["Static", "DHCP"]),
                    Subnets=st.lists(
                        some(IpAddressPrefix=PREFIXES, Routes=ROUTES, Policies=ON_NETWORKS_V2, Flags=FLAGS), max_size=2
                    ),
                ),
                max_size=1,
            ),
            Flags=FLAGS,
        ).map(lambda document: {"Type": "Overlay", **document, **VERSIONED}),
    ),
    "endpoint": Noun(
        lambda document: read_endpoint(document, UnknownFields()),
        lambda endpoint: endpoint_v1(endpoint, replace(NETWORK, id=endpoint.network_id)),
        lambda endpoint: endpoint_v2(endpoint, NETWORK, detailed=False),
        some(
            ID=GUIDS,
            Name=TEXTS,
            VirtualNetwork=GUIDS,
            Policies=ON_ENDPOINTS_V1,
            MacAddress=MACS,
            IPAddress=V4,
            PrefixLength=st.integers(1, 32),
            IPv6Address=V6,
            IPv6PrefixLength=st.integers(1, 128),
            GatewayAddress=V4,
            GatewayAddressV6=V6,
            DNSSuffix=COMMAS,
            DNSServerList=COMMAS,
            DNSDomain=NAMES,
            IsRemoteEndpoint=BOOLS,
            DisableICC=BOOLS,
            EnableLowMetric=BOOLS,
            EnableInternalDNS=BOOLS,
        ),
        some(
            ID=GUIDS,
            Name=TEXTS,
            HostComputeNetwork=GUIDS,
            HostComputeNamespace=GUIDS,
            Policies=ON_ENDPOINTS_V2,
            IpConfigurations=st.lists(
                st.tuples(IPS, st.integers(1, 32)).map(lambda pair: {"IpAddress": pair[0], "PrefixLength": pair[1]}),
                max_size=4,
            ),
            Dns=DNS,
            Routes=ROUTES,
            MacAddress=MACS,
            Flags=FLAGS,
        ).map(lambda document: {**document, **VERSIONED}),
    ),
    "namespace": Noun(
        lambda document: read_namespace(document, UnknownFields())[0],
        namespace_v1,
        namespace_v2,
        some(ID=GUIDS, IsDefault=BOOLS, CompartmentId=st.integers(0, 99)),
        some(ID=GUIDS, Type=st.sampled_from(list(NamespaceType)).map(str), NamespaceId=st.integers(0, 99)).map(
            lambda document: {**document, **VERSIONED}
        ),
    ),
    "load balancer": Noun(
        lambda document: read_load_balancer(document, UnknownFields()),
        load_balancer_v1,
        load_balancer_v2,
        st.builds(
            lambda document, shared, ports: {
                **document,
                "Policies": [{"Type": "ELB", **shared, **one} for one in ports],
            },
            some(ID=GUIDS, References=st.lists(GUIDS.map("/endpoints/{}".format), max_size=2, unique=True)),
            some(SourceVIP=IPS, VIPs=st.lists(IPS, max_size=2), IsDSR=BOOLS),
            st.lists(some(Protocol=st.integers(0, 255), InternalPort=PORTS, ExternalPort=PORTS, ILB=BOOLS), min_size=1),
        ),
        st.builds(
            lambda document, ports: {**document, "PortMappings": ports, **VERSIONED},
            some(
                ID=GUIDS,
                HostComputeEndpoints=st.lists(GUIDS, max_size=2, unique=True),
                SourceVIP=IPS,
                FrontendVIPs=st.lists(IPS, max_size=2),
                Flags=st.integers(0, 3),
            ),
            st.lists(
                some(
                    InternalPort=PORTS, ExternalPort=PORTS, DistributionType=st.integers(0, 2), Flags=st.integers(0, 31)
                ),
                min_size=1,
            ),
        ),
    ),
    "SDN route": Noun(
        lambda document: read_sdn_route(document, UnknownFields()),
        sdn_route_v1,
        sdn_route_v2,
        st.builds(
            lambda document, routes: {**document, "Policies": [{"Type": "ROUTE", **route} for route in routes]},
            some(ID=GUIDS, References=st.lists(GUIDS.map("/endpoints/{}".format), max_size=2, unique=True)),
            SDN_ROUTES,
        ),
        some(ID=GUIDS, HostComputeEndpoints=st.lists(GUIDS, max_size=2, unique=True), Setting=SDN_ROUTES).map(
            lambda document: {**document, **VERSIONED}
        ),
    ),
}
