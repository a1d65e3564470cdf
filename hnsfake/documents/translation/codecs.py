"""The codecs that the tables of several nouns name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from enum import IntFlag
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from hnsfake.documents import guids
from hnsfake.documents.errors import HnsError
from hnsfake.documents.hresults import HResult
from hnsfake.documents.policies import InvalidPolicyError, Policy
from hnsfake.documents.policies.record import PolicyRecord, read_v1, read_v2
from hnsfake.documents.translation.form import health, resources
from hnsfake.documents.translation.table import Around, Codec, Row, Table, as_is, at


def _guid(text: str) -> str:
    return guids.read(text) or ""


AS_IS = Codec("as it is", lambda value: value, as_is)
READ = AS_IS.only_read()
SHOWN = AS_IS.only_shown()
IF_ANY = AS_IS.unless_empty()
SHOWN_IF_ANY = IF_ANY.only_shown()
IGNORED = Codec("taken, without effect")
GUID = Codec("GUID, upper case", _guid, as_is)
LOWER_GUID = Codec("GUID, lower case", _guid, lambda guid, _: guid.lower())
RELEASE_GUID = Codec(
    "GUID, lower case from HNS 13 on", _guid, lambda guid, around: guid.lower() if around.new else guid
)
LIST = Codec("list", tuple, lambda values, _: list(values))
COMMA_LIST = Codec(
    "list by comma",
    lambda text: tuple(part.strip() for part in text.split(",") if part.strip()),
    lambda values, _: ",".join(values),
)
NUMBER = Codec("number", int, lambda number, _: int(number))
HEALTH = Codec("health", None, lambda _, around: health(around.of.created))


def ip(code: HResult, *none: str) -> Codec:
    """Return the codec of an address; empty text, and each of ``none``, is none. Another text raises ``code``."""

    def read(text: str) -> IPv4Address | IPv6Address | None:
        return None if text in ("", *none) else read_ip(text, code)

    return Codec("address", read, lambda address, _: str(address or ""))


def read_ip(text: str, code: HResult = HResult.HCN_E_INVALID_IP) -> IPv4Address | IPv6Address:
    """Read an address; raise HnsError (``code``)."""
    try:
        return ip_address(text)
    except ValueError as error:
        raise HnsError(code) from error


def flag(bit: IntFlag, always: bool = False) -> Codec:
    """Return the codec of a bit that is a word of its own; off, it is left out unless ``always``."""
    value = bit.value
    return Codec(
        f"{bit.name} ({value})" + ("" if always else ", left out where off"),
        lambda on: value * on,
        lambda flags, _: bool(flags & value) if always else (True if flags & value else None),
    )


def constant(value: Any, name: str = "") -> Codec:
    """Return the codec of a member that HNS shows whatever the noun is."""
    return Codec(name or f"always {json.dumps(value)}", None, lambda _noun, _: copy(value))


def derived(name: str, show: Callable[[Any, Around], Any]) -> Codec:
    """Return the codec of a member that is made of the whole noun."""
    return Codec(name, None, show, whole=True)


def each_v1(table: Table[Any]) -> Codec:
    """Return the codec of a list of parts in v1's form."""
    return Codec(f"list of {table.name}s", _each(table), lambda parts, around: [table.v1(one, around) for one in parts])


def each_v2(table: Table[Any]) -> Codec:
    """Return the codec of a list of parts in v2's form."""
    return Codec(f"list of {table.name}s", _each(table), lambda parts, around: [table.v2(one, around) for one in parts])


def _each(table: Table[Any]) -> Callable[[list[Any]], tuple[Any, ...]]:
    return lambda parts: tuple(table.read(one) for one in parts)


def as_policy(kind: type[Policy]) -> Codec:
    """Return the codec of what is a policy in v2: it is kept as one, and the service reads it there."""
    return Codec(f"the policy {kind.v2_type}, kept as one")


def policies_v1(models: Mapping[str, type[Policy]]) -> Codec:
    """Return the codec of v1's policies."""
    return Codec(
        "each a policy",
        _or_refuse(lambda policy: read_v1(policy, models)),
        lambda records, _: [record.v1() for record in records],
    )


def policies_v2(models: Mapping[str, type[Policy]]) -> Codec:
    """Return the codec of v2's policies."""
    return Codec(
        "each a policy",
        _or_refuse(lambda policy: read_v2(policy.Type, policy.Settings, models)),
        lambda records, _: [record.v2() for record in records],
    )


def settings_v2(kind: type[Policy]) -> Codec:
    """Return the codec of settings that stand without their type, as all are of one."""
    models = {kind.v2_type.lower(): kind}
    return Codec(
        f"each the settings of {kind.v2_type}",
        _or_refuse(lambda settings: read_v2(kind.v2_type, settings, models)),
        lambda records, _: [dict(record.settings) for record in records],
    )


def _or_refuse(read: Callable[[Any], PolicyRecord]) -> Callable[[Iterable[Any]], tuple[PolicyRecord, ...]]:
    def read_all(policies: Iterable[Any]) -> tuple[PolicyRecord, ...]:
        try:
            return tuple(map(read, policies))
        except InvalidPolicyError as error:
            raise HnsError(HResult.HCN_E_INVALID_POLICY) from error

    return read_all


def resources_of(
    parent: Callable[[Around], str | None], allocators: Callable[[Around], Sequence[dict[str, Any]]] = lambda _: ()
) -> Codec:
    """Return the codec of ``Resources``."""

    def show(activity_id: str, around: Around) -> dict[str, Any]:
        return resources(activity_id, parent(around), around.of.created, around.new, allocators(around))

    return Codec("resources", None, show)


_OF_ALL_OBJECTS = ("Owner", "Name", "Version", "AdditionalParams", "Health", "Telemetry", "State")


def of_all(*own: str) -> tuple[Row, ...]:
    """Return the last rows of every noun: what Microsoft's schema gives all objects, but for what is its ``own``."""
    ignored = (Row("", v2=at(name, IGNORED), source=_SCHEMA) for name in _OF_ALL_OBJECTS if name not in own)
    return (SCHEMA_VERSION, *ignored)


_SCHEMA = "MicrosoftDocs/Virtualization-Documentation hns_schema"
SCHEMA_VERSION: Row = Row(
    "", v2=at("SchemaVersion", constant({"Major": 2, "Minor": 0}, "2.0; read, it says that the document is v2"))
)
