"""`croupier marks`: files for each process, old records adopted once, versions changed step by step."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.contracts.topics import INSPECTOR, TOPICS
from libs.journal.mark_keys import PROCESSES, Plan, file_of, marks_in, plan_in
from libs.stack import Stack, StackError
from services.cli.__main__ import app
from tests.testkit.partitions import PARTITIONS


def marks(*words: str) -> Result:
    return CliRunner().invoke(app, ["marks", *words])


def test_files_are_handed_out_of_one_root_and_again_the_same(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    assert marks("hand-out", "--keys", str(keys)).exit_code == 0
    held = {file.name: file.read_bytes() for file in (keys / "marks").rglob("*.json")}
    assert set(held) == {f"{each}.json" for each in (*PROCESSES, "plan")}
    told = marks("hand-out", "--keys", str(keys))
    assert {file.name: file.read_bytes() for file in (keys / "marks").rglob("*.json")} == held
    root = (keys / "mark_root.hex").read_text().strip()
    assert len(bytes.fromhex(root)) == 32
    assert root not in told.output + "".join(map(bytes.decode, held.values()))
    assert all(key["key"] not in told.output for key in json.loads(held["inspector.json"])["keys"])
    assert plan_in(keys / "marks") == Plan()


@pytest.mark.stack
async def test_old_records_are_adopted_once_and_keys_go_step_by_step(
    stack: Stack, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "keys"
    for name, value in stack.broker(INSPECTOR).environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setenv("CROUPIER_TOPIC_PREFIX", topics)

    async def marks(*words: str) -> Result:
        # The command runs an event loop of its own.
        return await asyncio.to_thread(CliRunner().invoke, app, ["marks", *words, "--keys", str(keys)])

    await marks("hand-out")
    monkeypatch.setenv("CROUPIER_MARKS_FILE", str(keys / "marks" / "inspector" / "inspector.json"))

    assert (await marks("adopt")).exit_code == 0
    plan = plan_in(keys / "marks")
    ends = {name.removeprefix(topics): len(ends) for name, ends in plan.unmarked.items()}
    assert ends == {each.name: each.partitions(PARTITIONS) for each in TOPICS}
    again = await marks("adopt")
    assert isinstance(again.exception, StackError)
    assert plan_in(keys / "marks") == plan

    steps = []
    for _ in range(4):
        assert (await marks("rotate")).exit_code == 0
        plan = plan_in(keys / "marks")
        steps.append((plan.accepted, plan.writes, sorted(plan.retired)))
    assert steps == [((1, 2), 1, []), ((1, 2), 2, []), ((1, 2), 2, [1]), ((1, 2, 3), 2, [1])]
    assert all(marks_in(file_of(keys / "marks", each)) for each in PROCESSES)
