"""`python -m services.audit`: follows everything, answers questions, ends on SIGTERM."""

import asyncio
import signal

from libs.edge.serve import serving
from libs.telemetry import configure, get_logger
from services.audit.http.routes import audit_app
from services.audit.settings import AuditSettings
from services.audit.wiring import audit


async def run(settings: AuditSettings) -> None:
    """Until SIGTERM or SIGINT, or until a part breaks."""
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    async with audit(settings) as parts:
        app = audit_app(parts.pool, {"following": parts.ready})
        async with serving(app, settings.http_port, settings.http_host) as port:
            get_logger(__name__).info("audit serves", port=port)
            work = asyncio.create_task(parts.run(), name="audit")
            stopped = asyncio.create_task(stop.wait(), name="stop")
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
            get_logger(__name__).info("audit stops", asked=stopped.done())
            stopped.cancel()
            if work.done():
                work.result()
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


def main() -> None:
    configure("audit")
    asyncio.run(run(AuditSettings()))


if __name__ == "__main__":
    main()
