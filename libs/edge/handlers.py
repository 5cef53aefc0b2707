"""Turns every error of an application into a problem document without internals.

Without FastAPI, a third of what a service takes to start: who has no public application needs none.
"""

from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

import asyncpg
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from libs.edge import metrics
from libs.edge.bodies import BoundedBodies
from libs.edge.connections import network_of
from libs.edge.problems import Problem, slug_of
from libs.telemetry import current_work, get_logger

_log = get_logger(__name__)


def add_edge(app: Starlette) -> None:
    """Bounded, well-formed bodies and problem documents for everything that goes wrong; no redirect, which would tell
    whoever asks the host that they named."""
    app.router.redirect_slashes = False
    app.add_middleware(BoundedBodies)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(asyncpg.LockNotAvailableError, _held_up)
    app.add_exception_handler(Exception, _unexpected)


MOST_ERRORS, LONGEST_POINTER = 10, 200


def invalid_input(errors: Sequence[Any]) -> Problem:
    """422 that names the first ten wrong fields by JSON pointer (RFC 6901); the values given are not repeated."""
    listed = [{"field": json_pointer(error["loc"]), "detail": error["msg"]} for error in errors[:MOST_ERRORS]]
    more = f" These are the first {MOST_ERRORS} of {len(errors)}." if len(errors) > MOST_ERRORS else ""
    return Problem(422, "invalid-input", f"Some fields are missing, unknown or out of bounds.{more}", errors=listed)


def json_pointer(location: Sequence[int | str]) -> str:
    """At most two hundred characters of it: names come from the sender, too."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)[:LONGEST_POINTER]


async def _problem(_: Request, error: Exception) -> Response:
    return cast(Problem, error).response()


async def _http(_: Request, error: Exception) -> Response:
    refused = cast(HTTPException, error)
    return Problem(refused.status_code, slug_of(refused.status_code), headers=refused.headers).response()


async def _held_up(request: Request, error: Exception) -> Response:
    """Somebody holds rows that are needed, for longer than the database lets us wait: nothing was written."""
    _log.warning("held up by a lock", path=request.url.path[:200])
    detail = "The database is held up right now; try again."
    return Problem(503, "held-up", detail, headers={"retry-after": "5"}).response()


async def _unexpected(request: Request, error: Exception) -> Response:
    """Our own mistake: the log gets the trace, the caller gets a number to quote."""
    work = current_work()
    number = work.trace_id if work is not None and work.trace_id else uuid4().hex
    metrics.FAILED.inc()
    address = network_of(request.client.host) if request.client else ""
    _log.error("request failed", path=request.url.path[:200], address=address, trace=number, exc_info=error)
    return Problem(500, "internal-error", "Something broke on our side.", trace_id=number).response()
