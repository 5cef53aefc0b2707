"""`/health/live`, `/health/ready` and `/metrics`, the same on every service, on its inner port."""

import inspect
from collections.abc import Awaitable, Callable, Mapping

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from libs.edge.handlers import add_edge
from libs.telemetry.figures import gauge

_NOT_READY = gauge("croupier_not_ready")
Check = Callable[[], str | Awaitable[str | None] | None]
"""None when ready, otherwise one sentence why not. Quick, and without secrets."""


def inner_app(checks: Mapping[str, Check], told: Mapping[str, Check] = {}) -> Starlette:
    """`checks` by name; `told` is said beside: what somebody must look at although the service goes on."""

    async def live(_: Request) -> Response:
        return _json({"status": "live"}, 200)

    async def ready(_: Request) -> Response:
        missing = {name: why for name, check in checks.items() if (why := await _ask(check)) is not None}
        said = {name: what for name, check in told.items() if (what := await _ask(check)) is not None}
        status = "degraded" if missing or said else "ready"
        document = {"status": status, "missing": missing, **({"told": said} if said else {})}
        return _json(document, 503 if missing else 200)

    async def metrics(_: Request) -> Response:
        for name, check in checks.items():
            _NOT_READY.labels(name).set(await _ask(check) is not None)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    app = Starlette(
        routes=[Route("/health/live", live), Route("/health/ready", ready), Route("/metrics", metrics)],
    )
    add_edge(app)
    return app


async def _ask(check: Check) -> str | None:
    try:
        said = check()
        return await said if inspect.isawaitable(said) else said
    except Exception as error:  # a check that breaks is a service that is not ready
        return f"check failed: {type(error).__name__}"


def _json(document: object, status: int) -> Response:
    return Response(msgspec.json.encode(document), status_code=status, media_type="application/json")
