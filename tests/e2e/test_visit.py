"""`croupier bots` at a house that it did not start."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.cli.__main__ import app
from services.cli.house import House

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]

_TIMES = {1: 8, 60: 1}
"""How often the service is away at the most, by patience (s): when it ends nobody may have a turn, and nobody asks."""


async def test_bots_play_at_a_table_of_their_own(shared_house: House) -> None:
    told = [
        "bots",
        "--gateway",
        shared_house.gateway_url,
        "--credential",
        str(shared_house.keys["operator_token"]),
        "--hands",
        "3",
    ]
    played = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert played.exit_code == 0, played.output
    report = json.loads(played.stdout)
    assert report["hands"] >= 3
    assert (report["void"], report["started_twice"]) == (0, 0)
    assert report["verdicts"]["accepted"] > 0


@pytest.mark.long
async def test_several_tables_until_it_is_told_to_end_and_each_act_in_a_file(
    shared_house: House, tmp_path: Path
) -> None:
    told = ["bots", "--gateway", shared_house.gateway_url, "--credential", str(shared_house.keys["operator_token"])]
    told += ["--tables", "3", "--hands", "1000000", "--think", "0.05", "--acts", str(tmp_path / "acts")]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.cli", *told, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        while len(_tables(tmp_path / "acts")) < 3:
            await asyncio.sleep(0.1)
    process.terminate()
    out, _ = await process.communicate()
    report = json.loads(out)
    assert process.returncode == 0, report
    assert report["ended_early"]
    assert len(report["tables"]) == 3
    assert (report["void"], report["unanswered"]) == (0, 0)
    assert report["acts"] == len((tmp_path / "acts").read_text().splitlines())


async def test_an_act_is_repeated_for_as_long_as_is_said_and_then_told_as_unanswered(
    shared_house: House, tmp_path: Path
) -> None:
    """The table service is away for three seconds: who is patient has every answer."""
    reports = {}
    for patience in _TIMES:
        acts, table = tmp_path / f"acts-{patience}", shared_house.processes["table"]
        told = ["bots", "--gateway", shared_house.gateway_url, "--credential", str(shared_house.keys["operator_token"])]
        told += ["--hands", "1000000", "--think", "0.02", "--acts", str(acts), "--patience", str(patience)]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "services.cli", *told, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(60):
            while len(_lines(acts)) < 10:
                await asyncio.sleep(0.1)
        for _ in range(_TIMES[patience]):
            await table.kill()
            await asyncio.sleep(3)
            await table.start()
            await table.ready()
            if any(line["verdict"] == "unanswered" for line in _lines(acts)):
                break
        seen = len(_lines(acts))
        async with asyncio.timeout(60):
            while len(_lines(acts)) < seen + 10:
                await asyncio.sleep(0.1)
        process.terminate()
        out, _ = await process.communicate()
        reports[patience] = json.loads(out)
        lost = [line for line in _lines(acts) if line["verdict"] == "unanswered"]
        assert len(lost) == reports[patience]["unanswered"]
    assert reports[1]["unanswered"] > 0
    assert reports[60]["unanswered"] == 0
    refused = [line for line in _lines(tmp_path / "acts-60") if line["verdict"] != "accepted"]
    assert all(line["reason"] for line in refused), "each says why"
    assert sum(reports[60]["reasons"].values()) == len(refused)


def _lines(acts: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in acts.read_text().splitlines()] if acts.exists() else []


def _tables(acts: Path) -> set[str]:
    return {line["table"] for line in _lines(acts)}


async def test_a_credential_that_is_not_known_is_one_line(shared_house: House) -> None:
    told = ["bots", "--gateway", shared_house.gateway_url, "--credential", str(shared_house.keys["kek"])]
    refused = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert "ProblemReply" in str(refused.exception)
