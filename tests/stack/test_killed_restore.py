"""A restore that is killed, wherever it is, leaves nothing that a service or a backup takes for a house."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from libs.contracts.topics import INSPECTOR
from libs.journal.house import HALF, NoSuchHouse, look
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import Plan, file_of, hand_out
from libs.stack import Stack, create_house, remove
from services.cli.backups.files import MANIFEST
from tests.audit.played import KEK, played
from tests.audit.test_service import Copied, copy
from tests.cli.backups.test_evidence import INCIDENT
from tests.conftest import database_for
from tests.testkit.marks import HOUSE, ROOT
from tests.testkit.marks import INSPECTOR as READS

pytestmark = pytest.mark.stack
_KILLED = """
import os, signal
from services.cli import restore
from services.cli.__main__ import main
from services.cli.backups import evidence, log

async def ended(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

write = log.Restoring.write
async def half_the_journals(self, part, topic):
    await write(self, part, topic)
    if topic.kind == "journal":
        await ended()

{point}
main()
"""
POINTS = {
    "evidence.put_rows = ended": "restore",
    "log.Restoring.write = half_the_journals": "backup",
    "restore.cut = ended": "backup",  # behind the last journal
    "restore._open = ended": "restore",
    "restore._walk = ended": "backup",  # where all is there and nothing is judged yet
}
"""Where it is killed, and what is tried then."""
SHORT = ("log.Restoring.write = half_the_journals", "restore._open = ended")
"""In the middle and at the very end: what is there then is no house, and what is there then can be opened."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "points", [SHORT, pytest.param(tuple(POINTS), marks=pytest.mark.long)], ids=["in short", "anywhere"]
)
async def test_a_restore_that_was_killed_anywhere_is_no_house(
    stack: Stack, topics: str, created: None, house_database: str, template: str, tmp_path: Path, points: list[str]
) -> None:
    """Rows came after the journals: killed in between it opened as a whole house without its incidents and trails, and
    the next backup took the place of the one that had them."""
    await copy(played(hands=2).broker, stack.broker("tests"), topics, Copied())
    folder, environment = tmp_path / "backup", surrounded(stack, topics, tmp_path)
    source = await asyncpg.connect(house_database)
    await source.execute(INCIDENT)
    await source.close()

    async def croupier(database: str, *words: str, point: str | None = None) -> "subprocess.CompletedProcess[str]":
        program = ["-m", "services.cli"] if point is None else ["-c", _KILLED.format(point=point)]
        return await asyncio.to_thread(
            subprocess.run, [sys.executable, *program, *words], env=environment | {"DATABASE_URL": database},
            text=True, capture_output=True, check=False,
        )  # fmt: skip

    async def seen() -> None:
        await look(KafkaLog(stack.admin, READS), topics)

    async def emptied() -> None:
        await remove(stack.admin, topics)
        await create_house(stack.admin, HOUSE, topics)

    done = await croupier(house_database, "backup", str(folder))
    assert done.returncode == 0, done.stderr
    manifest = (folder / MANIFEST).read_bytes()
    for point in points:
        again = POINTS[point]
        await emptied()
        async with database_for(stack, template) as database:
            done = await croupier(database, "restore", str(folder), "--verify", point=point)
            assert done.returncode == -signal.SIGKILL, (point, done.stderr)
            with pytest.raises(NoSuchHouse, match="half a house"):
                await seen()
            done = await croupier(database, again, str(folder))
            assert (done.returncode, HALF in done.stderr) == (1, True), (point, again, done.stderr)
            assert (folder / MANIFEST).read_bytes() == manifest
            done = await croupier(database, "restore", str(folder), "--open", "--json")
            is_there = point.startswith("restore.")
            assert done.returncode == (0 if is_there else 1), (point, done.stderr)
            if is_there:
                await seen()

    await emptied()
    async with database_for(stack, template) as database:
        done = await croupier(database, "restore", str(folder), "--verify", "--json")
        report = json.loads(done.stdout)
        assert (done.returncode, report["differences"], report["rows"]) == (0, [], 1), (report, done.stderr)
        await seen()
        restored = await asyncpg.connect(database)
        assert await restored.fetchval("select count(*) from audit.incidents") == 1
        await restored.close()
        done = await croupier(database, "backup", str(folder))
        assert done.returncode == 0, done.stderr


def surrounded(stack: Stack, prefix: str, folder: Path) -> dict[str, str]:
    hand_out(folder / "marks", ROOT, Plan())
    (folder / "kek.hex").write_text(KEK.hex())
    (folder / "checkpoint_key.hex").write_text("ab" * 32)
    return {
        **stack.admin.environment(),
        "PATH": os.environ["PATH"],
        "CROUPIER_TOPIC_PREFIX": prefix,
        "CROUPIER_HOME": str(folder),
        "CROUPIER_MARKS_FILE": str(file_of(folder / "marks", INSPECTOR)),
        "CROUPIER_KEK_FILE": str(folder / "kek.hex"),
        "CROUPIER_CHECKPOINT_KEY_FILE": str(folder / "checkpoint_key.hex"),
        "CROUPIER_CHECKPOINT_FILE": str(folder / "checkpoints.jsonl"),
    }
