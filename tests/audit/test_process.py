"""`python -m services.audit` as the operating system sees it: it becomes ready, serves, and ends well on SIGTERM."""

import signal
from pathlib import Path

import httpx
import pytest

from libs.stack import Stack
from services.cli.processes import ServiceProcess
from tests.conftest import login_at
from tests.testkit.logins import AS_PLATFORM, operators_file
from tests.testkit.marks import mark_file

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]


async def test_it_starts_serves_and_stops(stack: Stack, topics: str, house_database: str, tmp_path: Path) -> None:
    key = tmp_path / "checkpoint.hex"
    key.write_text("22" * 32)
    environment = {
        **stack.broker("audit").environment(),
        "DATABASE_URL": login_at(stack, house_database, "audit"),
        "CROUPIER_TOPIC_PREFIX": topics,
        "CROUPIER_CHECKPOINT_KEY_FILE": str(key),
        "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, "audit")),
        "CROUPIER_CHECKPOINT_FILE": str(tmp_path / "checkpoints.jsonl"),
        "CROUPIER_OPERATORS_FILE": str(operators_file(tmp_path)),
    }
    process = ServiceProcess("audit", environment, tmp_path / "audit.out")
    await process.start()
    try:
        await process.ready()
        async with httpx.AsyncClient(base_url=process.url, headers=AS_PLATFORM) as client:
            assert (await client.get("/v1/incidents")).json() == {"incidents": [], "next_after": None}
            refused = await client.get("/v1/hands", params={"player": "p", "limit": "0"})
            assert refused.status_code == httpx.codes.UNPROCESSABLE_ENTITY
            assert refused.headers["content-type"] == "application/problem+json"
            for path in ("/metrics", "/health/ready", "/docs", "/openapi.json"):
                assert (await client.get(path)).status_code == httpx.codes.NOT_FOUND, "not on the public port"
            assert "croupier_audit_journal_lag_records" in (await client.get(f"{process.inner_url}/metrics")).text
        process.send(signal.SIGTERM)
        assert process.process is not None
        assert await process.process.wait() == 0
    finally:
        await process.stop()
    assert len((tmp_path / "checkpoints.jsonl").read_bytes().splitlines()) == 1
    assert "22" * 32 not in (tmp_path / "audit.out").read_text()
