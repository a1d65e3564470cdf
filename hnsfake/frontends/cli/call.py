"""call: v1 and v2 calls from the shell."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from hnsfake.frontends.cli.problems import stop, told
from hnsfake.frontends.client import NodeClient

_METHODS = ("GET", "POST", "PUT", "DELETE")
_NOUN = "(Network|Endpoint|Namespace|LoadBalancer|SdnRoute)"
_ON_A_HANDLE = re.compile(rf"Hcn(?:Open|Modify|Query){_NOUN}(?:Properties)?")
_CREATE = re.compile(rf"HcnCreate{_NOUN}")
_QUERY = b'{"SchemaVersion":{"Major":2,"Minor":0},"Flags":0}'


def call(
    node: Annotated[str, typer.Argument(help="The node.")],
    operation: Annotated[str, typer.Argument(help="GET, POST or DELETE for v1; an Hcn function for v2.")],
    rest: Annotated[list[str] | None, typer.Argument(help="v1: the path, and the document; v2: the document.")] = None,
    object_id: Annotated[str | None, typer.Option("--id", help="v2: the object's GUID.")] = None,
    network: Annotated[str | None, typer.Option(help="HcnCreateEndpoint: the network's GUID.")] = None,
    document: Annotated[
        str | None, typer.Option("--document", "-d", help="The document; @FILE reads it, - is stdin.")
    ] = None,
    lab: Annotated[str | None, typer.Option(envvar="HNSFAKE_LAB", help="The lab, where several run.")] = None,
) -> None:
    """Call HNS. The answer goes to stdout; a failure's record to stderr, with exit code 1.

    v2 handles are opened and closed on the way: give --id. The document may also be the last argument.
    """
    arguments = [*(rest or []), *([] if document is None else [document])]
    with told():
        if operation.upper() in _METHODS:
            if not 1 <= len(arguments) <= 2:
                stop("v1 takes a path and at most one document, for example: hnsfake call n1 GET /networks/")
            path, *documents = arguments
            _v1(NodeClient(node, lab), operation.upper(), path, _document(documents))
        elif operation.startswith("Hcn"):
            if len(arguments) > 1:
                stop(f"{operation} takes at most one document")
            _v2(NodeClient(node, lab), operation, _document(arguments), object_id, network)
        else:
            stop(f"{operation}: neither a method ({', '.join(_METHODS)}) nor an Hcn function")


def _v1(client: NodeClient, method: str, path: str, document: bytes) -> None:
    hresult, envelope = client.hns_call(method, path, document)
    answer = json.loads(envelope)
    if hresult or not answer.get("Success"):
        typer.echo(envelope, err=True)
        raise typer.Exit(1)
    _show(answer.get("Output"))


def _v2(client: NodeClient, function: str, document: bytes, object_id: str | None, network: str | None) -> None:
    if match := _ON_A_HANDLE.fullmatch(function):
        _on_handle(client, function, match[1], document, object_id)
    elif match := _CREATE.fullmatch(function):
        _create(client, match[1], document, object_id, network)
    elif function.startswith("HcnClose"):
        stop("handles are closed with the command that opened them: give --id to the function that needs one")
    else:
        _show_text(_check(client.hcn(function, document, object_id))["output"])


def _on_handle(client: NodeClient, function: str, noun: str, document: bytes, object_id: str | None) -> None:
    if object_id is None:
        stop(f"{function} needs --id, the GUID of the {noun.lower()}")
    with _opened(client, noun, object_id) as handle:
        if function.startswith("HcnOpen"):
            return
        if function.startswith("HcnQuery"):
            document = document or _QUERY
        _show_text(_check(client.hcn(function, document, handle=handle))["output"])


def _create(client: NodeClient, noun: str, document: bytes, object_id: str | None, network: str | None) -> None:
    function = f"HcnCreate{noun}"
    if network is None:
        made = _check(client.hcn(function, document, object_id))
    else:
        with _opened(client, "Network", network) as handle:
            made = _check(client.hcn(function, document, object_id, handle))
    with _closed_after(client, noun, made["handle"]) as handle:
        _show_text(_check(client.hcn(f"HcnQuery{noun}Properties", _QUERY, handle=handle))["output"])


@contextmanager
def _opened(client: NodeClient, noun: str, object_id: str) -> Iterator[int]:
    answer = _check(client.hcn(f"HcnOpen{noun}", object_id=object_id))
    with _closed_after(client, noun, answer["handle"]) as handle:
        yield handle


@contextmanager
def _closed_after(client: NodeClient, noun: str, handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        client.hcn(f"HcnClose{noun}", handle=handle)


def _check(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["hresult"]:
        typer.echo(answer["record"] or f"{answer['hresult']:#010x}", err=True)
        raise typer.Exit(1)
    return answer


def _document(texts: list[str]) -> bytes:
    if not texts:
        return b""
    (text,) = texts
    if text == "-":
        return sys.stdin.buffer.read()
    if text.startswith("@"):
        return Path(text[1:]).read_bytes()
    return text.encode("utf-8", "surrogateescape")


def _show_text(output: str | None) -> None:
    _show(None if output is None else json.loads(output))


def _show(value: Any) -> None:
    if value is not None:
        typer.echo(json.dumps(value, indent=4))
