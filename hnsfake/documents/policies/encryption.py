"""Encryption: traffic of an endpoint that IPsec is to protect."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from hnsfake.documents.policies.base import Policy


class EncryptionMethod(StrEnum):
    """What encrypts."""

    IPSEC = "Ipsec"


class AuthenticationType(StrEnum):
    """By what the two ends know each other: Settings are ``{Key}`` or ``{CertificateName}``."""

    PRESHARED_KEY = "PresharedKey"
    CERTIFICATE = "Certificate"


class AuthenticationMethod(BaseModel):
    """One of the ways to authenticate, the first that both ends have."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    type: AuthenticationType = Field(alias="Type", strict=False)
    settings: dict[str, Any] = Field(default_factory=dict, alias="Settings")


class Encryption(Policy):
    """MicrosoftDocs/Virtualization-Documentation hns_schema, EncryptionPolicySetting; empty lists are any."""

    v2_type: ClassVar[str] = "Encryption"
    v1_type: ClassVar[str] = "Encryption"

    method: EncryptionMethod = Field(default=EncryptionMethod.IPSEC, alias="EncryptionMethodType", strict=False)
    authentication: tuple[AuthenticationMethod, ...] = Field(default=(), alias="AuthenticationMethods", strict=False)
    name: str = Field(default="", alias="Name")
    endpoints1: tuple[str, ...] = Field(default=(), alias="Endpoints1", strict=False)
    endpoints2: tuple[str, ...] = Field(default=(), alias="Endpoints2", strict=False)
    protocol: str = Field(default="", alias="ProtocolType")
    endpoint1_ports: tuple[str, ...] = Field(default=(), alias="Endpoint1Ports", strict=False)
    endpoint2_ports: tuple[str, ...] = Field(default=(), alias="Endpoint2Ports", strict=False)
