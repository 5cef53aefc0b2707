"""Every path of the audit service."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi_offline import FastAPIOffline

from libs.edge.handlers import add_edge
from libs.edge.health import Check, health_routes
from libs.projecting import Pool
from libs.views.records import HandRecord, RoundRecord
from services.audit.http import (
    get_completeness,
    list_cases,
    list_checkpoints,
    list_incidents,
)
from services.audit.http.histories import HandLine, RoundLine, histories, schemas


def audit_app(pool: Pool, checks: Mapping[str, Check]) -> FastAPI:
    """`pool` sees the audit schema; `checks` answer /health/ready."""
    app = FastAPIOffline(title="Croupier audit", version="1", summary="Evidence, read only.", redoc_url=None)
    app.state.pool = pool
    add_edge(app)
    app.router.routes.extend(health_routes(checks))
    for module in (list_incidents, list_checkpoints, list_cases, get_completeness):
        app.include_router(module.router, prefix="/v1")
    app.include_router(histories("hand", HandRecord, HandLine), prefix="/v1")
    app.include_router(histories("round", RoundRecord, RoundLine), prefix="/v1")
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        document.setdefault("components", {}).setdefault("schemas", {}).update(schemas())
        app.openapi_schema = document
    return app.openapi_schema
