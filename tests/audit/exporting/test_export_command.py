"""`croupier export` on the real broker: from the public topic to a file that `croupier replay` plays."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.broker import Broker
from libs.stack import default_home
from services.audit.exporting.ohh import validator
from services.cli.__main__ import app
from tests.audit.exporting.test_exports import house_of
from tests.audit.test_service import copy
from tests.testkit.marks import mark_file

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]


async def test_from_the_topic_to_a_file_and_back(
    kafka: Broker, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_TOPIC_PREFIX", topics)
    monkeypatch.setenv("CROUPIER_MARKS_FILE", str(mark_file(tmp_path, "inspector")))
    house = house_of("Portugal", hands=4)
    await copy(house.broker, kafka, topics, {})

    async def command(*words: str) -> Result:
        # The command runs an event loop of its own.
        return await asyncio.to_thread(CliRunner().invoke, app, list(words))

    at = ("--home", str(default_home() / "test"))
    for number in range(1, 5):
        file = tmp_path / f"{number}.phh"
        written = await command("export", house.table, str(number), "--out", str(file), *at)
        assert written.exit_code == 0, written.output
    played = await command("replay", *(str(tmp_path / f"{number}.phh") for number in range(1, 5)))
    assert played.exit_code == 0, played.output
    assert "4 of 4 hands agree" in played.output
    ohh = await command("export", house.table, "4", "--format", "ohh", *at)
    validator().validate(json.loads(ohh.stdout))
    missing = await command("export", house.table, "5", *at)
    assert (missing.exit_code, missing.output) == (1, "croupier export: table-1 has no hand 5\n")
