"""The request of HcnModify…: a resource type, what to do, and the settings to do it with."""

from __future__ import annotations

from typing import Any

from hnsfake.documents.network import IpSubnetV2, SubnetV2
from hnsfake.documents.schema import Document, PolicyDocument, UnknownFields
from hnsfake.documents.text import read_object


class ModifyRequest(Document):
    """ModifyNetworkSettingRequest and its like (microsoft/hcsshim hcn/hcnnetwork.go, hcnendpoint.go)."""

    ResourceUri: str = ""  # in Microsoft's schema; no client sends one
    ResourceType: str = ""
    RequestType: str = ""
    Settings: dict[str, Any] = {}


class PolicySettings(Document):
    """Settings of a request about policies (microsoft/hcsshim hcn/hcnendpoint.go)."""

    Policies: list[PolicyDocument] = []


class SubnetSettings(Document):
    """Settings of a network's request about subnets (microsoft/SDN Kubernetes/windows/hns.v2.psm1)."""

    Subnets: list[SubnetV2] = []


class IpSubnetSettings(Document):
    """Settings of a request about the IP subnets of one subnet (microsoft/SDN Kubernetes/windows/hns.v2.psm1)."""

    SubnetId: str = ""
    IpSubnets: list[IpSubnetV2] = []


class VmPort(Document):
    """Settings of an endpoint's request about a port: VmEndpointRequest (microsoft/hcsshim hcn/hcnendpoint.go)."""

    PortId: str = ""
    VirtualNicName: str = ""
    VirtualMachineId: str = ""


class NamespaceResource(Document):
    """Settings of a namespace's request: one of the two (microsoft/hcsshim hcn/hcnnamespace.go)."""

    EndpointId: str = ""
    ContainerId: str = ""


def read_modify(document: bytes | str, unknown: UnknownFields) -> ModifyRequest:
    """Read a request; raise InvalidDocumentError."""
    return ModifyRequest.read(read_object(document), unknown)
