"""`croupier bots` at a house that it did not start."""

import asyncio
import json
import sys
from pathlib import Path

from typer.testing import CliRunner

from services.cli.__main__ import app
from services.cli.house import House


async def test_bots_play_at_a_table_of_their_own(house: House) -> None:
    told = ["bots", "--gateway", house.gateway_url, "--credential", str(house.keys["operator_token"]), "--hands", "3"]
    played = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert played.exit_code == 0, played.output
    report = json.loads(played.stdout)
    assert report["hands"] >= 3
    assert (report["void"], report["started_twice"]) == (0, 0)
    assert report["verdicts"]["accepted"] > 0


async def test_several_tables_until_it_is_told_to_end_and_each_act_in_a_file(house: House, tmp_path: Path) -> None:
    told = ["bots", "--gateway", house.gateway_url, "--credential", str(house.keys["operator_token"])]
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


def _tables(acts: Path) -> set[str]:
    return {json.loads(line)["table"] for line in acts.read_text().splitlines()} if acts.exists() else set()


async def test_a_credential_that_is_not_known_is_one_line(house: House) -> None:
    told = ["bots", "--gateway", house.gateway_url, "--credential", str(house.keys["kek"])]
    refused = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert "ProblemReply" in str(refused.exception)
