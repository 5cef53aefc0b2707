"""A service's public application: FastAPI, at the same edge as everything else."""

from functools import cache, partial
from typing import Any, cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi_offline import FastAPIOffline
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from libs.edge.handlers import add_edge, invalid_input


def api(title: str, docs: bool, **told: Any) -> FastAPI:
    """With `docs` also its OpenAPI document and the page to click through it."""
    made = FastAPIOffline if docs else partial(FastAPI, openapi_url=None)
    app: FastAPI = made(title=title, version="1", redoc_url=None, **told)
    if app.openapi_url:
        _encode_once(app, app.openapi_url)
    add_edge(app)
    app.add_exception_handler(RequestValidationError, _invalid)
    return app


def _encode_once(app: FastAPI, url: str) -> None:
    """FastAPI encodes its document anew for each who asks, and anybody may: the first one's bytes are kept."""

    @cache
    def document() -> bytes:
        return bytes(JSONResponse(app.openapi()).body)

    async def openapi(_: Request) -> Response:
        return Response(document(), media_type="application/json")

    routes = app.router.routes
    [at] = [number for number, route in enumerate(routes) if isinstance(route, Route) and route.path == url]
    routes[at] = Route(url, openapi, include_in_schema=False)


async def _invalid(_: Request, error: Exception) -> Response:
    return invalid_input(cast(RequestValidationError, error).errors()).response()
