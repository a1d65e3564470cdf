"""Policies as tests write them."""

from __future__ import annotations

from hnsfake.documents.policies import Acl, OutboundNat, PortMapping, SdnRoute

LOCAL_ROUTED_VIP = 1


def allow(direction: str, priority: int = 100, **more: str) -> Acl:
    return Acl.model_validate({"Action": "Allow", "Direction": direction, "Priority": priority, **more})


def block(direction: str, priority: int = 100, **more: str) -> Acl:
    return Acl.model_validate({"Action": "Block", "Direction": direction, "Priority": priority, **more})


def outbound_nat(*exceptions: str) -> OutboundNat:
    return OutboundNat.model_validate({"Exceptions": exceptions})


def port_mapping(external: int, internal: int, flags: int = 0, protocol: int = 6) -> PortMapping:
    return PortMapping.model_validate(
        {"Protocol": protocol, "InternalPort": internal, "ExternalPort": external, "Flags": flags}
    )


def give_to_host(prefix: str) -> SdnRoute:
    return SdnRoute.model_validate({"DestinationPrefix": prefix, "NeedEncap": True})


def sdn_route(prefix: str, next_hop: str) -> SdnRoute:
    return SdnRoute.model_validate({"DestinationPrefix": prefix, "NextHop": next_hop})
