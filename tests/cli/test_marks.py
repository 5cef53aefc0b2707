"""`croupier marks`: files for each process, old records adopted once, versions changed step by step."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from libs.contracts.topics import INSPECTOR, TOPICS
from libs.journal import mark_keys, seal_keys
from libs.journal.mark_keys import PROCESSES, Plan, file_of, marks_in, plan_in
from libs.journal.seal_keys import SEALED
from libs.stack import Stack, StackError
from services.cli import marks as command
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


class Killed(BaseException):
    """In between two files."""


JOURNAL = "croupier.table.journal.v1"


@pytest.mark.parametrize("step", ["adopt", "rotate"])
@pytest.mark.parametrize("written", range(len(PROCESSES) + 1 + len(SEALED)))
def test_a_step_that_was_killed_is_ended_with_its_own_bounds(
    step: str, written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by an attacker: run again it asked for the ends anew, and what a thief wrote meanwhile counted."""
    keys, true, left, ends = tmp_path / "keys", mark_keys.write_whole, written, {JOURNAL: [100]}
    monkeypatch.setattr(command, "_ends", lambda: {name: list(offsets) for name, offsets in ends.items()})

    def dies(file: Path, what: msgspec.Struct) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        true(file, what)

    assert marks("hand-out", "--keys", str(keys)).exit_code == 0
    for _ in range(2 if step == "rotate" else 0):
        marks("rotate", "--keys", str(keys))
    before = plan_in(keys / "marks")
    for module in (mark_keys, seal_keys):
        monkeypatch.setattr(module, "write_whole", dies)
    with pytest.raises(Killed):
        marks(step, "--keys", str(keys))
    for module in (mark_keys, seal_keys):
        monkeypatch.setattr(module, "write_whole", true)

    ends[JOURNAL] = [150]
    told = marks(step, "--keys", str(keys))
    assert told.exit_code == 0, told.output
    plan = plan_in(keys / "marks")
    bounds = plan.unmarked if step == "adopt" else plan.retired[1]
    assert bounds == {JOURNAL: [100 if written else 150]}, "before the plan is written nobody has heard of bounds"
    assert ("was not ended: done now" in told.output) == bool(written)
    files = [*(keys / "marks").glob("*/*.json"), *(keys / "seals").glob("*/*.json")]
    assert len(files) == len(PROCESSES) + len(SEALED)
    assert all(_plan_in(file) == plan != before for file in files)
    if step == "rotate":
        assert "version 3 is known" in marks("rotate", "--keys", str(keys)).output


def _plan_in(file: Path) -> Plan:
    held = json.loads(file.read_bytes())
    return msgspec.convert(held.get("held", held)["plan"], Plan, strict=False)


@pytest.mark.parametrize("written", range(len(PROCESSES) + 1))
def test_a_new_house_whose_first_files_were_not_all_written_believes_no_snapshot_without_a_seal(
    written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, true, left = tmp_path / "keys", mark_keys.write_whole, written

    def dies(file: Path, what: msgspec.Struct) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        true(file, what)

    monkeypatch.setattr(mark_keys, "write_whole", dies)
    with pytest.raises(Killed):
        marks("hand-out", "--keys", str(keys))
    monkeypatch.setattr(mark_keys, "write_whole", true)
    marks("hand-out", "--keys", str(keys))
    assert len(list((keys / "seals").glob("*/*.json"))) == len(SEALED)
    assert not any(json.loads(f.read_bytes())["unsealed_until"] for f in (keys / "seals").glob("*/*.json"))


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
