"""Turns every error of a FastAPI or Starlette application into a problem document without internals."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from libs.edge.bodies import BoundedBodies
from libs.edge.problems import Problem, slug_of
from libs.telemetry import current_work, get_logger

_log = get_logger(__name__)


def add_edge(app: FastAPI | Starlette) -> None:
    """Bounded, well-formed bodies and problem documents for everything that goes wrong."""
    app.add_middleware(BoundedBodies)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def invalid_input(errors: Sequence[Any]) -> Problem:
    """422 that names each wrong field by JSON pointer (RFC 6901); the values given are not repeated."""
    listed = [{"field": json_pointer(error["loc"]), "detail": error["msg"]} for error in errors]
    return Problem(422, "invalid-input", "Some fields are missing, unknown or out of bounds.", errors=listed)


def json_pointer(location: Sequence[int | str]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)


async def _problem(_: Request, error: Exception) -> Response:
    return cast(Problem, error).response()


async def _invalid(_: Request, error: Exception) -> Response:
    return invalid_input(cast(RequestValidationError, error).errors()).response()


async def _http(_: Request, error: Exception) -> Response:
    refused = cast(HTTPException, error)
    return Problem(refused.status_code, slug_of(refused.status_code), headers=refused.headers).response()


async def _unexpected(request: Request, error: Exception) -> Response:
    """Our own mistake: the log gets the trace, the caller gets a number to quote."""
    work = current_work()
    number = work.trace_id if work is not None and work.trace_id else uuid4().hex
    _log.error("request failed", path=request.url.path, trace=number, exc_info=error)
    return Problem(500, "internal-error", "Something broke on our side.", trace_id=number).response()
