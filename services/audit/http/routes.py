"""Every path of the audit service."""

from collections.abc import Mapping

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from libs.edge.handlers import add_edge
from libs.edge.health import Check, health_routes
from libs.projecting import Pool
from services.audit.http import (
    get_completeness,
    get_hand,
    get_round,
    list_cases,
    list_checkpoints,
    list_hands,
    list_incidents,
)


def audit_app(pool: Pool, checks: Mapping[str, Check]) -> FastAPI:
    """`pool` sees the audit schema; `checks` answer /health/ready."""
    app = FastAPIOffline(title="Croupier audit", version="1", summary="Evidence, read only.", redoc_url=None)
    app.state.pool = pool
    add_edge(app)
    app.router.routes.extend(health_routes(checks))
    for module in (get_hand, get_round, list_hands, list_incidents, list_checkpoints, list_cases, get_completeness):
        app.include_router(module.router, prefix="/v1")
    return app
