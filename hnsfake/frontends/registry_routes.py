"""HTTP: the registry views of a node's compartments, and the routes that packets go by, under ``/lab/registry``."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse

from hnsfake.dataplane.interface import DataplaneError
from hnsfake.frontends.carrier import REGISTRY
from hnsfake.node import Node
from hnsfake.service.registry import NoCompartmentError

_ERROR = {
    "description": "what is wrong, in one line",
    "content": {"application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}},
}
_NUMBER = {
    "parameters": [
        {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "integer"},
            "description": "the compartment's number; 1 is the node's own",
        }
    ]
}


def add_registry_routes(app: FastAPI, node: Node) -> None:
    """Let clients read what Windows has registered in each compartment."""

    @app.get(
        REGISTRY, summary="Show the registry views of all compartments.", operation_id="lab_registry", tags=["lab"]
    )
    def show_all() -> list[dict[str, Any]]:
        views = (_shown(node, number) for number in sorted(node.service.state.compartments()))
        return [view for view in views if view is not None]

    @app.get(
        REGISTRY + "/{id}",
        summary="Show the registry view of a compartment: interfaces, metrics, DNS, routes.",
        operation_id="lab_registry_of",
        tags=["lab"],
        response_model=None,
        responses={404: _ERROR},
        openapi_extra=_NUMBER,
    )
    def show(request: Request) -> Response:
        number = request.path_params["id"]
        known = {str(one): one for one in node.service.state.compartments()}
        view = _shown(node, known[number]) if number in known else None
        if view is None:
            return JSONResponse({"error": f"node {node.name} has no compartment {number}"}, 404)
        return JSONResponse(view)


def _shown(node: Node, number: int) -> dict[str, Any] | None:
    """Return a compartment's view, with the active routes where there are packets; None where it is gone."""
    try:
        return {**node.registry(number).shown(), "active_routes": _active(node, number)}
    except (NoCompartmentError, DataplaneError):
        return None


def _active(node: Node, number: int) -> list[dict[str, Any]]:
    if node.linux is None:
        return []
    return [
        {
            "destination": str(route.destination),
            "next_hop": str(route.next_hop or ""),
            "alias": route.interface.alias,
            "effective_metric": route.metric,
        }
        for route in node.routes(number)
    ]
