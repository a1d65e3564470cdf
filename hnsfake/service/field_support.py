"""What the fields of documents bring about here, and which are taken without the effect that Windows gives them.

Every field is in one class. Policies are in ``policy_support``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Effect(StrEnum):
    """What a field brings about."""

    WIRE = "on the wire"
    """Packets, or what runs in a compartment, notice it."""
    IDENTITY = "identity"
    """It names an object, here or elsewhere in HNS."""
    CALL = "by HNS"
    """It decides what this call, or a later one, does or answers."""
    SHOWN = "shown only"
    """On Windows, too, HNS keeps it and gives it back, no more; or HNS alone writes it, and ignores a caller's."""


@dataclass(frozen=True)
class Effects:
    """The fields of one document by their class, names parted by blanks; ``none``: what happens instead."""

    wire: str = ""
    identity: str = ""
    call: str = ""
    shown: str = ""
    none: Mapping[str, str] = field(default_factory=dict)

    def each(self) -> Iterator[tuple[str, Effect | str]]:
        """Yield every field with its class, or with what happens instead of its effect."""
        classes = (
            (self.wire, Effect.WIRE),
            (self.identity, Effect.IDENTITY),
            (self.call, Effect.CALL),
            (self.shown, Effect.SHOWN),
        )
        for names, effect in classes:
            yield from ((name, effect) for name in names.split())
        yield from self.none.items()


_NO_IPV6 = "IPv6 is not carried"
_NO_VM = "a node has no virtual machines"
_ALL_OF_NETWORK = "ID Name HostComputeNetwork"
_NO_ACCELERATION = "there is no accelerated networking that would leave them alone"
_DNS = "endpoints get the name servers of their own document"
_OF_ENDPOINTS = "the network is that of the endpoints"

EFFECTS: Mapping[str, Effects] = {
    "ManagementMacV1": Effects(none={"MacAddress": _NO_ACCELERATION}),
    "ManagementMacsV1": Effects(none={"MacAddressList": _NO_ACCELERATION}),
    "AttachRequest": Effects(
        wire="CompartmentID", identity="ContainerID", call="SystemType", none={"VirtualNICName": _NO_VM}
    ),
    "ResourceModification": Effects(wire="Settings", call="ResourceType RequestType"),
    "SystemSettings": Effects(
        wire="EndpointList NetworkSharedContainerName Container",
        shown="Owner",
        none={"SystemType": "every compute system is a container"},
    ),
    "_Container": Effects(wire="Networking"),
    "_Networking": Effects(wire="Namespace NetworkSharedContainerName"),
    "EndpointV1": Effects(
        wire="Policies MacAddress IPAddress PrefixLength GatewayAddress DNSSuffix DNSServerList DNSDomain "
        "IsRemoteEndpoint EnableLowMetric",
        identity="ID Name VirtualNetwork VirtualNetworkName",
        shown="Namespace SharedContainers State EncapOverhead AdditionalParams",
        none={
            "IPv6Address": _NO_IPV6,
            "IPv6PrefixLength": _NO_IPV6,
            "GatewayAddressV6": _NO_IPV6,
            "EnableInternalDNS": "HNS runs no DNS server",
            "DisableICC": "endpoints of one network reach each other",
        },
    ),
    "ObjectDocument": Effects(
        identity="ID Name", call="SchemaVersion", shown="Owner Version AdditionalParams Health Telemetry State"
    ),
    "EndpointV2": Effects(
        wire="Policies IpConfigurations Dns Routes MacAddress Flags",
        identity=_ALL_OF_NETWORK,
        call="SchemaVersion",
        shown="Health",
        none={"HostComputeNamespace": "an endpoint is put into a namespace by HcnModifyNamespace alone"},
    ),
    "IpConfigurationV2": Effects(wire="IpAddress PrefixLength IpSubnetId"),
    "GuestNetworkServiceV2": Effects(
        identity="ID VirtualMachineId",
        call="SchemaVersion",
        none=dict.fromkeys(
            ("Name", "Owner", "MirroredInterfaces", "MirrorHostNetworking", "GnsRpcServerInformation", "Flags"), _NO_VM
        ),
    ),
    "PortRequest": Effects(call="Protocol Access Port"),
    "PortRangeRequest": Effects(call="PortCount"),
    "StateRequest": Effects(call="State"),
    "ElbPolicyV1": Effects(call="Type", wire="Protocol InternalPort ExternalPort SourceVIP VIPs ILB IsDSR"),
    "LoadBalancerV2": Effects(
        identity="ID",
        call="SchemaVersion",
        wire="HostComputeEndpoints SourceVIP FrontendVIPs PortMappings Flags",
        none={"HostComputeNetwork": _OF_ENDPOINTS},
    ),
    "PortMappingV2": Effects(wire="Protocol InternalPort ExternalPort DistributionType Flags"),
    "IpSubnetSettings": Effects(identity="SubnetId", call="IpSubnets"),
    "ModifyRequest": Effects(
        call="ResourceType RequestType Settings", none={"ResourceUri": "no client sends one; its use is not published"}
    ),
    "NamespaceResource": Effects(wire="EndpointId", identity="ContainerId"),
    "PolicySettings": Effects(wire="Policies"),
    "SubnetSettings": Effects(wire="Subnets"),
    "VmPort": Effects(none=dict.fromkeys(("PortId", "VirtualNicName", "VirtualMachineId"), _NO_VM)),
    "NamespaceV1": Effects(wire="IsDefault ResourceList CompartmentId", identity="ID"),
    "NamespaceV2": Effects(
        wire="NamespaceId Type Resources", identity="ID", call="SchemaVersion", shown="NamespaceGuid"
    ),
    "ResourceEntry": Effects(wire="Data", call="Type"),
    "ExtensionState": Effects(
        identity="Id", shown="Name", none={"IsEnabled": "extensions don't switch anything on or off"}
    ),
    "IpSubnetV2": Effects(wire="IpAddressPrefix", identity="ID", call="Flags"),
    "IpamV2": Effects(
        wire="Subnets", none={"Type": "an endpoint of a network without subnets asks for its address itself"}
    ),
    "MacPoolV2": Effects(wire="Ranges"),
    "NetworkV1": Effects(
        wire="Type NetworkAdapterName Policies MacPools Subnets",
        identity="ID Name",
        call="Flags",
        shown="AdditionalParams",
        none={
            "SourceMac": "the host's vNIC has the adapter's MAC",
            "DNSSuffix": _DNS,
            "DNSServerList": _DNS,
            "DNSServerCompartment": "names are resolved in the endpoint's own compartment",
            "ManagementIP": "translation uses the adapter's first address",
            "AutomaticDNS": _DNS,
            "Extensions": "extensions don't switch anything on or off",
        },
    ),
    "NetworkV2": Effects(
        wire="Type Policies MacPool Ipams",
        identity="ID Name",
        call="Flags SchemaVersion",
        shown="Health AdditionalParams",
        none={"Dns": _DNS},
    ),
    "SubnetV1": Effects(wire="AddressPrefix GatewayAddress Policies"),
    "SubnetV2": Effects(wire="IpAddressPrefix Policies Routes IpSubnets", identity="ID", call="Flags"),
    "PolicyListV1": Effects(wire="Policies", identity="ID References"),
    "Query": Effects(call="SchemaVersion Flags Filter"),
    "DnsObject": Effects(wire="Domain Search ServerList", none={"Options": "the resolver has no options"}),
    "DocumentVersion": Effects(call="Major", shown="Minor"),
    "MacRange": Effects(wire="StartMacAddress EndMacAddress"),
    "PolicyDocument": Effects(wire="Type Settings"),
    "Route": Effects(wire="NextHop DestinationPrefix Metric"),
    "SdnRouteV2": Effects(
        wire="Setting Routes",
        identity="ID HostComputeEndpoints",
        call="SchemaVersion",
        none={"HostComputeNetwork": _OF_ENDPOINTS},
    ),
}
"""By the name of the model that reads the document."""

