"""HTTP: a node's fault rules, under ``/lab/faults``."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse

from hnsfake.documents.errors import InvalidDocumentError
from hnsfake.documents.text import read_object
from hnsfake.frontends.calls import read_body
from hnsfake.frontends.carrier import FAULTS
from hnsfake.service.faults import FaultRule, FaultRuleError, FaultRules

_ERROR = {
    "description": "what is wrong, in one line",
    "content": {"application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}},
}
_BODY = {
    "requestBody": {
        "description": "the rule",
        "required": True,
        "content": {"application/json": {"schema": FaultRule.model_json_schema()}},
    }
}
_NUMBER = {
    "parameters": [
        {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "integer"},
            "description": "the rule's number",
        }
    ]
}


def add_fault_routes(app: FastAPI, faults: FaultRules) -> None:
    """Let clients list, add and remove the rules of a node."""

    @app.get(FAULTS, summary="List the fault rules in force.", operation_id="lab_faults", tags=["lab"])
    def show() -> list[dict[str, Any]]:
        return [fault.shown() for fault in faults.list()]

    @app.post(
        FAULTS,
        summary="Put a fault rule in force.",
        operation_id="lab_faults_add",
        tags=["lab"],
        response_model=None,
        responses={400: _ERROR},
        openapi_extra=_BODY,
    )
    async def add(request: Request) -> Response:
        try:
            words = read_object(await read_body(request.receive))
        except InvalidDocumentError:
            return _wrong(400, "not a JSON object")
        try:
            return JSONResponse(faults.add(FaultRule.read(words)).shown())
        except FaultRuleError as error:
            return _wrong(400, str(error))

    @app.delete(
        FAULTS,
        summary="Put all fault rules out of force.",
        operation_id="lab_faults_clear",
        tags=["lab"],
        status_code=204,
    )
    def clear() -> None:
        faults.clear()

    @app.delete(
        FAULTS + "/{id}",
        summary="Put a fault rule out of force.",
        operation_id="lab_faults_remove",
        tags=["lab"],
        response_model=None,
        status_code=204,
        responses={404: _ERROR},
        openapi_extra=_NUMBER,
    )
    def remove(request: Request) -> Response:
        number = request.path_params["id"]
        known = {str(fault.id): fault.id for fault in faults.list()}
        if number in known and faults.remove(known[number]):
            return Response(status_code=204)
        return _wrong(404, f"no fault rule {number} is in force")


def _wrong(status: int, error: str) -> Response:
    return JSONResponse({"error": error}, status)
