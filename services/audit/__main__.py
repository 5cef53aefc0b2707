"""`python -m services.audit`: follows everything, answers questions, until it is told to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.edge.health import Check, inner_app
from libs.edge.process import run_until_told
from libs.edge.serve import serving_both
from libs.identity.settings import callers_with, provider_client
from libs.telemetry import configure
from services.audit.http.routes import audit_app
from services.audit.settings import AuditSettings
from services.audit.wiring import audit, found


@asynccontextmanager
async def running(settings: AuditSettings) -> AsyncIterator["asyncio.Task[None]"]:
    """The whole service; yields the task that ends only when a part breaks."""
    async with audit(settings) as parts, provider_client() as provider:
        callers = callers_with(settings, provider)
        told: dict[str, Check] = {"events": parts.told, "operators": callers.operators.told}
        app = audit_app(
            parts.answering, callers, parts.marks, settings.ledger_schema, settings.docs, found, parts.checkpoint_key
        )
        async with serving_both(app, inner_app({"following": parts.ready}, told), settings):
            work = asyncio.create_task(parts.run(), name="audit")
            try:
                yield work
            finally:
                await parts.share.hand_over()
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)


def main() -> None:
    configure("audit")
    settings = AuditSettings()
    run_until_told("audit", running(settings), settings.broker)


if __name__ == "__main__":
    main()