NOT_ENFORCED_FLAGS: Mapping[str, Mapping[str, str]] = {
    "NetworkFlags": {
        "DNS_PROXY": "HNS runs no DNS server",
        "DHCP_SERVER": "HNS runs no DHCP server",
        "MIRRORING": _NO_VM,
        "ISOLATE_SWITCH": "networks on one adapter share its switch",
        "FLOW_STEERING": "there are no flows to steer",
        "DISABLE_SHARING": "networks on one adapter share its switch",
        "FIREWALL": "only ACL policies filter",
        "SUPPRESS_MEDIA_DISCONNECT": "a vNIC is always connected",
        "DISABLE_HOST_PORT": "the host keeps its port on the switch",
        "WEAK_HOST_RECEIVE": "the host's interfaces take what Linux' take",
        "WEAK_HOST_SEND": "the host's interfaces send what Linux' send",
        "IOV": "there is no SR-IOV",
    },
    "LoadBalancerFlags": {"IPV6": "IPv6 is not balanced"},
    "PortMappingFlags": dict.fromkeys(("USE_MUX", "VIP_EXTERNAL_IP"), "what it changes on packets is not published"),
    "EndpointFlags": {
        "MIRRORING": _NO_VM,
        "OVERRIDE_DNS_SERVER_ORDER": _DNS,
        "DHCP": "an endpoint of a network without subnets asks for its address itself",
        "DISABLE_ICC": "endpoints of one network reach each other",
    },
}

"""By the name of the flags' class and of the flag: what happens instead of its effect."""

_NOT_SAID = frozenset(
    # These every client sends, or nobody could expect anything of.
    ("LoadBalancerV2", "PortMappingFlags", "SdnRouteV2", "VmPort", "ManagementMacV1")
)

NOT_ENFORCED_FIELDS: dict[str, str] = {
    f"{model}.{name}": effect
    for model, effects in EFFECTS.items()
    if model not in _NOT_SAID
    for name, effect in effects.each()
    if not isinstance(effect, Effect)
} | {
    f"{flags}.{name}": instead
    for flags, names in NOT_ENFORCED_FLAGS.items()
    if flags not in _NOT_SAID
    for name, instead in names.items()
}
"""Fields and flags that are taken, kept and given back without their effect: what happens instead of it."""
