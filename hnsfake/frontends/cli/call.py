"""call: v1 and v2 calls from the shell."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient

_METHODS = ("GET", "POST", "PUT", "DELETE")
_ON_A_HANDLE = re.compile(r"Hcn(?:Modify|Query)(Network|Endpoint|Namespace)(?:Properties)?")
_CREATE = re.compile(r"HcnCreate(Network|Endpoint|Namespace)")
_QUERY = b'{"SchemaVersion":{"Major":2,"Minor":0},"Flags":0}'


def call(
    node: Annotated[str, typer.Argument(help="The node.")],
    operation: Annotated[str, typer.Argument(help="GET, POST or DELETE for v1; an Hcn function for v2.")],
    rest: Annotated[
        list[str] | None,
        typer.Argument(help="v1: the path, and the document; v2: the document. @FILE reads it, - is stdin."),
    ] = None,
    object_id: Annotated[str | None, typer.Option("--id", help="v2: the object's GUID.")] = None,
    network: Annotated[str | None, typer.Option(help="HcnCreateEndpoint: the network's GUID.")] = None,
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Call HNS. The answer goes to stdout; a failure's record to stderr, with exit code 1.

    v2 handles are opened and closed on the way: give --id.
    """
    arguments = rest or []
    with told(), NodeClient(node, lab) as client:
        if operation.upper() in _METHODS:
            _v1(client, operation.upper(), arguments)
        elif operation.startswith("Hcn"):
            _v2(client, operation, arguments, object_id, network)
        else:
            stop(f"{operation}: neither a method ({', '.join(_METHODS)}) nor an Hcn function")


def _v1(client: NodeClient, method: str, arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2:
        stop(f"{method} takes a path and at most one document, for example: hnsfake call n1 GET /networks/")
    hresult, envelope = client.hns_call(method, arguments[0], _document(arguments[1:]))
    answer = json.loads(envelope)
    if hresult or not answer.get("Success"):
        typer.echo(envelope, err=True)
        raise typer.Exit(1)
    _show(answer.get("Output"))


def _v2(client: NodeClient, function: str, arguments: list[str], object_id: str | None, network: str | None) -> None:
    if len(arguments) > 1:
        stop(f"{function} takes at most one document")
    document = _document(arguments)
    if match := _ON_A_HANDLE.fullmatch(function):
        _on_handle(client, function, match[1], document or (_QUERY if "Query" in function else b""), object_id)
        return
    handle = _opened(client, "Network", network) if network is not None else None
    answer = client.hcn(function, document, object_id, handle)
    if handle is not None:
        client.hcn("HcnCloseNetwork", handle=handle)
    _check(answer)
    if match := _CREATE.fullmatch(function):
        noun, made = match[1], answer["handle"]
        _show(json.loads(_check(client.hcn(f"HcnQuery{noun}Properties", _QUERY, handle=made))["output"]))
        client.hcn(f"HcnClose{noun}", handle=made)
    elif answer["output"] is not None:
        _show(json.loads(answer["output"]))


def _on_handle(client: NodeClient, function: str, noun: str, document: bytes, object_id: str | None) -> None:
    if object_id is None:
        stop(f"{function} needs --id, the GUID of the {noun.lower()}")
    handle = _opened(client, noun, object_id)
    answer = client.hcn(function, document, handle=handle)
    client.hcn(f"HcnClose{noun}", handle=handle)
    if _check(answer)["output"] is not None:
        _show(json.loads(answer["output"]))


def _opened(client: NodeClient, noun: str, object_id: str | None) -> int:
    handle: int = _check(client.hcn(f"HcnOpen{noun}", object_id=object_id))["handle"]
    return handle


def _check(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["hresult"]:
        typer.echo(answer["record"] or f"{answer['hresult']:#010x}", err=True)
        raise typer.Exit(1)
    return answer


def _document(arguments: list[str]) -> bytes:
    if not arguments:
        return b""
    text = arguments[0]
    if text == "-":
        return sys.stdin.buffer.read()
    if text.startswith("@"):
        try:
            return Path(text[1:]).read_bytes()
        except OSError as error:
            stop(f"{text[1:]}: {error.strerror}")
    return text.encode("utf-8", "surrogateescape")


def _show(value: Any) -> None:
    if value is not None:
        typer.echo(json.dumps(value, indent=4, ensure_ascii=False))
